package estimators

import (
	"cmp"
	"math"
	"slices"
)

// pooling says which column of f each moderator and each level has once small
// levels share one: a level with fewer than 10 clusters is pooled; if what is
// pooled has fewer than 10 together, the next smallest levels join, by clusters
// and then by name, until it has. OtherLevel is the largest, unless it has fewer. It is decided on all sums of a panel and kept
// when a bucket is left out.
type pooling struct {
	names   []string // of the columns: moderators, levels, PooledLevel
	level   []int    // per level, its column; -1 where it has no row
	largest []int    // columns of levels, largest first, then by name; the pooled one by its clusters too
	pooled  []string // names of the levels that share a column
	lead    int      // moderators
}

type sizedLevel struct {
	level    int
	name     string
	cells    []*cell // of the groups that are in it
	clusters int64
}

func (m *Moments) pool(p *panel, blip *BlipModel) *pooling {
	levels := m.levels[blip.Dimension].list
	out := &pooling{level: make([]int, len(levels)), lead: len(blip.Moderators)}
	for _, f := range blip.Moderators {
		out.names = append(out.names, m.spec.Features[f].Name)
	}
	var sized []sizedLevel
	for l, of := range m.cellsByLevel(p, blip.Dimension) {
		out.level[l] = -1
		if len(of) > 0 {
			own := sizedLevel{l, levels[l].level, of, 0}
			own.clusters = m.together([]sizedLevel{own})
			if own.name == OtherLevel && own.clusters >= minTrajectories {
				own.clusters = math.MaxInt64 // exactly, it is not known of several groups
			}
			sized = append(sized, own)
		}
	}
	slices.SortFunc(sized, func(a, b sizedLevel) int {
		return cmp.Or(cmp.Compare(a.clusters, b.clusters), cmp.Compare(a.name, b.name))
	})
	n := 0
	for n < len(sized) && sized[n].clusters < minTrajectories {
		n++
	}
	together := int64(0)
	if n > 0 {
		for together = m.together(sized[:n]); n < len(sized) && together < minTrajectories; {
			n++
			together = m.together(sized[:n])
		}
	}
	var columns []sizedLevel // the level is the column
	for _, s := range slices.SortedFunc(slices.Values(sized[n:]), func(a, b sizedLevel) int { return cmp.Compare(a.name, b.name) }) {
		out.level[s.level] = len(out.names)
		columns = append(columns, sizedLevel{len(out.names), s.name, nil, s.clusters})
		out.names = append(out.names, m.dimension(blip.Dimension)+"="+s.name)
	}
	if n > 0 {
		for _, s := range sized[:n] {
			out.level[s.level] = len(out.names)
			out.pooled = append(out.pooled, s.name)
		}
		slices.Sort(out.pooled)
		columns = append(columns, sizedLevel{len(out.names), PooledLevel, nil, together})
		out.names = append(out.names, m.dimension(blip.Dimension)+"="+PooledLevel)
	}
	slices.SortFunc(columns, func(a, b sizedLevel) int {
		return cmp.Or(cmp.Compare(b.clusters, a.clusters), cmp.Compare(a.name, b.name))
	})
	for _, c := range columns {
		out.largest = append(out.largest, c.level)
	}
	return out
}

// dimension is the name of dimension d: 0 is All.
func (m *Moments) dimension(d int) string {
	if d == 0 {
		return All
	}
	return m.spec.Dimensions[d-1].Name
}

// cellsByLevel lists the cells with rows of the groups in each level.
func (m *Moments) cellsByLevel(p *panel, dimension int) [][]*cell {
	levels := m.levels[dimension]
	out := make([][]*cell, len(levels.list))
	for g, name := range m.groups[dimension].names {
		c := p.cellAt(dimension, g)
		if c == nil || c.decisions() == 0 {
			continue
		}
		l, own := levels.features[0].levels[name]
		if !own {
			l = levels.features[0].other
		}
		out[l] = append(out[l], c)
	}
	return out
}

// together is how many clusters have a row in one of the levels: exactly, but
// that large groups together may count as the largest of them.
func (m *Moments) together(levels []sizedLevel) int64 {
	seen := map[uint64]bool{}
	most := int64(0)
	for _, l := range levels {
		for _, c := range l.cells {
			if !m.spec.clustered() {
				most = max(most, c.trajectories)
			}
			for _, member := range c.members.list {
				seen[member.hash] = true
			}
			for i := range c.scores[0].clusters {
				if of := &c.scores[0].clusters[i]; of.v.at(0) != 0 {
					seen[uint64(of.cluster)] = true
				}
			}
		}
	}
	return max(most, int64(len(seen)))
}

func (p *panel) cellAt(dimension, group int) *cell {
	if group < len(p.cells[dimension]) {
		return p.cells[dimension][group]
	}
	return nil
}

// places is where the places of an axis go; -1 for those of levels without a
// row.
func (l *pooling) places(a axis) []int {
	to := make([]int, 0, a.lead+a.width*len(l.level))
	for i := range a.lead {
		to = append(to, i)
	}
	for _, column := range l.level {
		for w := range a.width {
			if column < 0 {
				to = append(to, -1)
			} else {
				to = append(to, a.lead+(column-l.lead)*a.width+w)
			}
		}
	}
	return to
}

// size is how many places an axis has once levels are pooled.
func (l *pooling) size(a axis) int { return a.lead + a.width*(len(l.names)-l.lead) }
