package state

import (
	"bytes"
	"fmt"
	"testing"

	"blipd/event"
)

// TestWaitingIsBounded: with several experiments, events that name none wait in
// memory, up to so many bytes; those that are let go make room, and a restart
// counts the same.
func TestWaitingIsBounded(t *testing.T) {
	support := retail()
	support.Experiment.Name = "support"
	u := newRun(t, retail(), support)
	const size = 1 << 20
	const most = mostWaiting / size
	heavy := func(i int) event.Entry {
		e := entries(u.p.Next(), outcome(fmt.Sprint("w", i), at(10, 0), 1, 0))[0]
		e.Record.Value = bytes.Repeat([]byte(" "), size)
		return e
	}
	tooMany := func() int64 { return u.p.fold.stats.Rejected[event.TooMany] }
	if u.p.Next() == Unknown {
		apply(t, u.p, entries(0, decide("first", 1, at(9, 0), "review"))) // names none: it waits too
	}
	for i := range most + 3 {
		apply(t, u.p, []event.Entry{heavy(i)})
	}
	if n := tooMany(); n != 4 { // each takes a little more than its value
		t.Errorf("%d events were too many, want 4", n)
	}
	if n := u.p.fold.waits; n > mostWaiting || n < mostWaiting-2*size {
		t.Errorf("%d bytes wait", n)
	}
	waits := u.p.fold.waits
	u.p = openPartition(t, u.store, u.options)
	if u.p.fold.waits != waits {
		t.Errorf("after a restart %d bytes wait, before %d", u.p.fold.waits, waits)
	}

	named := decide("w0", 1, at(10, 1), "review")
	named.Experiment = "support"
	apply(t, u.p, entries(u.p.Next(), named))
	before := tooMany()
	apply(t, u.p, []event.Entry{heavy(1000)})
	if tooMany() != before {
		t.Errorf("no room after one has named its experiment: %d bytes wait", u.p.fold.waits)
	}

	late := func(id string) event.Event {
		e := decide(id, 1, at(10+200, 0), "review")
		e.Experiment = "support"
		return e
	}
	apply(t, u.p, entries(u.p.Next(), late("x"), late("y"))) // stream time passes the time-out
	if u.p.fold.waits != 0 {
		t.Errorf("%d bytes wait in no trajectory", u.p.fold.waits)
	}
}
