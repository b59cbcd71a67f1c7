package estimators

import (
	"fmt"
	"slices"
)

// Merge adds the sums of o, which must be of the same Spec. Columns and groups
// are matched by name. o is not changed.
func (m *Moments) Merge(o *Moments) {
	if m.spec != o.spec && (m.spec.Hash != o.spec.Hash || !slices.Equal(m.spec.PolicyKeys(), o.spec.PolicyKeys())) {
		panic(fmt.Sprintf("estimators: merge of moments of two specs, %s with %q and %s with %q", m.spec.Hash, m.spec.PolicyKeys(), o.spec.Hash, o.spec.PolicyKeys()))
	}
	m.trajectories += o.trajectories
	m.rows += o.rows
	m.earliest, m.latest = earlier(m.earliest, o.earliest), max(m.latest, o.latest)
	for i, n := range o.missing {
		m.missing[i] += n
	}
	for i, n := range o.outOfBounds {
		m.outOfBounds[i] += n
	}
	m.disagreeing += o.disagreeing
	m.mergeNestings(o)
	to := &mapping{columns: m.matchColumns(o), clusters: m.matchClusters(o)}
	if blip := m.spec.Blip; blip != nil {
		to.levels = m.matchLevels(o, blip.Dimension)
		to.sets = m.matchSets(o, to.levels)
		for i := range m.candidates {
			to.candidates = append(to.candidates, m.matchLevels(o, m.candidates[i].model.Dimension))
		}
	}
	for i, p := range m.panels {
		m.mergePanel(p, o.panels[i], to, o)
	}
}

// matchGroups says where the groups of a dimension of o go.
func (m *Moments) matchGroups(o *Moments, d int) []int {
	to := make([]int, len(o.groups[d].names))
	for g, name := range o.groups[d].names {
		to[g] = m.groups[d].find(name, m.spec.MaxGroups)
	}
	return to
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
			case m.spec.category(c.feature):
				to[i] = m.columns.level(c.feature, c.level, m.spec.Features[c.feature].MaxLevels, m.collapse)
			default:
				to[i] = m.columns.number(c.feature)
			}
		}
	}
	return to
}

func (m *Moments) mergePanel(p, q *panel, to *mapping, o *Moments) {
	p.alone += q.alone
	for k := range p.squares {
		addScaled(p.squares[k], 1, q.squares[k])
	}
	for i, n := range q.present {
		p.present = grown(p.present, max(len(p.present), to.clusters[i]+1))
		p.present[to.clusters[i]] += n
	}
	if p.blip != nil {
		for j := range p.blip.buckets {
			p.blip.buckets[j].trajectories += q.blip.buckets[j].trajectories
			for i := range q.blip.buckets[j].cross {
				own, other := &p.blip.buckets[j].cross[i], &q.blip.buckets[j].cross[i]
				own.rho += other.rho
				addScaled(own.y, 1, other.y)
			}
		}
		for i := range p.blip.support {
			p.blip.support[i].add(&q.blip.support[i])
		}
	}
	p.each(q, &m.axes, to)
	for d, cells := range q.cells {
		groups := m.matchGroups(o, d)
		for g, c := range cells {
			if c != nil {
				m.cell(p, d, groups[g]).merge(c, p.v, &m.axes, to)
			}
		}
	}
}

// merge adds the sums of a group. Where two groups of o come to share Other
// here, a trajectory that was in both counts there twice: the only place where
// a sum depends on how it was divided, and only above MaxGroups.
func (c *cell) merge(o *cell, v axis, x *axes, to *mapping) {
	for a, n := range o.rows {
		c.rows[a] += n
	}
	c.trajectories += o.trajectories
	c.squares += o.squares
	c.members.merge(&o.members)
	for j := range c.means {
		c.means[j].rows += o.means[j].rows
	}
	c.each(o, v, x, to)
}
