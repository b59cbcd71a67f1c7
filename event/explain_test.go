package event_test

import (
	"slices"
	"strings"
	"testing"

	"blipd/event"
)

func TestExplain(t *testing.T) {
	d := event.Decoder{Schema: &event.Schema{Experiments: []event.Experiment{{Name: "retail", Control: "direct", Interventions: []string{"review"},
		MinProbability: 1e-4, Outcomes: []event.OutcomeRule{{Name: "success", Ranged: true, Low: 0, Up: 1, Required: true}}}}}, Keyless: true}
	for _, c := range []struct {
		name, value string
		places      string // of the faults, in order
		unknown     string
	}{
		{"nothing wrong", `{"type":"outcome","trajectory_id":"t","time":"2026-11-29T10:00:00Z","outcomes":{"success":1}}`, "", ""},
		{"much wrong", `{"type":"decision","trajectory_id":7,"Experiment":"retail","time":5,"action":{"tool":null},"state":{"a":[1],"b":"x"},"assignment":{"arm":"review","probabilities":{"direct":"0.5","review":0.5},"polcy":"x"},"extra":1}`,
			"Experiment trajectory_id time index action.tool state.a assignment.probabilities.direct", "assignment.polcy extra"},
		{"two outcomes", `{"type":"outcome","trajectory_id":"t","time":"2026-11-29T10:00:00Z","outcomes":{"sucess":1,"success":2}}`, "outcomes.sucess outcomes.success", ""},
		{"no JSON", `{"type":`, "byte", ""},
		{"no type", `{"type":"verdict","trajectory_id":7}`, "type", ""},
		{"an experiment that is not there", `{"type":"decision","experiment":"nowhere","trajectory_id":"t","time":"2026-11-29T10:00:00Z","index":0,"action":{"tool":"x"},"treatment":1,"probability":0.5}`, "experiment index", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := event.Record{Value: []byte(c.value)}
			faults, unknown := d.Explain(rec)
			var places []string
			for _, f := range faults {
				places = append(places, placeOf(f))
			}
			got := strings.Join(places, " ")
			if got != c.places && !(c.places == "byte" && strings.HasPrefix(faults[0].Detail, "byte")) || strings.Join(unknown, " ") != c.unknown {
				t.Errorf("faults at %q, unknown %q; want %q, %q: %v", got, unknown, c.places, c.unknown, faults)
			}
			checkExplained(t, &d, rec)
		})
	}
}

func placeOf(f *event.Fault) string {
	place, _, _ := strings.Cut(f.Detail, " ")
	return place
}

// checkExplained: the first fault is Decode's, and each place is named once.
func checkExplained(t *testing.T, d *event.Decoder, rec event.Record) {
	t.Helper()
	_, fault := d.Decode(rec)
	faults, _ := d.Explain(rec)
	switch {
	case fault == nil && len(faults) > 0:
		t.Errorf("accepted, and yet %v", faults)
	case fault != nil && (len(faults) == 0 || *faults[0] != *fault):
		t.Errorf("decode says %v, explain %v", fault, faults)
	}
	var places []string
	for _, f := range faults {
		places = append(places, placeOf(f))
	}
	slices.Sort(places)
	if n := len(slices.Compact(places)); n != len(faults) {
		t.Errorf("a place is named twice: %v", faults)
	}
}
