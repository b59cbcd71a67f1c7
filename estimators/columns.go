package estimators

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// columns names the columns of x, the outcome model's features. Column 0 is
// the intercept; the others appear, in the order of the log, when a row first
// needs them. A column that is new is zero for all rows before, exactly.
//
// At most MaxLevels levels of a category have a column of their own: those
// with the smallest hashes. One that loses its place is added into Other, a
// linear map of all sums, and leaves its slot to the newcomer. So which levels
// have a column depends on the set of levels seen, never on their order.
type columns struct {
	list     []column
	features []slots // per feature of the Spec
}

// column is what one column of x holds.
type column struct {
	feature int // of the Spec; -1 for the intercept; those that a Learner adds come behind
	level   string
}

// slots finds the columns of one feature; -1 where there is none yet.
type slots struct {
	number  int            // a numeric feature's own column
	missing int            // 1 where the feature is missing
	other   int            // the number of levels without a column of their own
	levels  map[string]int // of a category
	last    string         // the level with the largest hash, once levels is full
}

func newColumns(features int) columns {
	c := columns{list: []column{{feature: -1}}, features: make([]slots, features)}
	for i := range c.features {
		c.features[i] = slots{number: -1, missing: -1, other: -1, levels: map[string]int{}}
	}
	return c
}

func (c *columns) add(feature int, level string) int {
	c.list = append(c.list, column{feature, level})
	return len(c.list) - 1
}

// number is the column of a numeric feature.
func (c *columns) number(feature int) int {
	s := &c.features[feature]
	if s.number < 0 {
		s.number = c.add(feature, "")
	}
	return s.number
}

// missing is the column that says a feature is missing.
func (c *columns) missing(feature int) int {
	s := &c.features[feature]
	if s.missing < 0 {
		s.missing = c.add(feature, MissingLevel)
	}
	return s.missing
}

// otherOf is the column of the levels without one.
func (c *columns) otherOf(feature int) int {
	s := &c.features[feature]
	if s.other < 0 {
		s.other = c.add(feature, OtherLevel)
	}
	return s.other
}

// level is the column of a level. Where a level seen first pushes out another,
// collapse is called before the slot changes hands: it must add everything in
// column from into column into, and leave from zero.
func (c *columns) level(feature int, name string, most int, collapse func(from, into int)) int {
	s := &c.features[feature]
	if i, ok := s.levels[name]; ok {
		return i
	}
	if len(s.levels) < most {
		i := c.add(feature, name)
		s.levels[name] = i
		if len(s.levels) == most {
			s.last = largest(s.levels)
		}
		return i
	}
	other := c.otherOf(feature)
	if byHash(name, s.last) > 0 {
		return other
	}
	i := s.levels[s.last]
	collapse(i, other)
	delete(s.levels, s.last)
	s.levels[name] = i
	c.list[i].level = name
	s.last = largest(s.levels)
	return i
}

// byHash orders levels by XXH64 with seed 0 of their UTF-8, then by name.
func byHash(a, b string) int {
	return cmp.Or(cmp.Compare(xxhash.Sum64String(a), xxhash.Sum64String(b)), cmp.Compare(a, b))
}

func largest(levels map[string]int) string {
	first, last := true, ""
	for name := range levels {
		if first || byHash(name, last) > 0 {
			first, last = false, name
		}
	}
	return last
}

// category tells whether a feature has a column for each level.
func (s *Spec) category(feature int) bool {
	return feature < len(s.Features) && s.Features[feature].Category
}

// foreign lists the places, in the given order of columns, of what a Learner said
// for other folds than k: the regressions for fold k do not have them.
func (m *Moments) foreign(order []int, k int) (at []int) {
	for i, place := range order {
		if f := m.columns.list[place].feature - len(m.spec.Features); f >= 0 && f%m.spec.Folds != k {
			at = append(at, i)
		}
	}
	return at
}

// canonical lists the columns in an order that depends only on what they hold:
// by feature, then by level. Solving in it makes the answer independent of the
// order in which columns appeared, up to rounding in the sums themselves.
func (c *columns) canonical() []int {
	order := make([]int, len(c.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.list[a].feature, c.list[b].feature), cmp.Compare(c.list[a].level, c.list[b].level))
	})
	return order
}
