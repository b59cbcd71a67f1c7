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
