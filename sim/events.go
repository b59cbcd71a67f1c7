package sim

import (
	"fmt"
	"iter"
	"math"
	"time"

	"blipd/event"
)

// The clock of a scenario: gaps are exponential, whole milliseconds, at least
// one, and have these means.
const (
	betweenStarts  = 6 * time.Second
	betweenSteps   = 7 * time.Second
	beforeOutcome  = time.Minute
	lastTime       = event.Time(math.MaxInt64)
	writtenDigits  = 6 // decimals of numbers in events
	scenarioDigits = 7 // of the number in a trajectory's id, and more when needed
)

var beginning = event.TimeOf(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))

// Events are the log of n trajectories, in time order, several in flight at
// once: about a dozen. It starts at 2026-11-01T00:00:00Z. Equal seeds give equal
// logs, and the same histories in every scenario.
func (s Scenario) Events(n int, seed uint64) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		var q queue
		due := func(t event.Time) bool {
			for {
				p, ok := q.next(t)
				if !ok {
					return true
				}
				if !yield(p.event) {
					return false
				}
			}
		}
		for t := range s.Trajectories(n, seed) {
			if !due(t.First - 1) {
				return
			}
			for i := range t.Decisions {
				d := &t.Decisions[i]
				q.put(pending{at: d.Time, event: event.Event{Type: event.TypeDecision, Trajectory: t.ID, Time: d.Time, Decision: d}})
			}
			var o event.Outcome
			for _, h := range t.Outcomes {
				o.Values = append(o.Values, event.Measured{Name: h.Name, Value: h.Final.Value})
			}
			q.put(pending{at: t.Last, event: event.Event{Type: event.TypeOutcome, Trajectory: t.ID, Time: t.Last, Outcome: &o}})
		}
		due(lastTime)
	}
}

// Trajectories are what the events of Events add up to, by their start.
func (s Scenario) Trajectories(n int, seed uint64) iter.Seq[*event.Trajectory] {
	return func(yield func(*event.Trajectory) bool) {
		clock := newSource(seed, clockStream)
		start := beginning
		i := 0
		for r := range s.Runs(n, seed, Collection()) {
			start = start.Add(clock.gap(betweenStarts))
			if !yield(s.trajectory(i, r, clock, start)) {
				return
			}
			i++
		}
	}
}

func (s Scenario) trajectory(i int, r *Run, clock *source, start event.Time) *event.Trajectory {
	t := &event.Trajectory{ID: fmt.Sprintf("%s-%0*d", s.Name, scenarioDigits, i), First: start, Last: start}
	t.Decisions = make([]event.Decision, len(r.Steps))
	for k := range r.Steps {
		if k > 0 {
			t.Last = t.Last.Add(clock.gap(betweenSteps))
		}
		d := &t.Decisions[k]
		*d = r.Steps[k].decision(k + 1)
		d.ID, d.Time = fmt.Sprintf("d%d-%d", i, k+1), t.Last
	}
	t.Last = t.Last.Add(clock.gap(beforeOutcome))
	t.Hold(event.Held{Name: s.Outcome, Final: event.Valued{Given: true, Value: written(r.Outcome)}})
	return t
}

// decision is a step as the agent's router would report it.
func (s *Step) decision(index int) event.Decision {
	tool := worldTools[s.Tool]
	arm := directArm
	if s.Reviewed {
		arm = reviewArm
	}
	return event.Decision{
		Index: index,
		Agent: event.Agent{Name: "sim", Version: "1"},
		Calls: []event.Call{{Tool: tool.name, Capability: tool.capability}},
		State: []event.Member{
			{Name: "r", Value: event.NumberOf(s.R)},
			{Name: "s", Value: event.NumberOf(written(s.S))},
		},
		Assignment: event.Assignment{Given: true, Arm: arm, Probabilities: probabilities(tool.reviewed)},
	}
}

// probabilities are those of both arms, as decimals that sum to 1.
func probabilities(reviewed float64) []event.Probability {
	return []event.Probability{{Arm: directArm, P: written(1 - reviewed)}, {Arm: reviewArm, P: reviewed}}
}

func written(x float64) float64 { return round(x, writtenDigits) }

// gap is an exponential time with a mean.
func (s *source) gap(mean time.Duration) time.Duration {
	return milliseconds(float64(mean.Milliseconds()) * s.exponential())
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(max(1, math.Round(ms))) * time.Millisecond
}
