package estimators

import (
	"fmt"
	"strings"

	"blipd/estimators/interval"
)

// CheckAssignment asks whether arms were drawn with the probabilities that
// came with them: assigned counts the draws of each arm, expected sums its
// probabilities over the same draws. Value is the evidence against it, the
// mean over arms of interval.Coin (a mean of e-values is one): 1 says nothing.
// It may be looked at any time; a sound coin ever fails it with a chance of
// one in a thousand.
func CheckAssignment(arms []string, assigned []int64, expected []float64) Check {
	draws := int64(0)
	for _, n := range assigned {
		draws += n
	}
	evidence := 0.0
	words := make([]string, len(arms))
	for a, arm := range arms {
		evidence += interval.Coin(float64(assigned[a])-expected[a], draws) / float64(len(arms))
		words[a] = fmt.Sprintf("%s drawn %d times, %.1f expected", arm, assigned[a], expected[a])
	}
	c := Check{Name: "assignment", OK: evidence < interval.CoinAlarm, Value: evidence, Detail: strings.Join(words, "; ")}
	if !c.OK {
		c.Detail += ": the coin is not what the events say; effects cannot be trusted until probabilities are logged as drawn"
	}
	return c
}

// limits asks whether every group stands for itself. Where a limit makes groups
// share OtherLevel, which ones do depends on the log, and what is said of it is
// said of no group that anybody knows. Value is the number of rows there: in
// dimensions, and in columns of the blip model.
func (m *Moments) limits() []Check {
	groups := Check{Name: "groups", OK: true}
	levels := Check{Name: "blip_levels", OK: true}
	var crowded, shared []string
	p := m.panels[0]
	for d := range m.groups {
		if g, any := m.groups[d].places[OtherLevel]; any {
			if c := p.cellAt(d, g); c != nil && c.decisions() > 0 {
				groups.OK, groups.Value = false, groups.Value+float64(c.decisions())
				crowded = append(crowded, fmt.Sprintf("%s: %d decisions in groups beyond %d", m.dimension(d), c.decisions(), m.spec.MaxGroups))
			}
		}
		if m.levels[d] == nil || m.levels[d].features[0].other < 0 {
			continue
		}
		rows, n := int64(0), 0
		for _, c := range m.cellsByLevel(p, d)[m.levels[d].features[0].other] {
			rows, n = rows+c.decisions(), n+1
		}
		if rows > 0 {
			levels.OK, levels.Value = false, levels.Value+float64(rows)
			shared = append(shared, fmt.Sprintf("%s: %d decisions of %d groups", m.dimension(d), rows, n))
		}
	}
	groups.Detail = "every group stands for itself"
	if !groups.OK {
		groups.Detail = strings.Join(crowded, "; ") + " share " + OtherLevel +
			": raise limits.groups_per_dimension, or give the dimension an expression with fewer values"
	}
	levels.Detail = "every group of a blip model has a column of its own"
	if !levels.OK {
		levels.Detail = strings.Join(shared, "; ") + " share one column of the blip model: they are taken to have one effect; raise limits.blip_levels (memory grows with its square), or give blip_model.groups a dimension with fewer values"
	}
	all := []Check{groups}
	if m.spec.Blip != nil {
		all = append(all, levels)
	}
	if m.spec.clustered() {
		all = append(all, m.clustersKept())
	}
	return all
}

// clustersKept asks whether clusters have sums of their own. Value is the number of
// rows if they have not.
func (m *Moments) clustersKept() Check {
	if !m.clusters.crowded {
		return Check{Name: "clusters", OK: true, Detail: "every cluster has sums of its own"}
	}
	return Check{Name: "clusters", Value: float64(m.rows), Detail: fmt.Sprintf(
		"more than %d clusters: errors come from %d buckets of clusters, which are fewer than they could be; raise limits.clusters", m.spec.MaxClusters, Buckets)}
}

// openShareAlarm is the share of started trajectories that are still open from
// which on the scope closed is no picture of all: what has finished already
// over-represents short trajectories, and the intervention changes their length.
const openShareAlarm = 0.2

// CheckOpenShare asks whether most of what was started has closed.
func CheckOpenShare(open, started int64) Check {
	share := OpenShare(open, started)
	return Check{Name: "open_share", OK: share < openShareAlarm, Value: share,
		Detail: fmt.Sprintf("%d of %d trajectories are open; above %v prefer the scope complete", open, started, openShareAlarm)}
}

// OpenShare is open / started, 0 where nothing was started.
func OpenShare(open, started int64) float64 {
	if started == 0 {
		return 0
	}
	return float64(open) / float64(started)
}
