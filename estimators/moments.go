package estimators

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"blipd/event"
)

// Moments are the sums over closed trajectories from which every estimate
// follows. They form a group under Merge: the order of Add, Remove and Merge
// changes an answer by rounding only, and equal orders give equal bits.
//
// Not safe for concurrent use.
type Moments struct {
	spec    *Spec
	columns columns
	groups  []groups // per dimension; 0 is All
	panels  []*panel // the required outcomes together, then each other one alone

	trajectories int64
	rows         int64
	latest       event.Time // of the events counted; does not go back on Remove
	missing      []int64    // per feature, then per dimension: rows without a value
	outOfBounds  []int64    // per feature: those of them that were too large

	// Scratch, empty between calls.
	row    row
	values []event.Value
	names  []string
	visits []*visit
}

// panel holds the sums of outcomes that are final together. One trajectory is
// in a panel when all of the panel's outcomes have final values.
type panel struct {
	outcomes []int        // places in the Experiment's Outcomes
	nuisance [][]nuisance // [intervention][fold]
	cells    [][]*cell    // [dimension][group]; nil where no row was seen
}

// nuisance holds the normal equations of the outcome model of one
// intervention in one fold: rows weighted by W^2.
type nuisance struct {
	gram  packed   // sum W^2 x x'
	cross []vector // per outcome of the panel, sum W^2 x Y
}

// cell holds the sums of one group.
type cell struct {
	rows         []int64    // by arm drawn
	trajectories int64      // with a row here
	squares      int64      // sum over trajectories of N_i^2
	scores       [][]scores // [intervention][fold]
}

// scores are the first and second moments over trajectories of
//
//	v_i = (N_i, sum W Y_1 .. sum W Y_O, sum W x),
//
// the sums over the rows of trajectory i in the group.
type scores struct {
	first  vector
	second packed
}

// New makes empty moments of a Spec.
func New(spec *Spec) *Moments {
	m := &Moments{spec: spec, columns: newColumns(len(spec.Features)), latest: event.NoTime}
	m.groups = make([]groups, 1+len(spec.Dimensions))
	for d := range m.groups {
		m.groups[d] = newGroups()
	}
	m.groups[0].find(All, 1)
	m.missing = make([]int64, len(spec.Features)+len(spec.Dimensions))
	m.outOfBounds = make([]int64, len(spec.Features))

	var required []int
	for i, o := range spec.Experiment.Outcomes {
		if o.Required {
			required = append(required, i)
		}
	}
	m.panels = append(m.panels, m.newPanel(required))
	for i, o := range spec.Experiment.Outcomes {
		if !o.Required {
			m.panels = append(m.panels, m.newPanel([]int{i}))
		}
	}
	m.row.weights = make([]float64, len(spec.Experiment.Interventions))
	m.row.groups = make([][]int, len(m.groups))
	m.row.groups[0] = []int{0}
	return m
}

func (m *Moments) newPanel(outcomes []int) *panel {
	p := &panel{outcomes: outcomes, cells: make([][]*cell, len(m.groups))}
	p.nuisance = make([][]nuisance, len(m.spec.Experiment.Interventions))
	for a := range p.nuisance {
		p.nuisance[a] = make([]nuisance, m.spec.Folds)
		for k := range p.nuisance[a] {
			p.nuisance[a][k].cross = make([]vector, len(outcomes))
		}
	}
	return p
}

// Trajectories is the number of closed trajectories counted, with rows or not.
func (m *Moments) Trajectories() int64 { return m.trajectories }

// Decisions is the number of rows counted.
func (m *Moments) Decisions() int64 { return m.rows }

// Latest is the highest event time ever counted, or event.NoTime.
func (m *Moments) Latest() event.Time { return m.latest }

// Add counts a closed trajectory all of whose required outcomes are final.
func (m *Moments) Add(t *event.Trajectory) { m.fold(t, 1) }

// Remove takes a trajectory out as Add put it in: it must be the same one.
func (m *Moments) Remove(t *event.Trajectory) { m.fold(t, -1) }

func (m *Moments) fold(t *event.Trajectory, sign int64) {
	m.trajectories += sign
	m.latest = max(m.latest, t.Last)
	k := FoldOf(t.ID, m.spec.Folds)

	present := make([]*visit, 0, len(m.panels))
	for i, p := range m.panels {
		if y, ok := m.outcomes(p, t); ok {
			present = append(present, m.visit(i, p, y, k))
		}
	}
	walk(t, &m.spec.Experiment, func(at *Point) {
		if m.spec.Experiment.Randomized(at.Decision) != event.Randomized {
			return
		}
		m.rows += sign
		m.read(at, &m.row, sign)
		for _, v := range present {
			v.add(&m.row, sign)
		}
	})
	for _, v := range present {
		v.close(sign)
	}
}

// outcomes reads the scaled outcomes of a panel; ok is false when one is not
// final.
func (m *Moments) outcomes(p *panel, t *event.Trajectory) (y []float64, ok bool) {
	y = make([]float64, len(p.outcomes))
	for i, o := range p.outcomes {
		rule := &m.spec.Experiment.Outcomes[o]
		held := t.Held(rule.Name).Final
		if !held.Given {
			return nil, false
		}
		centre, half := scale(rule)
		y[i] = (held.Value - centre) / half
	}
	return y, true
}

// scale is the centre and the half-width by which an outcome is scaled before
// any sum is formed; effects are multiplied back by half.
func scale(o *event.OutcomeRule) (centre, half float64) {
	if !o.Ranged {
		return 0, 1
	}
	return (o.Low + o.Up) / 2, (o.Up - o.Low) / 2
}

// FoldOf is the cross-fitting fold of a cluster key, 0..folds-1: its bucket
// modulo folds.
func FoldOf(key string, folds int) int { return BucketOf(key) % folds }

// BucketOf is the bucket of a cluster key: XXH64 with seed 0, modulo Buckets.
func BucketOf(key string) int { return int(xxhash.Sum64String(key) % Buckets) }

// collapse adds one column of x into another in every sum.
func (m *Moments) collapse(from, into int) {
	for _, p := range m.panels {
		for _, folds := range p.nuisance {
			for k := range folds {
				folds[k].gram.collapse(from, into)
				for o := range folds[k].cross {
					folds[k].cross[o].collapse(from, into)
				}
			}
		}
		lead := p.lead()
		for _, c := range slices.Concat(p.cells...) {
			if c == nil {
				continue
			}
			for _, folds := range c.scores {
				for k := range folds {
					folds[k].first.collapse(lead+from, lead+into)
					folds[k].second.collapse(lead+from, lead+into)
				}
			}
		}
	}
	// The rows at hand were read under the old columns.
	for _, v := range m.visits {
		v.collapse(from, into)
	}
	m.row.collapse(from, into)
}

// lead is the number of entries of v_i before those of x.
func (p *panel) lead() int { return 1 + len(p.outcomes) }

// cell finds the sums of a group, and makes room for them.
func (m *Moments) cell(p *panel, dimension, group int) *cell {
	for len(p.cells[dimension]) <= group {
		p.cells[dimension] = append(p.cells[dimension], nil)
	}
	c := p.cells[dimension][group]
	if c == nil {
		c = &cell{rows: make([]int64, 1+len(m.spec.Experiment.Interventions))}
		c.scores = make([][]scores, len(m.spec.Experiment.Interventions))
		for a := range c.scores {
			c.scores[a] = make([]scores, m.spec.Folds)
		}
		p.cells[dimension][group] = c
	}
	return c
}
