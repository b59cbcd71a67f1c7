package estimators

import (
	"cmp"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"blipd/estimators/boost"
	"blipd/event"
)

// Learning says how the learned outcome model of a Spec learns.
type Learning struct {
	Every int // trajectories counted between two fits, > 0
}

// Learner predicts outcomes from features, one ensemble of trees for each outcome
// o and cross-fitting fold k, fitted without fold k. What it says of a row becomes
// further columns of x, one for each (o, k), and the regressions for fold k have
// those of k alone: a row never sees, nor is fitted beside, a prediction that its
// own fold has taught. Whatever it says, estimand 1 stays valid, as with any
// function of what was known before the draw; it only makes errors smaller.
//
// It remembers a bounded number of rows, of the trajectories whose ids have the
// smallest hashes, and fits at every so many trajectories counted, never by a clock:
// equal sequences of Learn give equal bits. Not safe for concurrent use.
type Learner struct {
	spec    *Spec
	counted int64    // trajectories learned from, each time
	lessons []lesson // ascending by hash and id
	rows    int      // of all lessons
	trees   *forest  // nil before the first fit

	lookup lookup
}

// lessonRows is how many rows a Learner remembers at most, trajectories whole.
const lessonRows = 4096

// lesson is what is remembered of a trajectory.
type lesson struct {
	hash uint64 // of its id
	id   string
	fold int
	y    []float64 // scaled outcomes; NaN where there is no final value
	rows []seen
}

// seen are the features of one row.
type seen struct {
	numbers []float64  // of numeric features, scaled; NaN where missing
	levels  [][]uint64 // of each category, the hashes of its values; none where missing
}

// NewLearner makes a learner of a Spec with Learning that has seen nothing.
func NewLearner(spec *Spec) *Learner { return &Learner{spec: spec} }

// learned is the number of columns that a Learner adds to x.
func (s *Spec) learned() int {
	if s.Learning == nil {
		return 0
	}
	return len(s.Experiment.Outcomes) * s.Folds
}

// Predict is what the present trees say of the decisions of a trajectory, in the
// order in which they stand in it: for each one (outcome, fold), outcome by outcome.
// Decisions that are no rows have zeros. Nil before the first fit.
func (l *Learner) Predict(t *event.Trajectory) []float64 {
	if l.trees == nil {
		return nil
	}
	width := l.spec.learned()
	said := make([]float64, len(t.Decisions)*width)
	l.lookup.each(l.spec, t, func(i int, s *seen) { l.trees.predict(s, said[i*width:(i+1)*width]) })
	return said
}

// Learn remembers a trajectory that is counted, in place of what was remembered of
// it before, and fits when it is time.
func (l *Learner) Learn(t *event.Trajectory) {
	n := lesson{hash: xxhash.Sum64String(t.ID), id: t.ID, fold: FoldOf(l.lookup.key(l.spec, t), l.spec.Folds)}
	for i := range l.spec.Experiment.Outcomes {
		o := &l.spec.Experiment.Outcomes[i]
		y := math.NaN()
		if held := t.Held(o.Name).Final; held.Given {
			centre, half := scale(o)
			y = (held.Value - centre) / half
		}
		n.y = append(n.y, y)
	}
	l.lookup.each(l.spec, t, func(_ int, s *seen) { n.rows = append(n.rows, s.clone()) })
	l.remember(n)
	if l.counted++; l.counted%int64(l.spec.Learning.Every) == 0 {
		l.trees = fitForest(l.spec, l.lessons)
	}
}

func (l *Learner) find(hash uint64, id string) (place int, known bool) {
	return slices.BinarySearchFunc(l.lessons, lesson{hash: hash, id: id}, func(a, b lesson) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.id, b.id))
	})
}

func (l *Learner) remember(n lesson) {
	i, known := l.find(n.hash, n.id)
	if known {
		l.rows -= len(l.lessons[i].rows)
		l.lessons[i] = n
	} else {
		l.lessons = slices.Insert(l.lessons, i, n)
	}
	l.rows += len(n.rows)
	for l.rows > lessonRows && len(l.lessons) > 1 {
		last := len(l.lessons) - 1
		l.rows -= len(l.lessons[last].rows)
		l.lessons[last] = lesson{}
		l.lessons = l.lessons[:last]
	}
}

// Forget drops what is remembered of a trajectory. Trees that were fitted with it
// stay until the next fit.
func (l *Learner) Forget(id string) {
	if i, known := l.find(xxhash.Sum64String(id), id); known {
		l.rows -= len(l.lessons[i].rows)
		l.lessons = slices.Delete(l.lessons, i, i+1)
	}
}

// lookup reads the features of rows, and uses its room again.
type lookup struct {
	values []event.Value
	names  []string
	row    seen
}

// each visits the rows of a trajectory, i their places among its decisions; s is
// used again.
func (u *lookup) each(spec *Spec, t *event.Trajectory, visit func(i int, s *seen)) {
	order, n := t.Order(), 0
	walk(t, &spec.Experiment, func(p *Point) {
		i := order[n]
		n++
		if spec.Experiment.Randomized(p.Decision) == event.Randomized {
			u.read(spec, p)
			visit(i, &u.row)
		}
	})
}

func (u *lookup) read(spec *Spec, p *Point) {
	numbers, categories := u.row.numbers[:0], 0
	for f := range spec.Features {
		feature := &spec.Features[f]
		u.values = values(&feature.Expr, p, u.values[:0])
		if !feature.Category {
			x, ok, _ := scaled(feature, u.values)
			if !ok {
				x = math.NaN()
			}
			numbers = append(numbers, x)
			continue
		}
		if categories == len(u.row.levels) {
			u.row.levels = append(u.row.levels, nil)
		}
		hashes := u.row.levels[categories][:0]
		for _, name := range levels(u.values, u.names[:0]) {
			if name != MissingLevel {
				hashes = append(hashes, xxhash.Sum64String(name))
			}
		}
		u.row.levels[categories] = hashes
		categories++
	}
	u.row.numbers = numbers
}

// key is the cluster key of a trajectory: see Moments.fold.
func (u *lookup) key(spec *Spec, t *event.Trajectory) string {
	key, first := t.ID, true
	if spec.clustered() {
		walk(t, &spec.Experiment, func(p *Point) {
			if found, known := spec.clusterAt(p, &u.values); first && known {
				key = found
			}
			first = false
		})
	}
	return key
}

func (s *seen) clone() seen {
	c := seen{slices.Clone(s.numbers), make([][]uint64, len(s.levels))}
	for i := range s.levels {
		c.levels[i] = slices.Clone(s.levels[i])
	}
	return c
}

// boosting is how the trees are grown.
var boosting = boost.Defaults()
