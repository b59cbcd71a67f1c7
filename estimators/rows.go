package estimators

import (
	"slices"

	"blipd/event"
)

// row is a randomized decision as the sums see it. It is reused from decision
// to decision.
type row struct {
	arm     int       // drawn; 0 is the control
	weights []float64 // W of each intervention: 1{A=m}/p_m - 1{A=0}/p_0
	places  []int     // the columns of x that are not zero, ascending
	x       []float64 // their values
	groups  [][]int   // per dimension (0 is All), the groups that the row is in
}

// read turns the point of a randomized decision into r, and counts what is
// missing with sign.
func (m *Moments) read(p *Point, r *row, sign int64) {
	e := &m.spec.Experiment
	m.weigh(e, &p.Decision.Assignment, r)

	r.places, r.x = append(r.places[:0], 0), append(r.x[:0], 1)
	for f := range m.spec.Features {
		m.readFeature(f, p, r, sign)
	}
	sortRow(r.places, r.x)

	for d := range m.spec.Dimensions {
		dim := &m.spec.Dimensions[d]
		m.values = values(&dim.Expr, p, m.values[:0])
		m.names = levels(m.values, m.names[:0])
		groups := r.groups[d+1][:0]
		for _, name := range m.names {
			if name == MissingLevel {
				m.missing[len(m.spec.Features)+d] += sign
			}
			if g := m.groups[d+1].find(name, m.spec.MaxGroups); !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
		}
		r.groups[d+1] = groups
	}
}

func (m *Moments) weigh(e *event.Experiment, a *event.Assignment, r *row) {
	r.arm = e.Arm(a.Arm)
	for i, name := range e.Interventions {
		switch r.arm {
		case 0:
			r.weights[i] = -1 / a.Of(e.Control)
		case i + 1:
			r.weights[i] = 1 / a.Of(name)
		default:
			r.weights[i] = 0
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
			r.put(m.columns.missing(f), 1)
			return
		}
		r.put(m.columns.number(f), x)
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

// sortRow sorts a short list of places with their values, by insertion.
func sortRow(places []int, x []float64) {
	for i := 1; i < len(places); i++ {
		for j := i; j > 0 && places[j] < places[j-1]; j-- {
			places[j], places[j-1] = places[j-1], places[j]
			x[j], x[j-1] = x[j-1], x[j]
		}
	}
}
