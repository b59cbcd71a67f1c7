package estimators

import (
	"slices"

	"blipd/event/pack"
)

// Levels are the groups of a dimension as columns of a blip model. Its sums
// grow with their square, so at most MaxLevels have a column: those with the
// smallest hashes, as among the levels of a category. The rest share
// OtherLevel, one column that counts them. Which have one depends on the set of
// groups seen, never on their order.

// newLevels makes the levels of every dimension that a blip model uses; nil of
// the others.
func (m *Moments) newLevels() {
	m.levels, m.levelOf = make([]*columns, len(m.groups)), make([][]int, len(m.groups))
	for d := range m.levels {
		if m.pools(d) {
			m.levels[d] = &columns{features: []slots{{number: -1, missing: -1, other: -1, levels: map[string]int{}}}}
		}
	}
	if m.levels[0] != nil {
		m.level(0, All)
	}
}

// level is the level of a group; one that it pushes out is added into
// OtherLevel, in every sum.
func (m *Moments) level(d int, name string) int {
	if _, known := m.groups[d].places[name]; !known || name == OtherLevel {
		return m.levels[d].otherOf(0) // a group beyond MaxGroups
	}
	most := m.spec.MaxLevels
	if most == 0 {
		most = m.spec.MaxGroups
	}
	return m.levels[d].level(0, name, max(1, most), func(from, into int) { m.collapseLevel(d, from, into) })
}

// levelOfGroup is the level of group g, whose name is at hand.
func (m *Moments) levelOfGroup(d, g int, name string) int {
	m.levelOf[d] = grown(m.levelOf[d], max(len(m.levelOf[d]), g+1))
	if m.levelOf[d][g] == 0 {
		m.levelOf[d][g] = 1 + m.level(d, name)
	}
	return m.levelOf[d][g] - 1
}

// matchLevels says where the levels of a dimension of o go, whose groups were
// matched. Which keep a column is known only when all have been seen: hence two
// passes.
func (m *Moments) matchLevels(o *Moments, d int) []int {
	to := make([]int, len(o.levels[d].list))
	for range 2 {
		for i, c := range o.levels[d].list {
			to[i] = m.level(d, c.level)
		}
	}
	return to
}

// collapseLevel adds one level into another in every sum, and in the rows at
// hand.
func (m *Moments) collapseLevel(d, from, into int) {
	if m.spec.Blip.Dimension == d {
		m.collapseAlong(collapse{levelsOfF, from, into})
		for i, set := range slices.Clone(m.sets.list) {
			if slices.Contains(set, from) {
				moved := slices.Clone(set)
				for j := range moved {
					if moved[j] == from {
						moved[j] = into
					}
				}
				m.collapseAlong(collapse{setsOfLevels, i, m.sets.find(moved)})
			}
		}
	}
	for i := range m.candidates {
		if m.candidates[i].model.Dimension == d {
			m.collapseAlong(collapse{candidateLevels + along(i), from, into})
		}
	}
	for g, l := range m.levelOf[d] {
		if l == 1+from {
			m.levelOf[d][g] = 1 + into
		}
	}
	for _, r := range m.batch.rows[:m.batch.n] {
		for j, level := range r.levels[d] {
			if level == from {
				r.levels[d][j] = into
			}
		}
	}
}

func (m *Moments) packLevels(w *pack.Writer) {
	for _, l := range m.levels {
		if l != nil {
			w.Int(int64(len(l.list)))
			for _, c := range l.list {
				w.Text(c.level)
			}
		}
	}
}

func (m *Moments) readLevels(r *pack.Reader) {
	m.newLevels()
	for d, l := range m.levels {
		if l == nil {
			continue
		}
		l.list = nil
		l.features[0] = slots{number: -1, missing: -1, other: -1, levels: map[string]int{}}
		for range r.Count() {
			m.level(d, r.Text())
		}
		if most := m.spec.MaxLevels; most > 0 && len(l.list) > most+1 {
			r.Fail()
		}
	}
}

// count is how many of levels are this one.
func count(levels []int, level int) (n int) {
	for _, l := range levels {
		if l == level {
			n++
		}
	}
	return n
}
