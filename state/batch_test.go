package state

import (
	"fmt"
	"testing"

	"blipd/event"
)

// TestReuseInOneBatch closes, forgets, reopens and closes an id between two
// commits: nothing of its first life is left open on disk.
func TestReuseInOneBatch(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, []event.Event{decide("a", 1, at(10, 0), "review"), decide("b", 1, at(10, 0), "review")})
	u.apply(t, []event.Event{
		outcome("a", at(10, 1), 1, 0), decide("c", 1, at(200, 0), "review"), decide("d", 1, at(200, 0), "review"),
		decide("a", 1, at(200, 1), "review"), outcome("a", at(200, 2), 1, 0),
	})
	want := stateOf(t, u.p)
	u.p = openPartition(t, u.store, u.options)
	if got := stateOf(t, u.p); got != want {
		t.Errorf("is\n%s\nwant\n%s", got, want)
	}
}

// TestWaitingCopies keeps an event that waits apart from the bytes it came in.
func TestWaitingCopies(t *testing.T) {
	support := retail()
	support.Experiment.Name = "support"
	u := newRun(t, retail(), support)
	batch := entries(0, outcome("a", at(10, 0), 1, 0), outcome("a", at(10, 1), 0, 0))
	batch[1].Record.Headers = []event.Header{{Key: "h", Value: []byte("header")}}
	apply(t, u.p, batch)
	for _, b := range [][]byte{batch[1].Record.Key, batch[1].Record.Value, batch[1].Record.Headers[0].Value} {
		clear(b)
	}
	e := decide("a", 1, at(10, 2), "review")
	e.Experiment = "support"
	apply(t, u.p, entries(2, e))
	letters, err := u.p.Outbox(10)
	if err != nil || len(letters) != 1 || string(letters[0].Key) != "a" || string(letters[0].Value) != "outcome of a" || string(letters[0].Headers[0].Value) != "header" {
		t.Errorf("%q %v", letters[0].Value, err)
	}

	named := ended("w", at(10, 3), 1)
	named.Experiment = "support"
	apply(t, u.p, entries(3, intervene("w", 1, "approve"), named))
	if size := u.p.fold.open["w"].size; int(size) > letterSize(&event.Record{}) {
		t.Errorf("size %d, as if it still waited", size)
	}
}

// TestFinishedPeriods keeps nothing of periods that began after the end.
func TestFinishedPeriods(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	if err := u.p.Finish(); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		id := fmt.Sprint("t", i)
		u.apply(t, []event.Event{decide(id, 1, at(20+i, 0), "review"), outcome(id, at(20+i, 1), 1, 0)})
	}
	if n := len(u.p.fold.books[0].periods); n != 0 {
		t.Errorf("%d periods", n)
	}
}
