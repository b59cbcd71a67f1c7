package event_test

import (
	"testing"

	"blipd/event"
)

// BenchmarkDecode reads the decision that the contract shows, 403 bytes.
func BenchmarkDecode(b *testing.B) {
	value := []byte(`{"type":"decision","experiment":"retail","trajectory_id":"conv_5j66","decision_id":"call_ms7u","index":7,` +
		`"time":"2026-11-29T10:00:07Z","agent":{"name":"retail","version":"1.4"},"action":{"tool":"cancel_order","capability":"order_write"},` +
		`"state":{"prior_failures":1,"progress":0.85},"assignment":{"arm":"review","probabilities":{"direct":0.35,"review":0.65},` +
		`"policy":"router@31"},"scores":{"judge":0.72}}`)
	d := event.Decoder{Schema: door}
	rec := event.Record{Key: []byte("conv_5j66"), Value: value}
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if _, fault := d.Decode(rec); fault != nil {
			b.Fatal(fault)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	e := fullEvent
	dst := event.AppendJSON(nil, &e)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = event.AppendJSON(dst[:0], &e)
	}
}
