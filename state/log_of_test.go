package state

import (
	"testing"

	"blipd/event"
)

// TestLogOf: what is told of the log is there after a restart, also when no record
// came with it; a cluster that tells less takes nothing away.
func TestLogOf(t *testing.T) {
	u := newRun(t, retail())
	first := event.Log{Topic: [16]byte{1, 2, 3}, Partitions: 4, Start: 5, End: 9}
	again := func(want event.Log) {
		t.Helper()
		if err := u.p.Commit(); err != nil {
			t.Fatal(err)
		}
		u.p = openPartition(t, u.store, u.options)
		if got := u.p.Log(); got != want {
			t.Errorf("log is %v, want %v", got, want)
		}
	}
	if u.p.Log() != (event.Log{}) {
		t.Errorf("a new partition has the log %v", u.p.Log())
	}
	u.p.From(first)
	again(first)
	u.apply(t, someEvents())
	again(first)
	older := event.Log{Partitions: 4, Start: 6, End: 12}
	u.p.From(older)
	again(event.Log{Topic: first.Topic, Partitions: 4, Start: 6, End: 12})
}
