package estimators

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a blip model to rank: its place among those ranked, 0 the one in
// use, and what it sums along.
type candidate struct {
	model   *BlipModel
	z       axis  // Z by moderator, then by level
	numbers []int // places of its moderators in row.numbers
}

// candidateSums are what the loss of one candidate follows from, by fold.
type candidateSums struct {
	zz packed   // sum Z Z'
	zx matrix   // sum Z x'
	zy []vector // per outcome of the panel, sum Z Y
}

// RankedModel is a candidate blip model with its held-out loss. The ranking
// speaks of effects with randomized continuation and certifies nothing about
// the other two estimands.
type RankedModel struct {
	Outcome    string   `json:"outcome"`
	Groups     string   `json:"groups"`
	Moderators []string `json:"moderators"`
	InUse      bool     `json:"in_use"` // the blip_model itself
	Loss       *float64 `json:"loss"`   // mean over folds, in the square of the outcome's unit; absent where it cannot be fitted
	Rank       int      `json:"rank"`   // 1 is the best; 0 where there is no loss
}

// newCandidates lists the models to rank: none, or the one in use and the
// candidates.
func (m *Moments) newCandidates() {
	if m.spec.Blip == nil || len(m.spec.Candidates) == 0 {
		return
	}
	m.number = make([]int, len(m.spec.Features))
	for f := range m.number {
		m.number[f] = -1
	}
	models := []*BlipModel{m.spec.Blip}
	for i := range m.spec.Candidates {
		models = append(models, &m.spec.Candidates[i])
	}
	for i, model := range models {
		c := candidate{model: model, z: axis{candidateLevels + along(i), len(model.Moderators) * m.axes.arms, m.axes.arms}}
		for _, f := range model.Moderators {
			if m.number[f] < 0 {
				m.number[f] = m.numbers
				m.numbers++
			}
			c.numbers = append(c.numbers, m.number[f])
		}
		m.candidates = append(m.candidates, c)
	}
}

// pools tells whether levels of a dimension may have to be pooled.
func (m *Moments) pools(dimension int) bool {
	return m.spec.Blip != nil && (m.spec.Blip.Dimension == dimension ||
		slices.ContainsFunc(m.spec.Candidates, func(c BlipModel) bool { return c.Dimension == dimension }))
}

func (m *Moments) newCandidateSums(outcomes int) [][]candidateSums {
	all := make([][]candidateSums, len(m.candidates))
	for i := range all {
		all[i] = make([]candidateSums, m.spec.Folds)
		for k := range all[i] {
			all[i][k].zy = make([]vector, outcomes)
		}
	}
	return all
}

// layCandidates lays out Z of every candidate.
func (b *batch) layCandidates(m *Moments) {
	b.candidates = grown(b.candidates, len(m.candidates))
	for i := range m.candidates {
		c, l := &m.candidates[i], &b.candidates[i]
		b.levels = b.levels[:0]
		for _, r := range b.rows[:b.n] {
			for _, g := range r.levels[c.model.Dimension] {
				if !slices.Contains(b.levels, g) {
					b.levels = append(b.levels, g)
				}
			}
		}
		slices.Sort(b.levels)
		l.lay(c.z, b.levels, b.padded)
		for t, r := range b.rows[:b.n] {
			to := l.row(t)
			for a := range m.axes.arms {
				w := -r.p[1+a]
				if r.arm == 1+a {
					w++
				}
				for j, n := range c.numbers {
					to[j*m.axes.arms+a] = w * r.numbers[n]
				}
				for j, level := range b.levels {
					to[c.z.lead+j*m.axes.arms+a] = w * float64(count(r.levels[c.model.Dimension], level))
				}
			}
		}
	}
}

func (s *candidateSums) add(sign float64, z *laid, b *batch, y []float64) {
	s.zz.addGram(sign, z.places, z.a, z.a, b.padded)
	s.zx.addProduct(sign, z.places, b.cols, z.a, b.x, b.padded)
	b.sum = columnSums(zeros(b.sum, len(z.places)), z.a, b.n)
	for o := range s.zy {
		s.zy[o].addSparse(sign*y[o], z.places, b.sum)
	}
}

// Candidates ranks the blip models by their held-out loss, for every outcome:
//
//	mean over folds k of sum over its rows of (Y - x'b - Z'psi)^2,
//
// b the ridge of Y on x and psi the blip with randomized continuation, Z'psi
// least squares of Y - x'b, both fitted on the other folds alone.
func (m *Moments) Candidates() []RankedModel {
	var all []RankedModel
	for _, p := range m.panels {
		if len(m.candidates) == 0 || p.cellAt(0, 0) == nil {
			continue
		}
		models := m.outcomeModels(p.plain())
		for o, of := range p.outcomes {
			from := len(all)
			for i := range m.candidates {
				c := &m.candidates[i]
				r := RankedModel{Outcome: m.spec.Experiment.Outcomes[of].Name, Groups: m.dimension(c.model.Dimension), Moderators: []string{}, InUse: i == 0}
				for _, f := range c.model.Moderators {
					r.Moderators = append(r.Moderators, m.spec.Features[f].Name)
				}
				if loss, ok := m.heldOut(p, i, o, models); ok {
					_, half := scale(&m.spec.Experiment.Outcomes[of])
					loss *= half * half
					r.Loss = &loss
				}
				all = append(all, r)
			}
			rank(all[from:])
		}
	}
	return all
}

// rank numbers the models with a loss from the smallest on.
func rank(models []RankedModel) {
	order := make([]*RankedModel, 0, len(models))
	for i := range models {
		if models[i].Loss != nil {
			order = append(order, &models[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *RankedModel) int { return cmp.Compare(*a.Loss, *b.Loss) })
	for i := range order {
		order[i].Rank = 1 + i
	}
}

// plain are the normal equations of Y on x, rows unweighted, by fold.
func (p *panel) plain() []nuisance {
	folds := make([]nuisance, len(p.blip.folds))
	for k := range folds {
		folds[k] = nuisance{p.blip.folds[k].gram, p.blip.folds[k].cross}
	}
	return folds
}

// heldOut is the loss of candidate i on outcome o; ok is false where psi is not
// identified in some fold.
func (m *Moments) heldOut(p *panel, i, o int, models outcomeModels) (loss float64, ok bool) {
	c, sums := &m.candidates[i], p.candidates[i]
	pooling := m.pool(p, c.model)
	to, size := pooling.places(c.z), pooling.size(c.z)
	if size == 0 {
		return 0, false
	}
	for k := range sums {
		b := models[k][o]
		s := newNormal(size)
		r := make([]float64, size)
		for j := range sums {
			if j != k {
				s.addPooled(&sums[j].zz, to)
				addScaled(r, 1, sums[j].residual(o, b, to, size))
			}
		}
		if !s.factorize() || 1/s.chol.Cond() < leastCondition {
			return 0, false
		}
		psi := s.solve(r)
		own := newNormal(size)
		own.addPooled(&sums[k].zz, to)
		fold := &p.blip.folds[k]
		quadratic, _ := fold.gram.form(b)
		part := p.squares[k][o] - 2*fold.cross[o].dot(b) + quadratic - 2*dot(psi, sums[k].residual(o, b, to, size))
		for x := range psi {
			for y := range psi {
				part += psi[x] * own.a.At(x, y) * psi[y]
			}
		}
		loss += part / float64(len(sums))
	}
	return loss, !math.IsNaN(loss) && !math.IsInf(loss, 0)
}

// residual is sum Z (Y - x'b), pooled.
func (s *candidateSums) residual(o int, b []float64, to []int, size int) []float64 {
	r := s.zy[o].mapped(to, size)
	for i := range s.zx.rows {
		if to[i] >= 0 {
			r[to[i]] -= dot(s.zx.row(i), b)
		}
	}
	return r
}

// addPooled adds a Gram matrix, its places sent where to says; -1 leaves out.
func (s *normal) addPooled(gram *packed, to []int) {
	for i := range gram.dim {
		for j := range i + 1 {
			if a, b := to[i], to[j]; a >= 0 && b >= 0 {
				x := gram.at(i, j)
				if i != j && a == b {
					x *= 2
				}
				s.a.SetSym(a, b, s.a.At(a, b)+x)
			}
		}
	}
}
