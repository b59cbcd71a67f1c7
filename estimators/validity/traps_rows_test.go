package validity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"blipd/estimators"
	"blipd/event"
)

// steady is a trajectory of so many decisions without any effect.
func steady(rng *rand.Rand, id string, decisions int, state ...event.Member) *event.Trajectory {
	var all []event.Decision
	for range decisions {
		all = append(all, decide(rng, "x", 0.5, state...))
	}
	return ended(id, 5+rng.NormFloat64(), all...)
}

// TestD3: the mean score under an arm, with the error of independent rows. All
// decisions of a trajectory have one score.
func TestD3(t *testing.T) {
	spec := specOf(t, plain+"    outcome_model: {per_arm: true}\n")
	for i, c := range []struct {
		decisions int
		most      float64
	}{{5, 0.8}, {20, 0.6}, {60, 0.4}} {
		t.Run(fmt.Sprint(c.decisions), func(t *testing.T) {
			wrong, _ := trap(t, 3+i, 5, func(rng *rand.Rand) tried {
				rows, whole := estimators.New(spec), estimators.New(spec)
				for k := range 100 {
					tr := steady(rng, fmt.Sprint(k), c.decisions)
					whole.Add(tr)
					for _, row := range split(tr) {
						rows.Add(row)
					}
				}
				return tried{saw(named(rows.Randomized(), estimators.ArmLevel, ""), 5), saw(named(whole.Randomized(), estimators.ArmLevel, ""), 5)}
			})
			wrong.failsBelow(t, c.most)
		})
	}
}

// TestD3b: four parallel calls are decided by one draw. Counted as four they
// look like four times the evidence; one decision of four calls is one row.
func TestD3b(t *testing.T) {
	spec := specOf(t, plain)
	wrong, _ := trap(t, 6, 0, func(rng *rand.Rand) tried {
		four, one := estimators.New(spec), estimators.New(spec)
		for k := range 200 {
			tr := steady(rng, fmt.Sprint(k), 1)
			for _, row := range split(ended(fmt.Sprint(k), tr.Outcomes[0].Final.Value, slices.Repeat(tr.Decisions, 4)...)) {
				four.Add(row)
			}
			tr.Decisions[0].Calls = []event.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}, {Tool: "d"}}
			one.Add(tr)
		}
		return tried{saw(named(four.Randomized(), estimators.RandomizedContinuation, ""), 0), saw(named(one.Randomized(), estimators.RandomizedContinuation, ""), 0)}
	})
	wrong.failsBelow(t, 0.75)
}

// TestD3c: a reviewer replaces delete by archive where things stand badly. The
// tool that ran is no group, for the draw has made it what it is.
func TestD3c(t *testing.T) {
	spec := specOf(t, plain+"    groups: [{dimension: ran, expr: state.ran}, {dimension: tool, expr: action.tool}]\n")
	wrong, _ := trap(t, 7, 0, func(rng *rand.Rand) tried {
		m := estimators.New(spec)
		for k := range 400 {
			u := rng.NormFloat64()
			proposed := []string{"delete", "archive"}[rng.IntN(2)]
			d := decide(rng, proposed, 0.5)
			ran := proposed
			if d.Assignment.Arm == review && u < 0 {
				ran = "archive"
			}
			d.State = append(d.State, text("ran", ran+"d"))
			m.Add(ended(fmt.Sprint(k), u+0.6*rng.NormFloat64(), d))
		}
		all := m.Randomized()
		return tried{saw(named(all, estimators.RandomizedContinuation, "archived"), 0), saw(named(all, estimators.RandomizedContinuation, "archive"), 0)}
	})
	wrong.failsBelow(t, 0.6)
}
