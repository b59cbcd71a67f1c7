package estimators

import (
	"slices"

	"blipd/event"
)

// row is a randomized decision as the sums see it.
type row struct {
	arm     int       // drawn; 0 is the control
	p       []float64 // the probability of each arm
	weights []float64 // W of each intervention: 1{A=m}/p_m - 1{A=0}/p_0
	places  []int     // the columns of x that are not zero
	x       []float64 // their values
	local   []int     // their places among the columns of the batch
	groups  [][]int   // per dimension (0 is All), the groups that the row is in
	levels  [][]int   // per dimension of a blip model, the levels that the row is in; those that share one, as often
	// What a group sums x by: the weights, or 1 - 1{A=a}/p_a of each arm.
	channels []float64

	moderators []float64 // scaled; 0 where missing
	checks     []float64 // instruments of the over-identification test that no level is part of
	numbers    []float64 // the same of every moderator of a candidate
	policies   []float64 // the probability with which each policy intervenes here
}

// read turns the point of a randomized decision into r, and counts what is
// missing with sign.
func (m *Moments) read(p *Point, r *row, sign int64) {
	e := &m.spec.Experiment
	r.weigh(e, &p.Decision.Assignment)

	r.places, r.x = append(r.places[:0], 0), append(r.x[:0], 1)
	clear(r.moderators)
	clear(r.numbers)
	for f := range m.spec.Features {
		m.readFeature(f, p, r, sign)
	}
	if len(p.learned) != m.spec.learned() {
		p.learned = nil // no trees yet
	}
	for i, x := range p.learned {
		r.places, r.x = append(r.places, m.columns.number(len(m.spec.Features)+i)), append(r.x, x)
	}
	for d := range m.spec.Dimensions {
		dim := &m.spec.Dimensions[d]
		m.values = values(&dim.Expr, p, m.values[:0])
		m.names = levels(m.values, m.names[:0])
		groups := r.groups[d+1][:0]
		r.levels[d+1] = r.levels[d+1][:0]
		for _, name := range m.names {
			if name == MissingLevel {
				m.missing[len(m.spec.Features)+d] += sign
			}
			g := m.groups[d+1].find(name, m.spec.MaxGroups)
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
			if m.levels[d+1] != nil {
				r.levels[d+1] = append(r.levels[d+1], m.levelOfGroup(d+1, g, name))
			}
		}
		r.groups[d+1] = groups
	}
	if m.spec.Blip != nil {
		m.readChecks(p, r)
		for i := range m.spec.Policies {
			r.policies[i] = m.spec.Policies[i].at(p, &m.values)
		}
	}
}

// at is the probability with which a policy intervenes at a point.
func (y *Policy) at(p *Point, scratch *[]event.Value) float64 {
	*scratch = values(&y.Intervene, p, (*scratch)[:0])
	for _, v := range *scratch {
		if v.Kind == event.Bool && v.Num != 0 {
			return y.Probability
		}
	}
	return 0
}

func (r *row) weigh(e *event.Experiment, a *event.Assignment) {
	r.arm = e.Arm(a.Arm)
	r.p[0] = a.Of(e.Control)
	for i, name := range e.Interventions {
		r.p[1+i] = a.Of(name)
		switch r.arm {
		case 0:
			r.weights[i] = -1 / r.p[0]
		case i + 1:
			r.weights[i] = 1 / r.p[1+i]
		default:
			r.weights[i] = 0
		}
	}
	if len(r.channels) == len(r.weights) {
		copy(r.channels, r.weights)
		return
	}
	for a := range r.channels {
		r.channels[a] = 1
		if a == r.arm {
			r.channels[a] -= 1 / r.p[a]
		}
	}
}

func (m *Moments) readFeature(f int, p *Point, r *row, sign int64) {
	feature := &m.spec.Features[f]
	m.values = values(&feature.Expr, p, m.values[:0])
	if !feature.Category {
		x, ok, bounded := scaled(feature, m.values)
		if !bounded {
			m.outOfBounds[f] += sign
		}
		if !ok {
			m.missing[f] += sign
			r.places, r.x = append(r.places, m.columns.missing(f)), append(r.x, 1)
			return
		}
		r.places, r.x = append(r.places, m.columns.number(f)), append(r.x, x)
		if at := m.moderator[f]; at >= 0 {
			r.moderators[at] = x
		}
		if m.number != nil && m.number[f] >= 0 {
			r.numbers[m.number[f]] = x
		}
		return
	}
	m.names = levels(m.values, m.names[:0])
	for _, name := range m.names {
		if name == MissingLevel {
			m.missing[f] += sign
			r.put(m.columns.missing(f), 1)
			continue
		}
		r.put(m.columns.level(f, name, feature.MaxLevels, m.collapse), 1)
	}
}

// scaled is a numeric feature's value: the largest over the calls of the
// decision where the expression reads them, scaled by its range. ok is false
// when it is missing; bounded is false when it is missing for its size.
func scaled(f *Feature, vs []event.Value) (x float64, ok, bounded bool) {
	for _, v := range vs {
		if y, is := v.Float(); is && (!ok || y > x) {
			x, ok = y, true
		}
	}
	if !ok {
		return 0, false, true
	}
	if f.Ranged {
		x = (x - (f.Low+f.Up)/2) / ((f.Up - f.Low) / 2)
	}
	if !(x <= outOfBounds && x >= -outOfBounds) {
		return 0, false, false
	}
	return x, true, true
}

// put sets a column of the row; levels that share Other count together.
func (r *row) put(place int, x float64) {
	if i := slices.Index(r.places, place); i >= 0 {
		r.x[i] += x
		return
	}
	r.places, r.x = append(r.places, place), append(r.x, x)
}

// collapse follows a column that was added into another after r was read.
func (r *row) collapse(from, into int) {
	if i := slices.Index(r.places, from); i >= 0 {
		x := r.x[i]
		r.places, r.x = slices.Delete(r.places, i, i+1), slices.Delete(r.x, i, i+1)
		r.put(into, x)
	}
}
