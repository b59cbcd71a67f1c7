package daemon

import (
	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// ledger fits estimators.Moments to what state calls a Ledger.
type ledger struct{ moments *estimators.Moments }

var _ state.Ledger = ledger{}

func (l ledger) Add(t *event.Trajectory)    { l.moments.Add(t) }
func (l ledger) Remove(t *event.Trajectory) { l.moments.Remove(t) }
func (l ledger) Merge(o state.Ledger)       { l.moments.Merge(o.(ledger).moments) }

func (l ledger) AppendBinary(b []byte) ([]byte, error) { return l.moments.AppendBinary(b) }
func (l ledger) UnmarshalBinary(b []byte) error        { return l.moments.UnmarshalBinary(b) }

// stateOptions is what a partition of state goes by.
func (c *Config) stateOptions() state.Options {
	o := state.Options{Limits: c.Limits.State, Letters: c.Outputs.DeadLetters != ""}
	for _, e := range c.Experiments {
		o.Rules = append(o.Rules, e.Rules)
	}
	o.NewLedger = func(x int, late bool, policies []string) state.Ledger {
		return ledger{estimators.New(c.Experiments[x].Spec.Part(late, policies))}
	}
	o.NewLearner = func(x int) state.Learner {
		if spec := &c.Experiments[x].Spec; spec.Learning != nil {
			return estimators.NewLearner(spec)
		}
		return nil
	}
	return o
}
