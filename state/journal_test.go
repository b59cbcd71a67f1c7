package state

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"blipd/event"
)

// TestJournal: open trajectories that gain events now and then survive that they
// are moved about in the journal, which stays small; and restarts, which are not
// to be seen but for what lies in memory.
func TestJournal(t *testing.T) {
	for name, memory := range map[string]int64{"awake": 1 << 40, "asleep": 2000} {
		t.Run(name, func(t *testing.T) { testJournal(t, memory) })
	}
}

func testJournal(t *testing.T, memory int64) {
	const open, rounds = 40, 120
	u, plain := newRun(t, retail()), newRun(t, retail())
	u.options.pace.journal, u.options.pace.memory, plain.options.pace.memory = 1, memory, 1<<40
	plain.p = openPartition(t, plain.store, plain.options)
	u.p = openPartition(t, u.store, u.options)
	rng := rand.New(rand.NewPCG(7, 7))
	begun, decisions := map[int]int{}, map[string]int{}
	for round := range rounds {
		var events []event.Event
		for range 1 + rng.IntN(12) {
			lane := rng.IntN(open)
			id := fmt.Sprint("t", lane, "-", begun[lane])
			if decisions[id]++; lane > open/4 && rng.IntN(5) == 0 { // some stay open for long
				events = append(events, outcome(id, at(10, 0), 1, 0))
				begun[lane]++
				continue
			}
			events = append(events, decide(id, decisions[id], at(10, 0), "review"))
		}
		u.apply(t, events)
		plain.apply(t, events)
		if round%3 == 2 {
			u.p = openPartition(t, u.store, u.options)
		}
		if got, want := u.open(t), plain.open(t); got != want {
			t.Fatalf("round %d:\n%s\nwithout restarts\n%s", round, got, want)
		}
		u.checkJournal(t)
	}
	if u.p.journal.first == 0 {
		t.Error("nothing was ever given up")
	}
}

// open is all of the open trajectories, also of those that sleep.
func (u *run) open(t *testing.T) string {
	t.Helper()
	var all string
	for _, id := range slices.Sorted(maps.Keys(u.p.fold.open)) {
		k := *u.p.fold.open[id]
		if k.asleep {
			var err error
			if k.packed, err = u.p.reload(&k); err != nil {
				t.Fatal(err)
			}
		}
		all += fmt.Sprintf("%s size %d started %d\n", describe(u.p.fold.whole(&k)), k.size, k.started)
	}
	return all
}

// checkJournal holds what is noted of the journal against what is there.
func (u *run) checkJournal(t *testing.T) {
	t.Helper()
	j, live, held := &u.p.journal, int64(0), int64(0)
	for _, k := range u.p.fold.open {
		live += int64(k.stored)
		held += int64(cap(k.packed))
	}
	total, blocks := int64(0), int64(0)
	err := u.p.eachBlock('j', 0, func(_ int64, block []byte) (bool, error) {
		total += int64(len(block))
		blocks++
		return true, nil
	})
	if err != nil || live != j.live || total != j.total || blocks != j.next-j.first || held != u.p.fold.held {
		t.Errorf("%d bytes alive, %d noted; %d in %d blocks, %d in %d noted; %d held, %d noted (%v)",
			live, j.live, total, blocks, j.total, j.next-j.first, held, u.p.fold.held, err)
	}
	if last := j.sizes[len(j.sizes)-1]; total > 2*live+u.options.pace.journal+last {
		t.Errorf("the journal takes %d bytes, %d of them alive, %d in the last block", total, live, last)
	}
}
