package estimators

import "fmt"

// Merge adds the sums of o, which must be of the same Spec. Columns and groups
// are matched by name. o is not changed.
func (m *Moments) Merge(o *Moments) {
	if m.spec.Hash != o.spec.Hash {
		panic(fmt.Sprintf("estimators: merge of moments of two specs, %s and %s", m.spec.Hash, o.spec.Hash))
	}
	m.trajectories += o.trajectories
	m.rows += o.rows
	m.latest = max(m.latest, o.latest)
	for i, n := range o.missing {
		m.missing[i] += n
	}
	for i, n := range o.outOfBounds {
		m.outOfBounds[i] += n
	}
	to := m.matchColumns(o)
	for i, p := range m.panels {
		m.mergePanel(p, o.panels[i], to, o)
	}
}

// matchColumns makes room for the columns of o and says where each goes. Which
// levels keep a column is known only when all have been seen: hence two passes.
func (m *Moments) matchColumns(o *Moments) []int {
	to := make([]int, len(o.columns.list))
	for range 2 {
		for i, c := range o.columns.list {
			switch {
			case c.feature < 0:
				to[i] = 0
			case c.level == MissingLevel:
				to[i] = m.columns.missing(c.feature)
			case c.level == OtherLevel:
				to[i] = m.columns.otherOf(c.feature)
			case m.spec.Features[c.feature].Category:
				to[i] = m.columns.level(c.feature, c.level, m.spec.Features[c.feature].MaxLevels, m.collapse)
			default:
				to[i] = m.columns.number(c.feature)
			}
		}
	}
	return to
}

func (m *Moments) mergePanel(p, q *panel, to []int, o *Moments) {
	for a, folds := range q.nuisance {
		for k := range folds {
			n := &p.nuisance[a][k]
			n.gram.addMapped(&folds[k].gram, to)
			for i := range folds[k].cross {
				n.cross[i].addMapped(folds[k].cross[i], to)
			}
		}
	}
	lead := p.lead()
	shifted := make([]int, lead+len(to))
	for i := range shifted {
		shifted[i] = i
		if i >= lead {
			shifted[i] = lead + to[i-lead]
		}
	}
	for d, cells := range q.cells {
		for g, c := range cells {
			if c != nil {
				group := m.groups[d].find(o.groups[d].names[g], m.spec.MaxGroups)
				m.cell(p, d, group).merge(c, shifted)
			}
		}
	}
}

// merge adds the sums of a group. Where two groups of o come to share Other
// here, a trajectory that was in both counts there twice: the only place where
// a sum depends on how it was divided, and only above MaxGroups.
func (c *cell) merge(o *cell, to []int) {
	for a, n := range o.rows {
		c.rows[a] += n
	}
	c.trajectories += o.trajectories
	c.squares += o.squares
	for a, folds := range o.scores {
		for k := range folds {
			c.scores[a][k].first.addMapped(folds[k].first, to)
			c.scores[a][k].second.addMapped(&folds[k].second, to)
		}
	}
}
