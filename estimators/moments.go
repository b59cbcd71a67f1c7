package estimators

import (
	"blipd/event"

	"github.com/cespare/xxhash/v2"
)

// Moments are the sums over closed trajectories from which every estimate
// follows. They form a group under Merge: the order of Add, Remove and Merge
// changes an answer by rounding only, and equal orders give equal bits.
//
// Not safe for concurrent use.
type Moments struct {
	spec       *Spec
	axes       axes
	moderator  []int // per feature, its place among the moderators, or -1
	columns    columns
	groups     []groups    // per dimension; 0 is All
	nestings   [][]nested  // per dimension but All, then per group
	levels     []*columns  // per dimension that a blip model uses, its groups as columns
	levelOf    [][]int     // per such dimension and group, 1 + its level; 0 where it was not asked for
	sets       levelSets   // of the blip model, with masks
	clusters   clusters    // with a cluster expression
	candidates []candidate // blip models to rank, the one in use first
	number     []int       // per feature, its place in row.numbers, or -1; with candidates
	numbers    int
	panels     []*panel // the required outcomes together, then each other one alone

	trajectories int64
	rows         int64
	disagreeing  int64      // decisions whose cluster is not that of their trajectory
	earliest     event.Time // of the events counted; stays on Remove, as latest does
	latest       event.Time
	missing      []int64 // per feature, then per dimension: rows without a value
	outOfBounds  []int64 // per feature: those of them that were too large

	// Scratch, empty between calls.
	batch  batch
	values []event.Value
	names  []string
	y      []float64
}

// New makes empty moments of a Spec.
func New(spec *Spec) *Moments {
	m := &Moments{spec: spec, axes: newAxes(spec), columns: newColumns(len(spec.Features) + spec.learned()), sets: newLevelSets(spec), clusters: newClusters(), earliest: event.NoTime, latest: event.NoTime}
	m.groups = make([]groups, 1+len(spec.Dimensions))
	for d := range m.groups {
		m.groups[d] = newGroups()
	}
	m.groups[0].find(All, 1)
	m.nestings = make([][]nested, len(m.groups))
	m.missing = make([]int64, len(spec.Features)+len(spec.Dimensions))
	m.outOfBounds = make([]int64, len(spec.Features))
	m.moderator = make([]int, len(spec.Features))
	for f := range m.moderator {
		m.moderator[f] = -1
	}
	if spec.Blip != nil {
		for i, f := range spec.Blip.Moderators {
			m.moderator[f] = i
		}
	}

	m.newCandidates()
	m.newLevels()

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
	return m
}

// channels is the number of weights by which a group sums x.
func (m *Moments) channels() int {
	if m.spec.PerArm {
		return 1 + len(m.spec.Experiment.Interventions)
	}
	return len(m.spec.Experiment.Interventions)
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
	m.earliest, m.latest = earlier(m.earliest, t.First), max(m.latest, t.Last)
	b := &m.batch
	b.n = 0
	key, first := t.ID, true
	walk(t, &m.spec.Experiment, func(at *Point) {
		if m.spec.clustered() {
			found, known := m.spec.clusterAt(at, &m.values)
			switch {
			case first && known:
				key = found
			case !first && known && found != key:
				m.disagreeing += sign
			}
			first = false
		}
		if m.spec.Experiment.Randomized(at.Decision) == event.Randomized {
			r := b.next(m)
			m.read(at, r, sign)
			if sign > 0 {
				m.nest(r)
			}
		}
	})
	m.rows += sign * int64(b.n)
	b.setKey(m, key)
	if m.spec.clustered() && !first {
		b.cluster = m.cluster(key)
	}
	b.lay(m)
	for _, p := range m.panels {
		if y, ok := m.outcomesOf(p, t); ok {
			p.add(m, b, y, sign)
		}
	}
}

// earlier is the earlier of two times, either of which may be event.NoTime.
func earlier(a, b event.Time) event.Time {
	if a == event.NoTime || b == event.NoTime {
		return max(a, b)
	}
	return min(a, b)
}

// FoldOf is the cross-fitting fold of a cluster key, 0..folds-1: its bucket
// modulo folds.
func FoldOf(key string, folds int) int { return BucketOf(key) % folds }

// BucketOf is the bucket of a cluster key: XXH64 with seed 0, modulo Buckets.
func BucketOf(key string) int { return int(xxhash.Sum64String(key) % Buckets) }

// collapse adds one column of x into another in every sum, and in the rows at
// hand, which were read under the old columns.
func (m *Moments) collapse(from, into int) {
	m.collapseAlong(collapse{columnsOfX, from, into})
	m.batch.collapse(from, into)
}

func (m *Moments) collapseAlong(c collapse) {
	for _, p := range m.panels {
		p.each(p, &m.axes, c)
		for _, cells := range p.cells {
			for _, o := range cells {
				if o != nil {
					o.each(o, p.v, &m.axes, c)
				}
			}
		}
	}
}
