package estimators

import (
	"math/rand/v2"
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
