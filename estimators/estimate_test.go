package estimators

import (
	"encoding/json"
	"reflect"
	"testing"

	"blipd/event"
)

// TestReportRoundTrip: a report that is read back is the one that was written,
// with its numbers to the last bit.
func TestReportRoundTrip(t *testing.T) {
	in := Report{
		Experiment: "x", ConfigHash: "h", Epoch: 2, Scope: Closed, AsOf: 1_800_000_000_123_456_789, CompleteTo: event.NoTime,
		Trajectories: 3, Decisions: 4, Censored: 5, Open: 6, OpenShare: 0.1,
		Estimates: []Estimate{
			{Estimand: RandomizedContinuation, Outcome: "o", Arm: "a", Dimension: "d", Group: "g\n\"", Status: OK,
				Value: 0, StdError: 0.1 + 0.2, Low: -1e-300, Up: 1, DF: 9.5, SequenceLow: -2, SequenceUp: 2, Decisions: 7, Trajectories: 8, EffectiveTrajectories: 7.9},
			{Estimand: RandomizedContinuation, Outcome: "o", Arm: "a", Dimension: "d", Group: "h", Status: InsufficientData, Reason: FewTrajectories, Decisions: 1, Trajectories: 1, EffectiveTrajectories: 1},
		},
		Health:   []Check{{Name: "assignment", OK: true, Value: 1, Detail: "d"}},
		Rejected: map[string]int64{"late": 1}, NotRandomized: map[string]int64{}, Missing: map[string]int64{}, OutOfBounds: map[string]int64{},
	}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := Report{CompleteTo: event.NoTime}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("read back\n%+v, wrote\n%+v\nas %s", out, in, b)
	}
}
