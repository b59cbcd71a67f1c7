package state

import (
	"fmt"
	"testing"

	"blipd/event"
)

// TestSleep: what open trajectories take in memory stays within the budget, and
// those that slept wake with all they had.
func TestSleep(t *testing.T) {
	const n, budget = 500, 10_000
	sleepy, awake := newRun(t, retail()), newRun(t, retail())
	sleepy.options.pace.memory, awake.options.pace.memory = budget, 1<<40
	for _, u := range []*run{sleepy, awake} {
		u.p = openPartition(t, u.store, u.options)
		for round := range 3 {
			var events []event.Event
			for i := range n {
				events = append(events, decide(fmt.Sprint("t", i), round+1, at(10, round), "review"))
			}
			u.apply(t, events)
		}
	}
	if held := sleepy.p.fold.held; held > budget {
		t.Errorf("events of open trajectories take %d bytes, the budget is %d", held, budget)
	}
	asleep := 0
	for _, k := range sleepy.p.fold.open {
		if k.asleep {
			asleep++
		}
	}
	if asleep < n/2 {
		t.Errorf("%d of %d sleep", asleep, n)
	}
	sum := int64(0)
	for _, k := range awake.p.fold.open {
		sum += int64(cap(k.packed))
	}
	if sum != awake.p.fold.held || sum <= budget {
		t.Errorf("%d bytes are held, %d noted; more than %d were expected", sum, awake.p.fold.held, budget)
	}
	for _, u := range []*run{sleepy, awake} {
		var events []event.Event
		for i := range n {
			events = append(events, outcome(fmt.Sprint("t", i), at(11, 0), 1, 0))
		}
		u.apply(t, events)
	}
	if got, want := sleepy.p.fold.held, int64(0); got != want {
		t.Errorf("%d bytes are held of no open trajectory", got)
	}
	if got, want := stateOf(t, sleepy.p), stateOf(t, awake.p); got != want {
		t.Errorf("after sleep:\n%s\nwithout:\n%s", got, want)
	}
}
