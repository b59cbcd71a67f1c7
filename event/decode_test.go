package event_test

import (
	"strings"
	"testing"

	"blipd/event"
)

// door is the schema of most tables: one experiment without a short form, with
// one outcome in a range and one without.
var door = &event.Schema{Experiments: []event.Experiment{{
	Name: "retail", Control: "direct", Interventions: []string{"review"}, MinProbability: 1e-4,
	Outcomes: []event.OutcomeRule{
		{Name: "success", Low: 0, Up: 1, Ranged: true, Required: true},
		{Name: "minutes"},
	},
}}}

// several has a second experiment with three arms and outcomes of its own, and
// gives the short form its two meanings.
var several = &event.Schema{Experiments: []event.Experiment{
	{Name: "retail", Control: "direct", Interventions: []string{"review"}, ProbabilityOf: event.OfTreatment,
		Outcomes: []event.OutcomeRule{{Name: "success", Low: 0, Up: 1, Ranged: true, Required: true}}},
	{Name: "airline", Control: "direct", Interventions: []string{"review"}, ProbabilityOf: event.OfArm,
		Outcomes: []event.OutcomeRule{{Name: "reward", Low: -1, Up: 1, Ranged: true, Required: true}}},
	{Name: "triage", Control: "none", Interventions: []string{"llm", "human"}, ProbabilityOf: event.OfArm,
		Outcomes: []event.OutcomeRule{{Name: "solved", Required: true}}},
}}

// message is a record in a table: without key unless one is given, and with
// headers written "name: value".
type message struct {
	key     string
	value   string
	headers []string
}

func (m message) record() event.Record {
	rec := event.Record{Value: []byte(m.value)}
	if m.key != "" {
		rec.Key = []byte(m.key)
	}
	for _, h := range m.headers {
		name, value, _ := strings.Cut(h, ": ")
		rec.Headers = append(rec.Headers, event.Header{Key: name, Value: []byte(value)})
	}
	return rec
}

// decision is an accepted decision with more members put in.
func decision(members string) string {
	return `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z","action":{"tool":"cancel"}` + members + `}`
}

func outcome(members string) string {
	return `{"type":"outcome","trajectory_id":"c1","time":"2026-11-29T10:00:07Z"` + members + `}`
}

func intervention(members string) string {
	return `{"type":"intervention","trajectory_id":"c1","decision_id":"d1"` + members + `}`
}

func structured(typ, members string) string {
	return `{"specversion":"1.0","id":"1","source":"/agents","type":"` + typ + `"` + members + `}`
}

// many is an object of n members, or of n others put in commas.
func many(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, ",")
}

// TestFaults holds, for every reason that the decoder has, the whole text that
// a producer sees: the member, what it held, the rule, what to send instead.
func TestFaults(t *testing.T) {
	seen := map[event.Reason]bool{}
	for _, c := range faults() {
		t.Run(c.name, func(t *testing.T) {
			d := event.Decoder{Schema: c.schema, Keyless: !c.keyed}
			if c.schema == nil {
				d.Schema = door
			}
			e, fault := d.Decode(c.in.record())
			if fault == nil {
				t.Fatalf("accepted as %+v", e)
			}
			seen[fault.Reason] = true
			if got := fault.Error(); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
	elsewhere := map[event.Reason]bool{event.Tombstone: true, // of a nil value, below
		event.Conflict: true, event.Late: true, event.Duplicate: true, event.StaleRevision: true, event.Excluded: true} // of the state fold
	for _, r := range event.Reasons() {
		if !seen[r] && !elsewhere[r] {
			t.Errorf("no case for %v", r)
		}
	}
}

func TestTombstone(t *testing.T) {
	d := event.Decoder{Schema: door}
	_, fault := d.Decode(event.Record{Key: []byte("c1")})
	if fault == nil || fault.Error() != "tombstone: the record has no value; nothing is deleted by it" {
		t.Errorf("got %v", fault)
	}
}
