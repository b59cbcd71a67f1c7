package estimators

import "math"

// sideSums are the rows of one side of one panel, by bucket.
type sideSums struct {
	parts    []signed // cells, the second taken out of the first
	rows     [Buckets]float64
	arms     []int64
	clusters int64 // of a rest without a cluster expression: at least so many
}

type signed struct {
	cell *cell
	sign float64
}

// side finds the rows of a side; nil where the panel has none.
func (m *Moments) side(p *panel, parts ...signed) *sideSums {
	s := &sideSums{parts: parts, arms: make([]int64, 1+len(m.spec.Experiment.Interventions))}
	counts := make([][]float64, m.spec.Folds)
	for k := range counts {
		counts[k] = make([]float64, p.v.lead+p.v.width*len(m.columns.list))
		counts[k][0] = 1
	}
	for _, part := range parts {
		if part.cell == nil {
			return nil
		}
		part.cell.scores[0].byBucket(&s.rows, part.sign, counts, m.clusters.buckets)
		for a, n := range part.cell.rows {
			s.arms[a] += int64(part.sign) * n
		}
	}
	s.clusters = m.clustersOf(parts)
	if len(parts) > 1 {
		s.clusters = max(s.clusters, int64(s.held()))
	}
	return s
}

// clustersOf counts the clusters with a row; of a difference of groups without
// a cluster expression, the clusters of one less those of the other, which are
// no more.
func (m *Moments) clustersOf(parts []signed) (n int64) {
	if !m.spec.clustered() {
		for _, part := range parts {
			n += int64(part.sign) * part.cell.trajectories
		}
		return n
	}
	rows := make([]float64, len(m.clusters.names))
	for _, part := range parts {
		for i := range part.cell.scores[0].clusters {
			c := &part.cell.scores[0].clusters[i]
			rows[c.cluster] += part.sign * c.v.at(0)
		}
	}
	for _, x := range rows {
		if x != 0 {
			n++
		}
	}
	return n
}

// held is the number of buckets with a row.
func (s *sideSums) held() (n int) {
	for _, x := range s.rows {
		if x != 0 {
			n++
		}
	}
	return n
}

// df is (sum N_j)^2 / sum N_j^2 - 1 over buckets: what a jackknife over buckets
// knows of a spread at most.
func (s *sideSums) df() float64 {
	sum, squares := 0.0, 0.0
	for _, x := range s.rows {
		sum, squares = sum+x, squares+x*x
	}
	return sum*sum/squares - 1
}

// theta is sum S / sum N, on everything and without each bucket; NaN where
// nothing is left.
func (s *sideSums) theta(m *Moments, arm int, q [][]float64) (theta [1 + Buckets]float64) {
	var sums [Buckets]float64
	for k := range q {
		q[k][0] = 0
	}
	for _, part := range s.parts {
		part.cell.scores[arm].byBucket(&sums, part.sign, q, m.clusters.buckets)
	}
	for b := range theta {
		theta[b] = without(&sums, b) / without(&s.rows, b)
	}
	return theta
}

// effectForms are, by outcome, q of estimand 1's score.
func (m *Moments) effectForms(p *panel, a int) [][][]float64 {
	forms := make([][][]float64, len(p.outcomes))
	if p.perArm {
		own, control := m.outcomeModels(p.armModels[1+a]), m.outcomeModels(p.armModels[0])
		for o := range forms {
			forms[o] = p.perArmForm(o, own, control, 1, -1)
		}
		return forms
	}
	models := m.outcomeModels(p.models[a])
	for o := range forms {
		forms[o] = p.form(o, models)
	}
	return forms
}

func (m *Moments) contrasted(e Estimate, p *panel, of, to *sideSums, a, o int, q [][]float64) Estimate {
	e.Continuation = RandomizedContinuation
	if early, ok := e.comparable(of, to, a); !ok {
		return early
	}
	own, other := of.theta(m, a, q), to.theta(m, a, q)
	var theta [1 + Buckets]float64
	for b := range theta {
		theta[b] = own[b] - other[b]
	}
	se := jackknife(&theta)
	switch {
	case se < leastVariation:
		return e.without(NotIdentified, NoVariation)
	case math.IsNaN(se):
		return e.without(NotIdentified, OneBucket)
	}
	for _, s := range []*sideSums{of, to} { // what the sums of either side cannot tell is not told by their difference
		if part := m.score(p, s.parts[0].cell, 0, 0, scoring{RandomizedContinuation, a, o, 1 + a, q}); part.Reason == NoVariation {
			return e.without(NotIdentified, NoVariation)
		}
	}
	_, half := scale(&m.spec.Experiment.Outcomes[p.outcomes[o]])
	return e.with(theta[0]*half, se*half, min(of.df(), to.df()), min(of.clusters, to.clusters))
}

// comparable tells, before anything is solved, why there is no contrast.
func (e Estimate) comparable(of, to *sideSums, a int) (Estimate, bool) {
	for _, s := range []*sideSums{of, to} {
		switch {
		case s.clusters < minTrajectories:
			return e.without(InsufficientData, FewTrajectories), false
		case s.arms[0] == 0 || s.arms[1+a] == 0:
			return e.without(NotIdentified, ArmAbsent), false
		}
	}
	return e, true
}

// contrasted is the contrast with no-treatment continuation.
func (f *blipFit) contrasted(e Estimate, of, to *sideSums, a, o int) Estimate {
	e.Continuation = NoTreatmentContinuation
	clusters := min(of.clusters, to.clusters)
	if early, ok := e.comparable(of, to, a); !ok {
		return early
	}
	if f.tooFew() {
		return e.without(InsufficientData, FewTrajectories)
	}
	own, one := f.meansOf(of.parts)
	other, another := f.meansOf(to.parts)
	left, right := f.effect(&own, a, o), f.effect(&other, a, o)
	for b := range left {
		left[b] -= right[b]
	}
	return f.finish(e, &left, clusters, o, one || another, f.never)
}
