package event_test

import (
	"reflect"
	"testing"

	"blipd/event"
)

// common are the forms that must go the fast way, and allocate nothing.
var common = map[string]message{
	"the contract's decision": {value: contractDecision},
	"a state of twelve":       {value: wideDecision},
	"all members":             {value: `{"type":"decision","experiment":"retail","trajectory_id":"c1","decision_id":"d1","index":7,"time":"2026-11-29T11:00:07.25+01:00","agent":{"name":"n","version":"1","model":"m"},"action":{"tool":"t","capability":"c"},"state":{"a":1,"b":0.30000000000000004,"c":true,"d":false,"e":"text","f":null,"g":-0.0,"h":"日本"},"eligible":true,"assignment":{"arm":"review","probabilities":{"review":0.65,"direct":0.35},"policy":"router@31","draw":0.5,"forced":false,"holdback":true},"scores":{"judge":0.72,"b":1e-7,"a":-0.0},"new":{"x":[1,{"y":"a\n\u00e9"}]},"newer":null}`},
	"smallest decision":       {value: decision("")},
	"several calls":           {value: `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z","action":{"calls":[{"tool":"b","capability":"write"},{"tool":"a"}]}}`},
	"written by Python":       {value: `{"type": "decision", "trajectory_id": "c1", "index": 7, "time": "2026-11-29T10:00:07.123456+00:00", "action": {"tool": "cancel"}, "state": {"b": 1, "a": 2.5, "c": null}}` + "\n"},
	"type last":               {value: `{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z","index":1,"action":{"tool":"t"},"type":"decision"}`},
	"intervention":            {value: intervention(`,"index":3,"delivered":true,"verdict":"modify","reviewer":{"kind":"human","name":"n","version":"2"},"cost":{"seconds":95,"usd":0,"tokens":12.5},"time":"x"`)},
	"outcome":                 {value: outcome(`,"outcomes":{"success":1,"minutes":-7.5e3},"revision":2,"final":false,"source":{"kind":"label","name":"n","version":"3"}`)},
	"end":                     {value: end(`,"decisions":7,"reason":"done"`)},
	"byte order mark":         {value: "\xef\xbb\xbf" + end("")},
	"structured":              {value: structured("blipd.decision.v1", `,"datacontenttype":"application/json","subject":"s","data":`+contractDecision)},
	"structured, data first":  {value: `{"data":` + contractDecision + `,"specversion":"1.0","type":"blipd.decision.v1","time":"2026-11-29T10:00:07Z"}`},
	"structured by header":    {value: structured("blipd.end.v1", `,"time":"2026-11-29T10:00:07Z","data":{"trajectory_id":"c1"}`), headers: []string{"content-type: application/cloudevents+json"}},
	"binary": {value: contractDecision, headers: []string{"ce_specversion: 1.0", "ce_type: blipd.decision.v1", "ce_id: 1", "ce_source: /agents",
		"ce_time: 2026-11-29T10:00:07Z", "content-type: application/json", "traceparent: 00-1"}},
	"bare with headers": {value: contractDecision, headers: []string{"content-type: application/json", "traceparent: 00-1"}},
}

func TestReadCommon(t *testing.T) {
	for name, in := range common {
		t.Run(name, func(t *testing.T) {
			d := event.Decoder{Schema: door, Keyless: true}
			r := event.NewReader(d)
			rec := in.record()
			agreeAgain(t, &d, r, rec)
			if r.Given() != 0 {
				t.Fatal("given to the decoder")
			}
			var e event.Event
			if n := testing.AllocsPerRun(100, func() { r.Read(rec, &e) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// TestReadShort reads the short form, which needs another schema.
func TestReadShort(t *testing.T) {
	d := event.Decoder{Schema: several, Keyless: true}
	r := event.NewReader(d)
	var e event.Event
	for _, experiment := range []string{"retail", "airline"} {
		for _, drawn := range []string{"0", "1"} {
			rec := message{value: decision(`,"experiment":"` + experiment + `","treatment":` + drawn + `,"probability":0.25`)}.record()
			agreeAgain(t, &d, r, rec)
			if n := testing.AllocsPerRun(100, func() { r.Read(rec, &e) }); n != 0 || r.Given() != 0 {
				t.Errorf("%s: %v allocations, %d given to the decoder", rec.Value, n, r.Given())
			}
		}
	}
}

// TestReadMany reads texts of very many values without allocating for them.
func TestReadMany(t *testing.T) {
	d := event.Decoder{Schema: door, Keyless: true}
	r := event.NewReader(d)
	var records []event.Record
	for i := range 500 {
		id := string([]byte{byte('a' + i%26), byte('a' + i/26), 'x'})
		records = append(records, message{value: decision(`,"decision_id":"` + id + `","state":{"user":"` + id + id + `","n":1}`)}.record())
	}
	var e event.Event
	read := func() {
		for _, rec := range records {
			if fault := r.Read(rec, &e); fault != nil {
				t.Fatal(fault)
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(5, read); n != 0 || r.Given() != 0 {
		t.Errorf("%v allocations, %d given to the decoder", n, r.Given())
	}
}

// TestReadLifetime shows what the next Read overwrites: the payload and the
// lists, which are used again, and nothing of the record. Texts that are known
// outlive both; ids lie over the record.
func TestReadLifetime(t *testing.T) {
	d := event.Decoder{Schema: door, Keyless: true}
	r := event.NewReader(d)
	one := message{value: contractDecision}.record()
	two := message{value: outcome(`,"outcomes":{"success":1}`)}.record()
	three := message{value: decision(`,"decision_id":"d3","state":{"x":3}`)}.record()
	var first, second, third event.Event
	for range 3 {
		r.Read(one, &first)
		r.Read(two, &second)
	}
	r.Read(one, &first)
	want, _ := d.Decode(one)
	if !reflect.DeepEqual(first, want) {
		t.Fatalf("read as %+v", first)
	}
	tool, experiment := first.Decision.Calls[0].Tool, first.Experiment
	r.Read(two, &second) // another payload
	if wantSecond, _ := d.Decode(two); !reflect.DeepEqual(second, wantSecond) {
		t.Fatalf("read as %+v", second)
	}
	r.Read(three, &third)
	if wantThird, _ := d.Decode(three); !reflect.DeepEqual(third, wantThird) || first.Decision != third.Decision {
		t.Fatalf("read as %+v", third)
	}
	spoilBytes(one.Value)
	spoilBytes(three.Value)
	if tool != "cancel_order" || experiment != "retail" || want.Trajectory != "conv_5j66" {
		t.Errorf("%q, %q, %q", tool, experiment, want.Trajectory)
	}
	if first.Trajectory != "#########"[:len(first.Trajectory)] || third.Decision.ID != "##" {
		t.Errorf("%q and %q do not lie over their records", first.Trajectory, third.Decision.ID)
	}
	if fault := r.Read(event.Record{Value: []byte("{}")}, &third); fault == nil || !reflect.DeepEqual(third, event.Event{}) {
		t.Errorf("%v beside %+v", fault, third)
	}
}
