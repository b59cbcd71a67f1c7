package estimators

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The moderated effect's v_i, s = (1, moderators) of length k, intervention a:
//
//	(sum s s' packed, for each outcome sum W s Y, for each column of x sum W s x)
//
// whose first entry is N.

func (p *panel) moderatedAxis(x *axes) axis {
	k := 1 + x.moderators
	return axis{columnsOfX, triangle(k) + k*len(p.outcomes), k}
}

// moderate is v_i of intervention a in b.places and b.values.
func (p *panel) moderate(b *batch, a int, y []float64) {
	k := 1 + len(b.rows[0].moderators)
	lead := triangle(k) + k*len(y)
	w := len(b.cols)
	b.sum = zeros(b.sum, lead+k*w)
	v := b.sum
	b.s = zeros(b.s, k)
	s := b.s
	s[0] = 1
	for _, r := range b.rows[:b.n] {
		copy(s[1:], r.moderators)
		for i := range s {
			for j := range i + 1 {
				v[triangle(i)+j] += s[i] * s[j]
			}
		}
		weight := r.weights[a]
		if weight == 0 {
			continue
		}
		for o := range y {
			to := v[triangle(k)+o*k:][:k]
			for i := range s {
				to[i] += weight * s[i] * y[o]
			}
		}
		for c, at := range r.local {
			to := v[lead+at*k:][:k]
			for i := range s {
				to[i] += weight * s[i] * r.x[c]
			}
		}
	}
	b.places, b.values = b.places[:0], b.values[:0]
	for i, x := range v {
		place := i
		if i >= lead {
			at := i - lead
			place = lead + b.cols[at/k]*k + at%k
		}
		if x != 0 {
			b.places, b.values = append(b.places, place), append(b.values, x)
		}
	}
}

// MostModerated is the number of moderators up to which moderated effects are
// computed: their second moments take the fourth power of it.
const MostModerated = 8

// InterceptTerm is the term of a moderated effect that no moderator is part of.
const InterceptTerm = "(intercept)"

// Moderated is how the effect of every intervention on every outcome depends
// on the moderators of the blip model, over all rows, scaled as features are:
//
//	beta = B^-1 sum s W (Y - x'b),  B = sum s s',  s = (1, moderators)
//	u_i  = sum_t s (W (Y - x'b) - s'beta)
//	V    = B^-1 (c/(c-1) sum u_i u_i') B^-1
//
// with Student's interval of kish - dim s degrees of freedom. It rests on no
// blip model: beta is the projection of the effects on s, whatever they are.
func (m *Moments) Moderated() []Estimate {
	var all []Estimate
	for _, p := range m.panels {
		every := p.cellAt(0, 0)
		if every == nil || every.decisions() == 0 {
			continue
		}
		for a := range p.moderated {
			models := m.outcomeModels(p.models[a])
			for o := range p.outcomes {
				all = m.moderatedEffects(all, p, every, a, o, models)
			}
		}
	}
	return all
}

func (m *Moments) moderatedEffects(all []Estimate, p *panel, every *cell, a, o int, models outcomeModels) []Estimate {
	rule := &m.spec.Experiment.Outcomes[p.outcomes[o]]
	e, clusters := m.describe(every, 0, 0)
	e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group = ModeratedEffect, rule.Name, m.armName(1+a), "", ""
	terms := []string{InterceptTerm}
	for _, f := range m.spec.Blip.Moderators {
		terms = append(terms, m.spec.Features[f].Name)
	}
	none := func(s Status, r Reason) []Estimate {
		for _, term := range terms {
			e.Term = term
			all = append(all, e.without(s, r))
		}
		return all
	}
	switch {
	case clusters < minTrajectories:
		return none(InsufficientData, FewTrajectories)
	case every.rows[0] == 0 || every.rows[1+a] == 0:
		return none(NotIdentified, ArmAbsent)
	}
	k := len(terms)
	forms := m.moderatedForms(p, o, k, models)
	b := &normal{a: mat.NewSymDense(k, nil), scale: make([]float64, k)}
	r := make([]float64, k)
	buckets := m.clusters.buckets
	for i := range k {
		for j := range i + 1 {
			b.a.SetSym(i, j, p.moderated[a].total(unit(forms[0], triangle(i)+j), buckets))
		}
		r[i] = p.moderated[a].total(forms[i], buckets)
	}
	if !b.factorize() || 1/b.chol.Cond() < leastCondition {
		return none(NotIdentified, IllConditioned)
	}
	beta := b.solve(r)
	for i := range forms {
		for f := range forms[i] {
			for j := range k {
				forms[i][f][triangle(max(i, j))+min(i, j)] = -beta[j]
			}
		}
	}
	// Row i of B^-1 times u is a linear form of v too: its square is V_ii.
	_, half := scale(rule)
	for i := range k {
		inverse := make([]float64, k)
		inverse[i] = 1
		inverse = b.solve(inverse)
		q := unit(forms[0], -1)
		for f := range q {
			for j := range k {
				addScaled(q[f], inverse[j], forms[j][f])
			}
		}
		e.Term = terms[i]
		squares, size := p.moderated[a].squares(q, buckets)
		if !(squares > precision*size) {
			all = append(all, e.without(NotIdentified, NoVariation))
			continue
		}
		se := math.Sqrt(float64(clusters) / float64(clusters-1) * squares)
		all = append(all, e.with(beta[i]*half, se*half, e.EffectiveTrajectories-float64(k), clusters))
	}
	return all
}

// moderatedForms are, by term and fold, q of sum s_i W (Y - x'b).
func (m *Moments) moderatedForms(p *panel, o, k int, models outcomeModels) [][][]float64 {
	lead := p.moderatedAxis(&m.axes).lead
	forms := make([][][]float64, k)
	for i := range forms {
		forms[i] = make([][]float64, len(models))
		for f := range models {
			q := make([]float64, lead+k*len(models[f][o]))
			q[triangle(k)+o*k+i] = 1
			for c, b := range models[f][o] {
				q[lead+c*k+i] = -b
			}
			forms[i][f] = q
		}
	}
	return forms
}

// unit is, by fold, a form of the shape of like: 1 at a place, or 0 everywhere.
func unit(like [][]float64, place int) [][]float64 {
	q := make([][]float64, len(like))
	for f := range q {
		q[f] = make([]float64, len(like[f]))
		if place >= 0 {
			q[f][place] = 1
		}
	}
	return q
}
