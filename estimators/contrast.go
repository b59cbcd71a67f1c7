package estimators

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Contrast asks for the difference of the effects in two groups of rows, which
// may share trajectories and even rows.
type Contrast struct{ Of, To Side }

// Side is one side of a Contrast: the rows of a group, or those of them that
// are not rows of the other side.
type Side struct {
	Rest      bool // of To only
	Dimension string
	Group     string // of All, All
}

const restOf = "rest of "

// String is how people write a side: all, DIMENSION=GROUP, rest of either.
func (s Side) String() string {
	text := All
	if s.Dimension != All {
		text = s.Dimension + "=" + s.Group
	}
	if s.Rest {
		return restOf + text
	}
	return text
}

// ParseContrast reads both sides as people write them; to "" is the rest of
// all. Dimensions are those of the experiment, without All.
func ParseContrast(of, to string, dimensions []string) (c Contrast, err error) {
	if c.Of, err = parseSide(of, dimensions); err != nil {
		return c, err
	}
	if c.Of.Rest {
		return c, fmt.Errorf("contrast: %q: only the other side can be a rest; swap them", of)
	}
	if to == "" {
		to = restOf + All
	}
	if c.To, err = parseSide(to, dimensions); err != nil {
		return c, err
	}
	if own := c.To; own.Dimension == c.Of.Dimension && own.Group == c.Of.Group {
		return c, fmt.Errorf("contrast: %q and %q leave nothing to compare; name two groups, or the rest of a larger one", of, to)
	}
	if c.Of.Dimension == All && c.To.Rest {
		return c, fmt.Errorf("contrast: %q: nothing is left of it without all; name a group as the first side", to)
	}
	return c, nil
}

func parseSide(text string, dimensions []string) (s Side, err error) {
	rest, cut := strings.CutPrefix(text, restOf)
	s.Rest = cut
	if rest == All {
		s.Dimension, s.Group = All, All
		return s, nil
	}
	known := false
	for _, d := range dimensions { // a name may hold = itself: the longest that fits
		if group, fits := strings.CutPrefix(rest, d+"="); fits && (!known || len(d) > len(s.Dimension)) {
			s.Dimension, s.Group, known = d, group, true
		}
	}
	if !known {
		return s, fmt.Errorf("contrast: %q names no dimension; write all, DIMENSION=GROUP or rest of DIMENSION=GROUP with a dimension of: %s",
			text, strings.Join(dimensions, ", "))
	}
	return s, nil
}

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

// Contrast is the difference between the effects in two groups, for every
// outcome and intervention, with randomized continuation and, with a blip
// model, with no-treatment continuation:
//
//	theta = theta_of - theta_to,  V = 63/64 sum_j (theta_(-j) - mean of the 64)^2,
//
// each side computed without bucket j, its nuisances kept: so rows and
// trajectories that both sides share are accounted for. Student's t, with the
// degrees of freedom (sum N_j)^2 / sum N_j^2 - 1 of the side that has fewer, N_j
// rows by bucket; those of estimand 2 with no-treatment continuation. Counts
// are those of the side Of. An error says what is not known of the groups.
func (r *Report) Contrast(c Contrast) ([]Estimate, error) {
	if r.moments == nil {
		return nil, fmt.Errorf("contrast of %q to %q: the sums of this report of experiment %q are gone: ask the current one", c.Of, c.To, r.Experiment)
	}
	all, err := r.moments.contrast(c, r.solved)
	if err != nil {
		return nil, fmt.Errorf("contrast of %q to %q: %w", c.Of, c.To, err)
	}
	r.markModels(all)
	return all, nil
}

func (m *Moments) contrast(c Contrast, fits []*blipFit) (all []Estimate, err error) {
	d, g, err := m.place(c.Of)
	if err != nil {
		return nil, err
	}
	e, h, err := m.place(c.To)
	if err != nil {
		return nil, err
	}
	if c.To.Rest && !m.isWithin(d, g, e, h) {
		return nil, fmt.Errorf("%q is no part of %q: some of its decisions are elsewhere, so that there is no rest; name the groups to compare with", c.Of, Side{false, c.To.Dimension, c.To.Group})
	}
	for i, p := range m.panels {
		of, to := signed{p.cellAt(d, g), 1}, []signed{{p.cellAt(e, h), 1}}
		if c.To.Rest {
			to = append(to, signed{of.cell, -1})
		}
		own, other := m.side(p, of), m.side(p, to...)
		if own == nil || other == nil {
			continue // no trajectory with these outcomes has a row there
		}
		start, _ := m.describe(of.cell, d, g)
		start.Estimand, start.Of, start.To, start.Dimension, start.Group = ContrastOf, c.Of.String(), c.To.String(), "", ""
		for a := range m.axes.arms {
			forms := m.effectForms(p, a)
			for o := range p.outcomes {
				start.Outcome, start.Arm = m.spec.Experiment.Outcomes[p.outcomes[o]].Name, m.armName(1+a)
				all = append(all, m.contrasted(start, p, own, other, a, o, forms[o]))
				if fits != nil {
					all = append(all, fits[i].contrasted(start, own, other, a, o))
				}
			}
		}
	}
	return all, nil
}

// place finds the group of a side.
func (m *Moments) place(s Side) (d, g int, err error) {
	if s.Dimension == All {
		return 0, 0, nil
	}
	d = 1 + slices.IndexFunc(m.spec.Dimensions, func(x Dimension) bool { return x.Name == s.Dimension })
	if d == 0 {
		return 0, 0, fmt.Errorf("%q is no dimension of the experiment", s.Dimension)
	}
	g, known := m.groups[d].places[s.Group]
	if !known {
		return 0, 0, fmt.Errorf("no decision was seen in %q; known groups are %s", Side{false, s.Dimension, s.Group}, list(m.groups[d].names))
	}
	return d, g, nil
}

// list names the first of many.
func list(names []string) string {
	const most = 50
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
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
	return f.finish(e, &left, clusters, &f.m.spec.Experiment.Outcomes[f.p.outcomes[o]], one || another, f.never)
}
