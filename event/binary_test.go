package event

import (
	"math"
	"reflect"
	"testing"

	"blipd/event/pack"
)

// fill sets every leaf below v to something that is not its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(math.Pi)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 << 40)
	}
}

// TestPackLosesNothing: every field of a trajectory and of each kind of event
// survives; a field that is forgotten in pack fails here.
func TestPackLosesNothing(t *testing.T) {
	var in, out Trajectory
	fill(reflect.ValueOf(&in).Elem())
	for i := range in.Decisions { // a number has no text, a text no number
		for j := range in.Decisions[i].State {
			in.Decisions[i].State[j].Value = []Value{NumberOf(1.5), TextOf("x")}[j]
			in.Decisions[i].Scores[j].Value = []Value{BoolOf(true), NumberOf(-2)}[j]
		}
	}
	var w pack.Writer
	in.Pack(&w)
	r := pack.Reader{B: w.B}
	out.Unpack(&r)
	if err := r.Err(); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v\n in %+v\nout %+v", err, in, out)
	}
	for n := range w.B {
		short := pack.Reader{B: w.B[:n]}
		out.Unpack(&short)
		if short.Err() == nil {
			t.Fatalf("the first %d of %d bytes are a whole trajectory", n, len(w.B))
		}
	}
	for _, e := range []Event{
		{Type: TypeDecision, Decision: &in.Decisions[0]},
		{Type: TypeIntervention, Intervention: &in.Interventions[0]},
		{Type: TypeOutcome, Outcome: &Outcome{}},
		{Type: TypeEnd, End: in.End},
	} {
		e.Trajectory, e.Experiment, e.Time = "t", "x", 7
		if e.Outcome != nil {
			fill(reflect.ValueOf(e.Outcome).Elem())
		}
		w.B = nil
		e.Pack(&w)
		r := pack.Reader{B: w.B}
		var back Event
		back.Unpack(&r)
		if err := r.Err(); err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("%s: %v\n in %+v\nout %+v", e.Type, err, e, back)
		}
	}
}
