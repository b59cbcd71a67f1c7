package state

import (
	"bytes"
	"testing"

	"blipd/event"
)

// TestLargestLetters: whatever a broker lets through fits into the outbox, else its
// partition could never go on.
func TestLargestLetters(t *testing.T) {
	for _, c := range []struct {
		what                    string
		key, value, header      int
		keyKept, kept, headerIn int // bytes of the letter
	}{
		{"small", 10, 10, 10, 10, 10, 10},
		{"a large key", 70 << 20, 10, 10, letterHead, 10, 0},
		{"large headers", 10, 10, 70 << 20, 10, 10, 0},
		{"a large value", 10, 70 << 20, 10, 10, letterHead, 10},
		{"all large", 20 << 20, 20 << 20, 20 << 20, letterHead, letterHead, 0},
		{"all just within", 7 << 20, letterMost, 8 << 20, 7 << 20, letterMost, 8 << 20},
	} {
		u := newRun(t, retail())
		u.options.Letters = true
		u.p = openPartition(t, u.store, u.options)
		bytesOf := func(n int) []byte { return bytes.Repeat([]byte("x"), n) }
		e := event.Entry{Fault: event.Faultf(event.Malformed, "no JSON"), Record: event.Record{
			Key: bytesOf(c.key), Value: bytesOf(c.value), Headers: []event.Header{{Key: "own", Value: bytesOf(c.header)}}}}
		if err := u.p.applyAll([]event.Entry{e}, 1); err != nil {
			t.Fatalf("%s: %.200v", c.what, err)
		}
		letters, err := u.p.Outbox(10)
		if err != nil || len(letters) != 1 {
			t.Fatalf("%s: %d letters, %v", c.what, len(letters), err)
		}
		own, named := 0, map[string]bool{}
		for _, h := range letters[0].Headers {
			if named[h.Key] = true; h.Key == "own" {
				own = len(h.Value)
			}
		}
		if l := letters[0]; len(l.Key) != c.keyKept || len(l.Value) != c.kept || own != c.headerIn {
			t.Errorf("%s: key %d, value %d, header %d; want %d, %d, %d", c.what, len(l.Key), len(l.Value), own, c.keyKept, c.kept, c.headerIn)
		}
		if named["blipd-left-out"] != (c.headerIn != c.header) || named["blipd-size"] != (c.kept != c.value) || !named["blipd-reason"] {
			t.Errorf("%s: headers %v", c.what, named)
		}
	}
}
