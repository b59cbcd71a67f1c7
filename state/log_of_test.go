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

// TestTerm: the term on disk is that of what lies before the offset on disk. Within
// a batch of another term it is not known.
func TestTerm(t *testing.T) {
	u := newRun(t, retail())
	u.p.From(event.Log{Partitions: 1, Term: 3})
	u.apply(t, someEvents())
	u.p = openPartition(t, u.store, u.options)
	if got := u.p.Log().Term; got != 3 {
		t.Errorf("term %d after a batch of term 3", got)
	}
	u.p.From(event.Log{Partitions: 1, Term: 4})
	within := int32(-1)
	batch := func(yield func(*event.Entry) bool) {
		within = u.p.Log().Term
		yield(&entries(u.offset, outcome("other", at(12, 0), 0, 1))[0])
	}
	if err := u.p.Apply(batch, u.offset+1); err != nil {
		t.Fatal(err)
	}
	if got := u.p.Log().Term; within != 0 || got != 4 {
		t.Errorf("term %d within a batch of term 4, %d after it; want 0 and 4", within, got)
	}
}
