package estimators

import (
	"fmt"
	"slices"
	"testing"

	"blipd/event"
)

// TestPoolingCountsClustersOnce: two rare levels that the same nine
// trajectories visit have nine clusters together, not eighteen, so that the
// next smallest level joins them.
func TestPoolingCountsClustersOnce(t *testing.T) {
	for _, clustered := range []bool{false, true} {
		spec := blipSpec(1, clustered, false)
		m := New(spec)
		add := func(i int, tools ...string) {
			tr := &event.Trajectory{ID: fmt.Sprint("t", i)}
			for k, tool := range tools {
				tr.Decisions = append(tr.Decisions, event.Decision{Index: k + 1, Calls: []event.Call{{Tool: tool}},
					Assignment: event.Assignment{Given: true, Arm: "direct", Probabilities: []event.Probability{{Arm: "direct", P: .5}, {Arm: "review1", P: .5}}}})
			}
			tr.Hold(event.Held{Name: "score", Final: event.Valued{Given: true}})
			tr.Hold(event.Held{Name: "success", Final: event.Valued{Given: true}})
			m.Add(tr)
		}
		for i := range 9 {
			add(i, "rare", "rarer", "common", "frequent")
		}
		for i := range 3 {
			add(100+i, "common", "frequent")
		}
		add(200, "frequent")
		got := m.pool(m.panels[0], spec.Blip)
		if want := []string{"common", "rare", "rarer"}; !slices.Equal(got.pooled, want) {
			t.Errorf("clustered %v: pooled %q, want %q", clustered, got.pooled, want)
		}
		if want := []string{"s", "prior", "tool=frequent", "tool=(pooled)"}; !slices.Equal(got.names, want) {
			t.Errorf("clustered %v: columns %q, want %q", clustered, got.names, want)
		}
	}
}
