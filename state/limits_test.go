package state

import (
	"fmt"
	"strings"
	"testing"

	"blipd/event"
)

// TestLargestTrajectory: a trajectory that takes as many bytes as fit into a
// transaction takes no more events; others, and its outcome, go on.
func TestLargestTrajectory(t *testing.T) {
	u := newRun(t, retail())
	u.options.Limits.DecisionsPerTrajectory = 100_000
	u.p = openPartition(t, u.store, u.options)
	const each = 100_000
	for i := range 2*maxTrajectory/each + 2 {
		e := decide("a", i+1, at(10, 0), "review")
		e.Decision.State = []event.Member{{Name: "note", Value: event.TextOf(strings.Repeat("x", each))}}
		apply(t, u.p, entries(u.offset+int64(i), e))
	}
	k := u.p.fold.open["a"]
	refused := u.p.fold.stats.Rejected[event.TooMany]
	if int(k.size) > maxTrajectory || int(k.size) < maxTrajectory-2*each || refused < maxTrajectory/each {
		t.Errorf("%d bytes, the limit is %d; %d events were too many", k.size, maxTrajectory, refused)
	}
	apply(t, u.p, entries(u.p.Next(), decide("b", 1, at(10, 0), "review"), outcome("b", at(10, 1), 1, 0)))
	if n := u.p.fold.stats.Rejected[event.TooMany]; n != refused {
		t.Errorf("another trajectory's events were refused: %d, then %d", refused, n)
	}
}

// TestOpenWithoutEnd: trajectories that are opened and never closed, interventions
// whose decision never comes and outcomes that wait for one are no more than the
// limits allow, and none is left when stream time has passed.
func TestOpenWithoutEnd(t *testing.T) {
	u := newRun(t, retail())
	u.options.Limits = Limits{OpenTrajectories: 50, DecisionsPerTrajectory: 20}
	u.p = openPartition(t, u.store, u.options)
	next := int64(0)
	send := func(e event.Event) {
		apply(t, u.p, entries(next, e))
		next++
	}
	for i := range 200 {
		id := fmt.Sprint("t", i)
		send(decide(id, 1, at(10, i%60), "review"))
		send(intervene(fmt.Sprint("u", i%70), 1+i/4, "approve"))
		e := outcome(fmt.Sprint("v", i), at(10, i%60), 1, 0)
		e.Outcome.Provisional = true
		send(e)
	}
	f := u.p.fold
	if len(f.open) != 50 || int64(len(f.open)) != f.stats.Open || len(f.due) > 50 {
		t.Errorf("%d are open, %d due, the limit is 50", len(f.open), len(f.due))
	}
	if n := f.stats.Rejected[event.TooMany]; n < 400 {
		t.Errorf("%d events were too many", n)
	}
	for _, k := range f.open {
		interventions := 0
		k.packed.EachIntervention(func(*event.Intervention) bool { interventions++; return true })
		if interventions > 20 || k.packed.Decisions() > 20 {
			t.Errorf("trajectory %s has %d interventions, %d decisions", k.ID, interventions, k.packed.Decisions())
		}
	}
	// One that is known moves the time of the others; it takes two.
	for _, id := range []string{"t0", "t1"} {
		send(decide(id, 2, at(200, 0), "review"))
	}
	if len(f.open) != 0 {
		t.Errorf("%d are open after the time-out", len(f.open))
	}
}
