package cli

import (
	"iter"
	"slices"
	"testing"

	"blipd/event"
)

func firstEvents(w workload, n int) iter.Seq[*event.Event] {
	return func(yield func(*event.Event) bool) {
		for e := range w.events() {
			if n--; n < 0 || !yield(e) {
				return
			}
		}
	}
}

// TestWorkload: the workload is what its figures are said to be about, and the
// same each time.
func TestWorkload(t *testing.T) {
	w := workload{trajectories: 700, lanes: 50, decisions: workDecisions, outcome: true, features: workFeatures}
	cfg, err := w.configuration(&job{}, dimensions...)
	if err != nil {
		t.Fatal(err)
	}
	door := event.Decoder{Schema: cfg.Schema()}
	var first, again [][]byte
	tools, capabilities, stages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	decided, ended := map[string]int{}, map[string]bool{}
	bytes, last := 0, event.NoTime
	for key, value := range w.records(1 << 40) {
		first = append(first, value)
		e, fault := door.Decode(event.Record{Key: key, Value: value})
		if fault != nil {
			t.Fatalf("%s: %v", value, fault)
		}
		if ended[e.Trajectory] || last != event.NoTime && e.Time < last {
			t.Fatalf("%s comes after the end of its trajectory, or too early", value)
		}
		last = e.Time
		if e.Type == event.TypeOutcome {
			ended[e.Trajectory] = true
			continue
		}
		d := e.Decision
		if decided[e.Trajectory]++; decided[e.Trajectory] != d.Index || len(d.State) != workFeatures+1 {
			t.Fatalf("%s is decision number %d", value, decided[e.Trajectory])
		}
		bytes += len(value)
		tools[d.Calls[0].Tool], capabilities[d.Calls[0].Capability] = true, true
		stages[d.State[workFeatures].Value.Str] = true
	}
	for _, value := range w.records(1 << 40) {
		again = append(again, value)
	}
	if !slices.EqualFunc(first, again, slices.Equal) {
		t.Error("it is not the same each time")
	}
	if len(ended) != 700 || len(first) != 700*9 {
		t.Errorf("%d events, and %d trajectories have ended, want 6300 and 700", len(first), len(ended))
	}
	if len(tools) != workTools || len(capabilities) != workCapabilities || len(stages) != len(workStages) {
		t.Errorf("%d tools, %d capabilities, %d stages", len(tools), len(capabilities), len(stages))
	}
	if mean := float64(bytes) / (700 * 8); mean < 390 || mean > 430 {
		t.Errorf("a decision has %.0f bytes, want about 400", mean)
	}
}

// TestWorkloadOpen: without outcomes all stay open.
func TestWorkloadOpen(t *testing.T) {
	open := map[string]int{}
	w := workload{trajectories: 100, lanes: 100, decisions: 4, features: workFeatures}
	for e := range w.events() {
		if open[e.Trajectory]++; e.Type != event.TypeDecision || len(e.Trajectory) != 24 {
			t.Fatalf("%+v", e)
		}
	}
	for id, n := range open {
		if n != 4 {
			t.Errorf("%s has %d decisions", id, n)
		}
	}
	if len(open) != 100 {
		t.Errorf("%d trajectories, want 100", len(open))
	}
}
