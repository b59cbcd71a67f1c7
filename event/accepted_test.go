package event_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/event"
)

func at(s string) event.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return event.TimeOf(t)
}

var ten = at("2026-11-29T10:00:07Z")

// aDecision is what decision("") of the tables decodes to, after a change.
func aDecision(change func(*event.Event, *event.Decision)) event.Event {
	d := &event.Decision{Index: 7, Time: ten, Calls: []event.Call{{Tool: "cancel"}}}
	e := event.Event{Type: event.TypeDecision, Trajectory: "c1", Time: ten, Decision: d}
	if change != nil {
		change(&e, d)
	}
	return e
}

func anEnd(t event.Time) event.Event {
	return event.Event{Type: event.TypeEnd, Trajectory: "c1", Time: t, End: &event.End{}}
}

func anOutcome(o event.Outcome) event.Event {
	return event.Event{Type: event.TypeOutcome, Trajectory: "c1", Time: ten, Outcome: &o}
}

func anIntervention(i event.Intervention) event.Event {
	return event.Event{Type: event.TypeIntervention, Trajectory: "c1", Time: event.NoTime, Intervention: &i}
}

// full is the example of the contract, with everything that it leaves out.
const full = `{"type":"decision","experiment":"retail","trajectory_id":"conv_5j66","decision_id":"call_ms7u","index":7,` +
	`"time":"2026-11-29T11:00:07.25+01:00","agent":{"name":"retail","version":"1.4","model":"m"},` +
	`"action":{"tool":"cancel_order","capability":"order_write"},` +
	`"state":{"prior_failures":1,"progress":0.85,"loop":true,"fresh":false,"user":"ü\u0000","gone":null},"eligible":true,` +
	`"assignment":{"arm":"review","probabilities":{"review":0.65,"direct":0.35},"policy":"router@31","draw":0.5,"forced":false,"holdback":true},` +
	`"scores":{"judge":0.72,"b":1e-7,"a":-0.0},"new":{"x":[1,{}]}}`

var fullEvent = event.Event{
	Type: event.TypeDecision, Experiment: "retail", Trajectory: "conv_5j66", Time: ten + 250e6,
	Decision: &event.Decision{
		ID: "call_ms7u", Index: 7, Time: ten + 250e6,
		Agent: event.Agent{Name: "retail", Version: "1.4", Model: "m"},
		Calls: []event.Call{{Tool: "cancel_order", Capability: "order_write"}},
		State: []event.Member{{Name: "fresh", Value: event.BoolOf(false)}, {Name: "loop", Value: event.BoolOf(true)},
			{Name: "prior_failures", Value: event.NumberOf(1)}, {Name: "progress", Value: event.NumberOf(0.85)},
			{Name: "user", Value: event.TextOf("ü\x00")}},
		Scores: []event.Member{{Name: "a", Value: event.NumberOf(0)}, {Name: "b", Value: event.NumberOf(1e-7)},
			{Name: "judge", Value: event.NumberOf(0.72)}},
		Assignment: event.Assignment{
			Given: true, Arm: "review",
			Probabilities: []event.Probability{{Arm: "direct", P: 0.35}, {Arm: "review", P: 0.65}},
			Policy:        "router@31", Draw: event.Draw{Given: true, U: 0.5}, Holdback: true,
		},
	},
}

// short is the decision of the tables with an arm and two probabilities.
func short(experiment, arm string, direct, review float64) event.Event {
	return aDecision(func(e *event.Event, d *event.Decision) {
		e.Experiment = experiment
		d.Assignment = event.Assignment{Given: true, Arm: arm,
			Probabilities: []event.Probability{{Arm: "direct", P: direct}, {Arm: "review", P: review}}}
	})
}

type acceptedCase struct {
	name   string
	in     message
	schema *event.Schema // door unless given
	keyed  bool
	want   event.Event
}

var acceptedForms = []acceptedCase{
	{name: "bare", in: message{key: "conv_5j66", value: full}, keyed: true, want: fullEvent},
	{name: "bare after a byte order mark", in: message{value: "\xef\xbb\xbf" + full}, want: fullEvent},
	{name: "bare with white space", in: message{value: " \n" + full + "\r\n"}, want: fullEvent},
	{name: "bare with headers of its own", want: fullEvent,
		in: message{value: full, headers: []string{"traceparent: 00", "content-type: text/plain", "ce_type: x"}}},
	{name: "structured", in: message{value: structured("blipd.decision.v1", `,"data":`+full)}, want: fullEvent},
	{name: "structured by its header", want: fullEvent,
		in: message{value: structured("blipd.decision.v1", `,"datacontenttype":"application/JSON; charset=utf-8","data":`+full),
			headers: []string{"Content-Type: Application/CloudEvents+JSON; charset=UTF-8"}}},
	{name: "structured before binary", want: fullEvent,
		in: message{value: structured("blipd.decision.v1", `,"data":`+full),
			headers: []string{"ce_specversion: 1.0", "content-type: application/cloudevents+json"}}},
	{name: "binary", want: fullEvent,
		in: message{value: full, headers: []string{"ce_specversion: 1.0", "CE_TYPE: blipd.decision.v1", "content-type: application/json", "ce_id: 1"}}},
	{name: "binary of a JSON type of its own", want: fullEvent,
		in: message{value: full, headers: []string{"ce_specversion: 1.0", "ce_type: blipd.decision.v1", "content-type: application/vnd.blipd+json;v=1"}}},
	{name: "binary with an attribute twice the same", want: fullEvent,
		in: message{value: full, headers: []string{"ce_specversion: 1.0", "Ce_Specversion: 1.0", "ce_type: blipd.decision.v1"}}},
	{name: "time of the envelope", want: anEnd(ten),
		in: message{value: structured("blipd.end.v1", `,"time":"2026-11-29T10:00:07Z","data":{"trajectory_id":"c1"}`)}},
	{name: "time of a header", want: anEnd(ten),
		in: message{value: `{"trajectory_id":"c1"}`, headers: []string{"ce_specversion: 1.0", "ce_type: blipd.end.v1", "ce_time: 2026-11-29T10:00:07Z"}}},
	{name: "time of the data before that of the envelope", want: anEnd(ten),
		in: message{value: structured("blipd.end.v1", `,"time":5,"data":{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z"}`)}},
	{name: "type in the data is not known", want: anEnd(ten),
		in: message{value: structured("blipd.end.v1", `,"data":{"type":null,"Type":1,"trajectory_id":"c1","time":"2026-11-29T10:00:07Z"}`)}},
}

var acceptedMembers = []acceptedCase{
	{name: "smallest decision", in: message{value: decision("")}, want: aDecision(nil)},
	{name: "named by its id", in: message{value: `{"type":"decision","trajectory_id":"c1","time":"2026-11-29t10:00:07z","action":{"tool":"cancel"},"decision_id":"d1"}`},
		want: aDecision(func(_ *event.Event, d *event.Decision) { d.Index, d.ID = 0, "d1" })},
	{name: "empty is left out", in: message{value: decision(`,"experiment":"","decision_id":"","agent":{},"state":{"x":null},"scores":{}`)}, want: aDecision(nil)},
	{name: "an assignment that says nothing is one", in: message{value: decision(`,"assignment":{"arm":"","probabilities":{}}`)},
		want: aDecision(func(_ *event.Event, d *event.Decision) { d.Assignment.Given = true })},
	{name: "probabilities that make no row", in: message{value: decision(`,"assignment":{"arm":"x","probabilities":{"direct":-3,"y":1e300}}`)},
		want: aDecision(func(_ *event.Event, d *event.Decision) {
			d.Assignment = event.Assignment{Given: true, Arm: "x", Probabilities: []event.Probability{{Arm: "direct", P: -3}, {Arm: "y", P: 1e300}}}
		})},
	{name: "forced", in: message{value: decision(`,"eligible":false,"assignment":{"forced":true,"draw":0}`)},
		want: aDecision(func(_ *event.Event, d *event.Decision) {
			d.Ineligible = true
			d.Assignment = event.Assignment{Given: true, Forced: true, Draw: event.Draw{Given: true}}
		})},
	{name: "several calls", in: message{value: `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z",` +
		`"action":{"tool":"","calls":[{"tool":"b","capability":"write"},{"tool":"a"}]}}`},
		want: aDecision(func(_ *event.Event, d *event.Decision) {
			d.Calls = []event.Call{{Tool: "b", Capability: "write"}, {Tool: "a"}}
		})},
	{name: "one call in a list", in: message{value: `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z",` +
		`"action":{"calls":[{"tool":"cancel"}]}}`}, want: aDecision(nil)},
	{name: "as many members as the limit", in: message{value: decision(`,"state":{"gone":null,` + many(1000, stateMember) + `}`)},
		want: aDecision(func(_ *event.Event, d *event.Decision) {
			for i := range 1000 {
				d.State = append(d.State, event.Member{Name: fmt.Sprintf("s%03d", i), Value: event.NumberOf(float64(i))})
			}
		})},
	{name: "finer than a nanosecond", in: message{value: `{"type":"end","trajectory_id":"c1","time":"2026-11-29T00:00:07.0000000019-10:00"}`},
		want: anEnd(ten + 1)},
	{name: "last time", in: message{value: `{"type":"end","trajectory_id":"c1","time":"2262-04-11T23:47:16.854775807Z"}`}, want: anEnd(1<<63 - 1)},
	{name: "treatment, p of the treatment", schema: several, want: short("retail", "review", 0.75, 0.25),
		in: message{value: decision(`,"experiment":"retail","treatment":1,"probability":0.25`)}},
	{name: "control, p of the treatment", schema: several, want: short("retail", "direct", 0.75, 0.25),
		in: message{value: decision(`,"experiment":"retail","treatment":0,"probability":0.25`)}},
	{name: "treatment, p of the arm", schema: several, want: short("airline", "review", 0.75, 0.25),
		in: message{value: decision(`,"experiment":"airline","treatment":1,"probability":0.25`)}},
	{name: "control, p of the arm", schema: several, want: short("airline", "direct", 0.25, 0.75),
		in: message{value: decision(`,"experiment":"airline","treatment":0,"probability":0.25`)}},
	{name: "intervention", in: message{value: intervention(`,"index":3,"time":"yesterday","experiment":5,"delivered":true,"verdict":"modify",` +
		`"reviewer":{"kind":"human","name":"n","version":"2"},"cost":{"seconds":95,"usd":0,"tokens":12.5}`)},
		want: anIntervention(event.Intervention{DecisionID: "d1", Index: 3, Delivered: event.True, Verdict: "modify",
			Reviewer: event.Source{Kind: "human", Name: "n", Version: "2"},
			Cost:     event.Cost{Seconds: event.Amount{Given: true, N: 95}, USD: event.Amount{Given: true}, Tokens: event.Amount{Given: true, N: 12.5}}})},
	{name: "smallest intervention", in: message{value: intervention(`,"delivered":false,"verdict":"","cost":{}`)},
		want: anIntervention(event.Intervention{DecisionID: "d1", Delivered: event.False})},
	{name: "outcome", in: message{value: outcome(`,"outcomes":{"success":1,"minutes":-7.5e3},"revision":2,"final":false,"source":{"kind":"label","name":"n","version":"3"}`)},
		want: anOutcome(event.Outcome{Values: []event.Measured{{Name: "minutes", Value: -7500}, {Name: "success", Value: 1}},
			Revision: 2, Provisional: true, Source: event.Source{Kind: "label", Name: "n", Version: "3"}})},
	{name: "outcome that waits for its experiment", schema: several, in: message{value: outcome(`,"outcomes":{"reward":5},"final":true,"revision":0`)},
		want: anOutcome(event.Outcome{Values: []event.Measured{{Name: "reward", Value: 5}}})},
	{name: "end", in: message{value: `{"type":"end","trajectory_id":"c1","time":"2026-11-29T10:00:07Z","decisions":0,"reason":"done"}`},
		want: event.Event{Type: event.TypeEnd, Trajectory: "c1", Time: ten, End: &event.End{Counted: true, Reason: "done"}}},
	{name: "end that waits for its experiment", schema: several, in: message{value: `{"type":"end","trajectory_id":"c1","time":"2026-11-29T10:00:07Z"}`},
		want: anEnd(ten)},
	{name: "exclude, with several experiments", schema: several, in: message{value: `{"type":"exclude","trajectory_id":"c1","reason":"test traffic","time":5}`},
		want: event.Event{Type: event.TypeExclude, Trajectory: "c1", Time: event.NoTime, Exclude: &event.Exclude{Reason: "test traffic"}}},
	{name: "exclude in an envelope", in: message{value: `{"specversion":"1.0","type":"blipd.exclude.v1","time":"2026-11-29T10:00:07Z","data":{"trajectory_id":"c1"}}`},
		want: event.Event{Type: event.TypeExclude, Trajectory: "c1", Time: event.NoTime, Exclude: &event.Exclude{}}},
}

func stateMember(i int) string { return fmt.Sprintf(`"s%03d":%d`, i, i) }

func accepted() []acceptedCase { return append(acceptedForms, acceptedMembers...) }

func TestAccepted(t *testing.T) {
	for _, c := range accepted() {
		t.Run(c.name, func(t *testing.T) {
			d := event.Decoder{Schema: c.schema, Keyless: !c.keyed}
			if c.schema == nil {
				d.Schema = door
			}
			rec := c.in.record()
			got, fault := d.Decode(rec)
			if fault != nil {
				t.Fatal(fault)
			}
			clear(rec.Value) // the event shares no memory with it
			clear(rec.Key)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			text := event.AppendJSON(nil, &got)
			again, fault := d.Decode(event.Record{Key: []byte(got.Trajectory), Value: text})
			if fault != nil {
				t.Fatalf("%s: %v", text, fault)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("%s\n-decoded +again\n%s", text, diff)
			}
		})
	}
}

func TestAppendJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		e    event.Event
		want string
	}{
		{"decision", fullEvent, `{"type":"decision","experiment":"retail","trajectory_id":"conv_5j66","decision_id":"call_ms7u","index":7,` +
			`"time":"2026-11-29T10:00:07.25Z","agent":{"name":"retail","version":"1.4","model":"m"},` +
			`"action":{"tool":"cancel_order","capability":"order_write"},` +
			`"state":{"fresh":false,"loop":true,"prior_failures":1,"progress":0.85,"user":"ü\u0000"},` +
			`"assignment":{"arm":"review","probabilities":{"direct":0.35,"review":0.65},"policy":"router@31","draw":0.5,"holdback":true},` +
			`"scores":{"a":0,"b":1e-7,"judge":0.72}}`},
		{"smallest decision", aDecision(nil), `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z","action":{"tool":"cancel"}}`},
		{"intervention", anIntervention(event.Intervention{Index: 2, Delivered: event.False, Cost: event.Cost{USD: event.Amount{Given: true}}}),
			`{"type":"intervention","trajectory_id":"c1","index":2,"delivered":false,"cost":{"usd":0}}`},
		{"outcome", anOutcome(event.Outcome{Values: []event.Measured{{Name: "success", Value: 1}}, Revision: 1, Provisional: true}),
			`{"type":"outcome","trajectory_id":"c1","time":"2026-11-29T10:00:07Z","outcomes":{"success":1},"revision":1,"final":false}`},
		{"end", event.Event{Type: event.TypeEnd, Trajectory: "c1", Time: ten, End: &event.End{Counted: true, Reason: "done"}},
			`{"type":"end","trajectory_id":"c1","time":"2026-11-29T10:00:07Z","decisions":0,"reason":"done"}`},
		{"exclude", event.Event{Type: event.TypeExclude, Trajectory: "c1", Time: event.NoTime, Exclude: &event.Exclude{Reason: "gone"}},
			`{"type":"exclude","trajectory_id":"c1","reason":"gone"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(event.AppendJSON([]byte("before "), &c.e)); got != "before "+c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}
