package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blipd/event"
)

// TestCentredOffset: a million spreads added to an outcome and to a moderator
// move no number, where their ranges are centred on them.
func TestCentredOffset(t *testing.T) {
	const offset = 1e6
	spec := blipSpec(1, false, false)
	moved := blipSpec(1, false, false)
	moved.Experiment.Outcomes = append([]event.OutcomeRule(nil), spec.Experiment.Outcomes...)
	moved.Experiment.Outcomes[0].Low += offset
	moved.Experiment.Outcomes[0].Up += offset
	moved.Features = append([]Feature(nil), spec.Features...)
	moved.Features[2].Low += offset
	moved.Features[2].Up += offset
	half := moved.Policies[1].Intervene.Eval
	moved.Policies[1].Intervene.Eval = func(p *Point) event.Value {
		shifted := *p.Decision
		shifted.State = shift(p.Decision.State, -offset)
		q := *p
		q.Decision = &shifted
		return half(&q)
	}
	a, b := New(spec), New(moved)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(101, 103)), spec, 400) {
		for i := range tr.Decisions { // to where both are the same numbers
			tr.Decisions[i].State = shift(shift(tr.Decisions[i].State, offset), -offset)
		}
		score := tr.Held("score")
		score.Final.Value = score.Final.Value + offset - offset
		tr.Hold(score)
		a.Add(tr)
		other := *tr
		other.Outcomes = append([]event.Held(nil), tr.Outcomes...)
		score.Final.Value += offset
		other.Hold(score)
		other.Decisions = append([]event.Decision(nil), tr.Decisions...)
		for i := range other.Decisions {
			other.Decisions[i].State = shift(other.Decisions[i].State, offset)
		}
		b.Add(&other)
	}
	compare(t, b.Report().Estimates, a.Report().Estimates, 1e-9)
}

// shift adds x to the number s of a state.
func shift(state []event.Member, x float64) []event.Member {
	out := append([]event.Member(nil), state...)
	for i := range out {
		if out[i].Name == "s" {
			out[i].Value.Num += x
		}
	}
	return out
}

// TestOffsetIsRefused: an outcome that lies ever further from zero and has no range
// is refused before a standard error is wrong by 1e-6 of itself.
func TestOffsetIsRefused(t *testing.T) {
	spec := blipSpec(1, false, false)
	spec.Experiment.Outcomes = slices.Clone(spec.Experiment.Outcomes)
	for i := range spec.Experiment.Outcomes {
		spec.Experiment.Outcomes[i].Ranged = false
	}
	panel := drawPanel(rand.New(rand.NewPCG(101, 103)), spec, 400)
	at := func(offset float64) map[string]Estimate {
		m := New(spec)
		for _, tr := range panel {
			moved := *tr
			moved.Outcomes = slices.Clone(tr.Outcomes)
			score := moved.Held("score")
			score.Final.Value += offset
			moved.Hold(score)
			m.Add(&moved)
		}
		all := map[string]Estimate{}
		for _, e := range m.Report().Estimates {
			if e.Outcome == "score" {
				all[fmt.Sprint(e.Estimand, e.Arm, e.Dimension, e.Group, e.Policy, e.Term)] = e
			}
		}
		return all
	}
	exact := at(0)
	for k := range 15 {
		refused, value := 0, 0
		for key, e := range at(math.Pow10(k)) {
			was := exact[key]
			if was.Status != OK {
				continue
			}
			value++
			if e.Status != OK {
				refused++
			} else if math.Abs(e.StdError/was.StdError-1) > 1e-6 {
				t.Errorf("at 1e%d the standard error of %s is %v, not %v", k, key, e.StdError, was.StdError)
			}
		}
		if k <= 2 && refused > 0 || k >= 10 && refused < value {
			t.Errorf("at 1e%d %d of %d are refused", k, refused, value)
		}
	}
}
