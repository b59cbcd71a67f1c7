package config

import (
	"errors"
	"os"
	"testing"

	"blipd/event"
)

// Whatever the bytes: a configuration or faults, one of them, and no panic.
func FuzzParse(f *testing.F) {
	wrong, err := os.ReadFile("testdata/all-wrong.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(wrong), minimal, contract, hashed, string(Example()), "a: &a [*a]", "experiments: &e [*e]", "- \xff", "experiments: [~]"} {
		f.Add([]byte(seed))
	}
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := Parse("f", data, environment, none)
		if (config == nil) == (err == nil) {
			t.Fatalf("configuration %v and error %v", config, err)
		}
		if faults, ok := errors.AsType[*Faults](err); err != nil && (!ok || len(faults.List) == 0 || faults.Error() == "") {
			t.Fatalf("an error without faults: %v", err)
		}
	})
}

// An expression that compiles gives the same finite answer twice, and no panic.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{`action.tool`, `state.n >= 1 ? "a" : lower(state.text)`, `state.on + index in [1, 2]`, `split(action.tool, "_")[0]`,
		`(state.a == 1) + 1 != 2 && !state.on`, `int(state.x) % 2 ?? nil`, `"a" matches "b"`, `action?.tool[0:2] | upper()`, `max([1, 2], 3)`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := retail.compile(text, anyValue)
		if err != nil {
			return
		}
		p := point()
		first, second := x.Eval(p), x.Eval(p)
		if first != second {
			t.Fatalf("%v, then %v", first, second)
		}
		if first.Kind == event.Text && len(first.Str) > retail.text {
			t.Fatalf("a text of %d bytes", len(first.Str))
		}
	})
}
