package event

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var keepSchema = &Schema{Experiments: []Experiment{{Name: "e", Control: "a", Interventions: []string{"b"}, Outcomes: []OutcomeRule{{Name: "success"}}}}}

func readAll(t *testing.T, r *Reader, values ...string) {
	t.Helper()
	var e Event
	for _, value := range values {
		if fault := r.Read(Record{Value: []byte(value)}, &e); fault != nil {
			t.Fatal(fault)
		}
	}
}

func stated(state string) string {
	return `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z","action":{"tool":"t"},"state":{` + state + `},` +
		`"scores":{"a":1},"assignment":{"probabilities":{"a":1}}}`
}

// TestKeepsLittle gives a reader many texts and shapes that come again, and some
// that do not: what it keeps is bounded, and what comes once is not kept.
func TestKeepsLittle(t *testing.T) {
	r := NewReader(Decoder{Schema: keepSchema, Keyless: true})
	for i := range maxKept / 3 {
		readAll(t, r, stated(fmt.Sprintf(`"user%d":"u%d"`, i, i)))
	}
	if n, m := len(r.texts.kept), len(r.stateShapes.all); n > 10 || m > 0 {
		t.Errorf("%d texts and %d shapes are kept, of those that came once", n, m)
	}
	for i := range 3 * maxKept {
		value := stated(fmt.Sprintf(`"n%d":"u%d"`, i, i))
		readAll(t, r, value, value, value)
		if n := len(r.texts.kept); n > maxKept {
			t.Fatalf("%d texts are kept", n)
		}
	}
	if n := len(r.stateShapes.all); n != maxShapes {
		t.Errorf("%d shapes are kept, want %d", n, maxShapes)
	}
	long := strings.Repeat("x", maxKeptText+1)
	var wide []string
	for i := range maxShapeNames + 1 {
		wide = append(wide, fmt.Sprintf(`"w%d":1`, i))
	}
	before := slices.Clone(r.stateShapes.all)
	for _, value := range []string{stated(`"` + long + `":1`), stated(strings.Join(wide, ",")), stated(`"x":"` + long + `"`)} {
		readAll(t, r, value, value, value, value)
	}
	if _, kept := r.texts.kept[`"`+long+`"`]; kept {
		t.Error("a long text is kept")
	}
	if added := len(r.stateShapes.all) - len(before); added != 0 || reflect.DeepEqual(before, r.stateShapes.all) {
		t.Errorf("%d shapes more, and the one of x is not among them", added)
	}
}

// TestKeepsNoRecord: a short list does not keep what a long one before it held.
func TestKeepsNoRecord(t *testing.T) {
	r := NewReader(Decoder{Schema: keepSchema, Keyless: true})
	long := `{"type":"decision","trajectory_id":"c1","index":7,"time":"2026-11-29T10:00:07Z","action":{"calls":[{"tool":"t"},{"tool":"u"},{"tool":"v"}]},` +
		`"state":{"a":"1","b":"2","c":null,"d":"4"},"scores":{"a":1,"b":2},"assignment":{"probabilities":{"a":1,"b":2,"c":3}}}`
	short := stated(`"a":"1"`)
	outcome := `{"type":"outcome","trajectory_id":"c1","time":"2026-11-29T10:00:07Z","outcomes":{"success":1}}`
	twice := strings.Replace(long, `"d"`, `"a"`, 1) // is refused, when all names are known
	readAll(t, r, long, short, outcome, long, outcome, short)
	var e Event
	if fault := r.Read(Record{Value: []byte(twice)}, &e); fault == nil || fault.Reason != DuplicateMember {
		t.Fatal(fault)
	}
	readAll(t, r, short, outcome)
	for name, lists := range map[string][2]reflect.Value{
		"calls": tail(r.calls), "state": tail(r.state), "scores": tail(r.scores), "pairs": tail(r.pairs), "row": tail(r.row), "odds": tail(r.odds), "measured": tail(r.measured),
	} {
		for i := lists[0].Len(); i < lists[1].Len(); i++ {
			if !lists[1].Index(i).IsZero() {
				t.Errorf("%s holds %v beyond its length %d", name, lists[1].Index(i), lists[0].Len())
			}
		}
	}
}

// tail is a list and all of its memory.
func tail[T any](s []T) [2]reflect.Value {
	return [2]reflect.Value{reflect.ValueOf(s), reflect.ValueOf(s[:cap(s)])}
}
