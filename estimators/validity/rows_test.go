package validity

import (
	"fmt"
	"math/rand/v2"

	"blipd/estimators"
	"blipd/event"
)

// The arms of every world here.
const (
	control = "direct"
	review  = "review"
)

// weight is W = 1{A=m}/p_m - 1{A=0}/p_0.
func weight(d *event.Decision) float64 {
	for _, p := range d.Assignment.Probabilities {
		if p.Arm == d.Assignment.Arm {
			if p.Arm == control {
				return -1 / p.P
			}
			return 1 / p.P
		}
	}
	panic("an arm without a probability")
}

// assigned is a draw that was made, with the probability that was logged.
func assigned(reviewed bool, p float64) event.Assignment {
	arm := control
	if reviewed {
		arm = review
	}
	return event.Assignment{Given: true, Arm: arm, Probabilities: []event.Probability{{Arm: control, P: 1 - p}, {Arm: review, P: p}}}
}

// decide is a decision of one call, drawn with probability p.
func decide(rng *rand.Rand, tool string, p float64, state ...event.Member) event.Decision {
	return event.Decision{Calls: []event.Call{{Tool: tool}}, State: state, Assignment: assigned(rng.Float64() < p, p)}
}

func number(name string, x float64) event.Member {
	return event.Member{Name: name, Value: event.NumberOf(x)}
}

func text(name, s string) event.Member { return event.Member{Name: name, Value: event.TextOf(s)} }

// ended is a trajectory with its outcome.
func ended(id string, score float64, decisions ...event.Decision) *event.Trajectory {
	t := &event.Trajectory{ID: id, Decisions: decisions}
	for i := range t.Decisions {
		t.Decisions[i].Index = i + 1
	}
	t.Hold(event.Held{Name: "score", Final: event.Valued{Given: true, Value: score}})
	return t
}

// split makes a trajectory of each decision, as if they had nothing in common:
// how an analysis of rows sees them.
func split(t *event.Trajectory) (all []*event.Trajectory) {
	for i, d := range t.Decisions {
		all = append(all, ended(fmt.Sprint(t.ID, "/", i), t.Outcomes[0].Final.Value, d))
	}
	return all
}

// sums are the moments of trajectories.
func sums(spec *estimators.Spec, ts ...*event.Trajectory) *estimators.Moments {
	m := estimators.New(spec)
	for _, t := range ts {
		m.Add(t)
	}
	return m
}

// named is the estimate of a group of an estimand; "" as group is of the arm
// review over all rows.
func named(all []estimators.Estimate, estimand, group string) *estimators.Estimate {
	for i := range all {
		if e := &all[i]; e.Estimand == estimand && e.Arm == review && (e.Group == group || group == "" && e.Dimension == estimators.All) {
			return e
		}
	}
	return nil
}

// saw is an estimate beside the truth.
func saw(e *estimators.Estimate, truth float64) looked {
	if e == nil || e.Status != estimators.OK {
		return looked{}
	}
	return looked{ok: true, value: e.Value, se: e.StdError, in: e.Low <= truth && truth <= e.Up}
}

// guess is an estimate made by hand, with the interval of the normal.
func guess(value, se, truth float64) looked {
	return looked{ok: true, value: value, se: se, in: value-1.96*se <= truth && truth <= value+1.96*se}
}
