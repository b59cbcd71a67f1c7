package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"blipd/event"
)

// TestErased excludes trajectories that were open, closed and revised, and looks for
// what they said in every value on disk; kills, which delay it, included.
func TestErased(t *testing.T) {
	logs(t, 6, func(t *testing.T, r *rand.Rand) {
		u := newRun(t, retail())
		u.options.pace.checkpoint, u.options.pace.chunk = int64(1+r.IntN(100)), 1<<20 // no text is split
		u.p = openPartition(t, u.store, u.options)
		said := func(id string, index int, minute int) event.Event {
			e := decide(id, index, at(10, minute), "review")
			e.Decision.State = []event.Member{{Name: "text", Value: event.TextOf("secret of " + id)}}
			return e
		}
		var events []event.Event
		for i := range 30 {
			id := fmt.Sprintf("t%02d", i)
			events = append(events, said(id, 1, i), decide(id, 2, at(10, i), "direct"))
			for revision := range r.IntN(4) {
				events = append(events, outcome(id, at(10, i), float64(revision%2), revision), said(id, 3+revision, i))
			}
		}
		for len(events) > 0 {
			n := min(len(events), 1+r.IntN(20))
			u.apply(t, events[:n])
			events = events[n:]
		}
		for i := range 30 {
			if i%3 == 0 {
				continue
			}
			e := entries(u.offset, excluded(fmt.Sprintf("t%02d", i)))
			u.offset++
			if i%3 == 1 {
				apply(t, u.p, e)
				continue
			}
			// Killed behind the commit that excludes it.
			if err := u.p.Apply(func(yield func(*event.Entry) bool) { yield(&e[0]) }, u.offset); err != nil {
				t.Fatal(err)
			}
			if err := u.p.commit(); err != nil {
				t.Fatal(err)
			}
			if err := u.p.landed(); err != nil {
				t.Fatal(err)
			}
			u.p = openPartition(t, u.store, u.options)
		}
		if err := u.p.Commit(); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		err := u.store.each(nil, nil, func(k, value []byte) (bool, error) {
			for i := range 30 {
				if id := fmt.Sprintf("t%02d", i); bytes.Contains(value, []byte("secret of "+id)) {
					found[id] = true
				}
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			if id := fmt.Sprintf("t%02d", i); found[id] != (i%3 == 0) {
				t.Errorf("%s is on disk: %v", id, found[id])
			}
		}
		before := stateOf(t, u.p)
		if u.p = openPartition(t, u.store, u.options); stateOf(t, u.p) != before {
			t.Error("a restart is seen")
		}
		u.check(t)
	})
}
