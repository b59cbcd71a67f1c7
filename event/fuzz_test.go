package event_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"blipd/event"
)

// FuzzDecode throws records at the door. It must not panic, must let nothing in
// that checkEvent refuses, must say why not in short and readable words, and
// what it lets in must come back the same from its encoding.
func FuzzDecode(f *testing.F) {
	add := func(c message, keyed bool, schema *event.Schema) {
		rec := c.record()
		var headers []byte
		for _, h := range rec.Headers {
			headers = fmt.Appendf(headers, "%s: %s\n", h.Key, h.Value)
		}
		if len(rec.Value) < 4096 {
			f.Add(rec.Key, rec.Value, headers, keyed, schema == several)
		}
	}
	for _, c := range faults() {
		add(c.in, c.keyed, c.schema)
	}
	for _, c := range accepted() {
		add(c.in, c.keyed, c.schema)
	}
	f.Fuzz(func(t *testing.T, key, value, headers []byte, keyed, two bool) {
		d := event.Decoder{Schema: door, Keyless: !keyed}
		if two {
			d.Schema = several
		}
		rec := event.Record{Key: key, Value: value}
		for line := range bytes.Lines(headers) {
			name, v, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
			rec.Headers = append(rec.Headers, event.Header{Key: string(name), Value: v})
		}
		keptKey, keptValue := bytes.Clone(key), bytes.Clone(value)
		checkExplained(t, &d, rec)
		e, fault := d.Decode(rec)
		if !bytes.Equal(key, keptKey) || !bytes.Equal(value, keptValue) {
			t.Fatal("the record was written to")
		}
		if fault != nil {
			checkFault(t, e, fault)
			return
		}
		checkRecord(t, &d, rec, &e)
		if err := checkEvent(d.Schema, &e); err != nil {
			t.Fatalf("accepted %q: %v", value, err)
		}
		checkFixedPoint(t, &d, &e)
	})
}

func checkFault(t *testing.T, e event.Event, fault *event.Fault) {
	if !reflect.DeepEqual(e, event.Event{}) {
		t.Errorf("an event beside the fault %v", fault)
	}
	if s := fault.Error(); len(s) > 1000 || !utf8.ValidString(s) || fault.Detail == "" || !slices.Contains(event.Reasons(), fault.Reason) {
		t.Errorf("fault %q", s)
	}
}

// checkRecord holds what the bytes of an accepted record must be.
func checkRecord(t *testing.T, d *event.Decoder, rec event.Record, e *event.Event) {
	switch text := bytes.TrimPrefix(rec.Value, []byte("\xef\xbb\xbf")); {
	case !jsontext.Value(text).IsValid() || jsontext.Value(text).Kind() != '{':
		t.Errorf("accepted %q, which is not one object", rec.Value)
	case len(rec.Value) > event.DefaultEvent:
		t.Errorf("accepted %d bytes", len(rec.Value))
	case rec.Key == nil && !d.Keyless:
		t.Error("accepted without a key")
	case rec.Key != nil && string(rec.Key) != e.Trajectory:
		t.Errorf("accepted %q under the key %q", e.Trajectory, rec.Key)
	}
}

func checkFixedPoint(t *testing.T, d *event.Decoder, e *event.Event) {
	text := event.AppendJSON(nil, e)
	roomy := *d.Schema
	roomy.Limits.Event = max(len(text), event.DefaultEvent) // 1e300 is written longer
	again, fault := (&event.Decoder{Schema: &roomy}).Decode(event.Record{Key: []byte(e.Trajectory), Value: text})
	if fault != nil {
		t.Fatalf("%s: %v", text, fault)
	}
	if !reflect.DeepEqual(*e, again) {
		t.Fatalf("%s: decoded %+v, again %+v", text, *e, again)
	}
	if second := event.AppendJSON(nil, &again); !bytes.Equal(text, second) {
		t.Fatalf("%s is then written %s", text, second)
	}
}

// checkEvent says by the contract alone, without the decoder, what an accepted
// event may be.
func checkEvent(s *event.Schema, e *event.Event) error {
	if err := checkLeaves(reflect.ValueOf(e).Elem(), "event"); err != nil {
		return err
	}
	payloads := []bool{e.Decision != nil, e.Intervention != nil, e.Outcome != nil, e.End != nil, e.Exclude != nil}
	for i, set := range payloads {
		if set != (e.Type == event.TypeDecision+event.Type(i)) {
			return fmt.Errorf("a %v with payloads %v", e.Type, payloads)
		}
	}
	switch {
	case e.Trajectory == "":
		return fmt.Errorf("no trajectory")
	case (e.Time == event.NoTime) != (e.Type == event.TypeIntervention || e.Type == event.TypeExclude):
		return fmt.Errorf("a %v at %d", e.Type, e.Time)
	case e.Experiment != "" && s.Find(e.Experiment) < 0:
		return fmt.Errorf("experiment %q", e.Experiment)
	case e.Time == event.NoTime && e.Experiment != "":
		return fmt.Errorf("a %v of experiment %q", e.Type, e.Experiment)
	case e.Type == event.TypeDecision && e.Experiment == "" && len(s.Experiments) > 1:
		return fmt.Errorf("a decision of no experiment")
	}
	switch e.Type {
	case event.TypeDecision:
		return checkDecision(e.Decision, e.Time)
	case event.TypeIntervention:
		return checkIntervention(e.Intervention)
	case event.TypeOutcome:
		return checkOutcome(s, e)
	case event.TypeExclude:
		return nil
	}
	if n := e.End.Decisions; n < 0 || n > 1e9 || n != 0 && !e.End.Counted {
		return fmt.Errorf("end %+v", e.End)
	}
	return nil
}

// checkLeaves holds that texts are valid and within the limit, numbers finite,
// and lists either absent or not empty.
func checkLeaves(v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkLeaves(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := checkLeaves(v.Field(i), path+"."+v.Type().Field(i).Name); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if !v.IsNil() && v.Len() == 0 {
			return fmt.Errorf("%s is empty and not nil", path)
		}
		for i := range v.Len() {
			if err := checkLeaves(v.Index(i), path); err != nil {
				return err
			}
		}
	case reflect.String:
		if s := v.String(); len(s) > event.DefaultText || !utf8.ValidString(s) {
			return fmt.Errorf("%s is %q", path, s)
		}
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && math.Signbit(x) {
			return fmt.Errorf("%s is %v", path, x)
		}
	}
	return nil
}

func checkDecision(d *event.Decision, t event.Time) error {
	switch {
	case d.Time != t:
		return fmt.Errorf("time %v in an event of %v", d.Time, t)
	case len(d.Calls) == 0 || len(d.Calls) > 256:
		return fmt.Errorf("%d calls", len(d.Calls))
	case len(d.State) > 1000 || len(d.Scores) > 1000:
		return fmt.Errorf("%d members of state, %d scores", len(d.State), len(d.Scores))
	}
	for _, c := range d.Calls {
		if c.Tool == "" {
			return fmt.Errorf("a call without a tool")
		}
	}
	for i, m := range d.State {
		if i > 0 && d.State[i-1].Name >= m.Name || !whole(m.Value) {
			return fmt.Errorf("state %v", d.State)
		}
	}
	for i, m := range d.Scores {
		if i > 0 && d.Scores[i-1].Name >= m.Name || m.Value.Kind != event.Number || !whole(m.Value) {
			return fmt.Errorf("scores %v", d.Scores)
		}
	}
	if err := checkAssignment(&d.Assignment); err != nil {
		return err
	}
	return checkIdentity(d.Index, d.ID)
}

// whole tells whether only the part of a value that its kind names is set.
func whole(v event.Value) bool {
	switch v.Kind {
	case event.Number:
		return v.Str == ""
	case event.Bool:
		return v.Str == "" && (v.Num == 0 || v.Num == 1)
	}
	return v.Kind == event.Text && v.Num == 0
}

func checkIdentity(index int, id string) error {
	if index < 0 || index > 1e9 || index == 0 && id == "" {
		return fmt.Errorf("index %d, id %q", index, id)
	}
	return nil
}

func checkAssignment(a *event.Assignment) error {
	if !a.Given && !reflect.ValueOf(*a).IsZero() {
		return fmt.Errorf("not given: %+v", a)
	}
	if a.Draw.U < 0 || a.Draw.U >= 1 || !a.Draw.Given && a.Draw.U != 0 {
		return fmt.Errorf("draw %+v", a.Draw)
	}
	for i, p := range a.Probabilities {
		if i > 0 && a.Probabilities[i-1].Arm >= p.Arm {
			return fmt.Errorf("probabilities %v", a.Probabilities)
		}
	}
	return nil
}

func checkIntervention(i *event.Intervention) error {
	if i.Verdict != "" && !slices.Contains(event.Verdicts, i.Verdict) || i.Delivered > event.True {
		return fmt.Errorf("verdict %q, delivered %d", i.Verdict, i.Delivered)
	}
	for _, a := range []event.Amount{i.Cost.Seconds, i.Cost.USD, i.Cost.Tokens} {
		if a.N < 0 || !a.Given && a.N != 0 {
			return fmt.Errorf("cost %+v", i.Cost)
		}
	}
	return checkIdentity(i.Index, i.DecisionID)
}

func checkOutcome(s *event.Schema, e *event.Event) error {
	o := e.Outcome
	if len(o.Values) == 0 || o.Revision < 0 || o.Revision > 1e9 {
		return fmt.Errorf("outcome %+v", o)
	}
	for i, m := range o.Values {
		if i > 0 && o.Values[i-1].Name >= m.Name {
			return fmt.Errorf("values %v", o.Values)
		}
		allowed := false
		for _, exp := range s.Experiments {
			for _, rule := range exp.Outcomes {
				possible := e.Experiment == exp.Name || e.Experiment == ""
				sure := possible && (e.Experiment != "" || len(s.Experiments) == 1)
				inside := !rule.Ranged || rule.Low <= m.Value && m.Value <= rule.Up
				allowed = allowed || possible && rule.Name == m.Name && (inside || !sure)
			}
		}
		if !allowed {
			return fmt.Errorf("%s = %v of experiment %q", m.Name, m.Value, e.Experiment)
		}
	}
	return nil
}
