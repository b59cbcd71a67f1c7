package event_test

import (
	"bytes"
	"fmt"
	"testing"

	"blipd/event"
)

// FuzzFast holds a reader to the decoder. It reads a value while it knows
// nothing, once it has learnt it, and with another one in between that may
// mislead it.
func FuzzFast(f *testing.F) {
	add := func(in message, keyed bool, schema *event.Schema, other string) {
		rec := in.record()
		var headers []byte
		for _, h := range rec.Headers {
			headers = fmt.Appendf(headers, "%s: %s\n", h.Key, h.Value)
		}
		if len(rec.Value) < 4096 {
			f.Add(rec.Key, rec.Value, []byte(other), headers, keyed, schema == several)
		}
	}
	for _, c := range faults() {
		add(c.in, c.keyed, c.schema, contractDecision)
	}
	for _, c := range accepted() {
		add(c.in, c.keyed, c.schema, wideDecision)
	}
	for _, value := range unusual {
		add(message{value: value}, false, several, full)
	}
	for _, in := range common {
		add(in, false, door, decision(`,"state":{"b":1,"a":2}`))
	}
	f.Fuzz(func(t *testing.T, key, value, other, headers []byte, keyed, two bool) {
		d := event.Decoder{Schema: door, Keyless: !keyed}
		if two {
			d.Schema = several
		}
		rec := event.Record{Key: key, Value: value}
		for line := range bytes.Lines(headers) {
			name, v, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
			rec.Headers = append(rec.Headers, event.Header{Key: string(name), Value: v})
		}
		between := event.Record{Key: key, Value: other}
		r := event.NewReader(d)
		agree(t, &d, r, rec)
		agree(t, &d, r, between)
		for range 3 {
			agree(t, &d, r, rec)
		}
		agree(t, &d, r, between)
		agree(t, &d, r, rec)
	})
}
