package state

import (
	"fmt"
	"testing"

	"blipd/event"
	"blipd/event/pack"
)

// TestLearnerOfEpoch: a new epoch's learner begins anew and learns from what is
// kept; what the old one said counts no more, and what the new one says is taken
// out as it was put in, also behind a restart.
func TestLearnerOfEpoch(t *testing.T) {
	u := newRun(t, retail())
	for i := range 20 {
		id := fmt.Sprint("t", i)
		u.apply(t, []event.Event{decide(id, 1, at(10, i), "review"), outcome(id, at(10, i), 1, 0)})
	}
	if got := u.said(t); got[0] == 0 || got[19] != 1 {
		t.Fatalf("trajectories by what was said of them: %v", got)
	}
	second := retail()
	second.Hash = "second"
	u.options.Rules = []Rules{second}
	u.p = openPartition(t, u.store, u.options)
	if got := u.said(t); got[-1] != 20 {
		t.Errorf("after a new epoch: %v, want nothing said of any", got)
	}
	if n := u.p.fold.learn[0].(*pupil).n; n != 20 {
		t.Errorf("the new learner has learned from %d of 20", n)
	}
	for range 2 {
		u.apply(t, []event.Event{outcome("t3", at(11, 0), 0, int(u.offset))})
		want := stateOf(t, u.p)
		if u.p = openPartition(t, u.store, u.options); stateOf(t, u.p) != want {
			t.Errorf("a restart is seen:\n%s\nwant\n%s", stateOf(t, u.p), want)
		}
	}
	if got := u.said(t); got[-1] != 19 || got[21] != 1 {
		t.Errorf("after two revisions: %v", got)
	}
	u.check(t)
}

// said counts the trajectories in the ledger by what pupil said of them first:
// how many it had learned from; -1: nothing.
func (u *run) said(t *testing.T) map[int]int {
	t.Helper()
	closed, _ := u.p.Ledgers(0)
	said := map[int]int{}
	for packed := range closed[0].(*toy).held {
		r := pack.Reader{B: []byte(packed)}
		var trajectory event.Trajectory
		if trajectory.Unpack(&r); r.Err() != nil {
			t.Fatal(r.Err())
		}
		if trajectory.Learned == nil {
			said[-1]++
		} else {
			said[int(trajectory.Learned[0])]++
		}
	}
	return said
}

// TestLearnerForgets: a learner is told of what it learned from and is excluded, and
// of nothing else; also when recovery tells it again.
func TestLearnerForgets(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, []event.Event{
		decide("closed", 1, at(10, 0), "review"), outcome("closed", at(10, 1), 1, 0), decide("open", 1, at(10, 2), "direct"),
	})
	learned := func() uint64 { return u.p.fold.learn[0].(*pupil).hash }
	before := learned()
	u.apply(t, []event.Event{excluded("open"), excluded("unknown")})
	if learned() != before {
		t.Error("it forgets what it never learned")
	}
	u.apply(t, []event.Event{excluded("closed")})
	after := learned()
	if after == before {
		t.Error("it does not forget")
	}
	u.p = openPartition(t, u.store, u.options)
	if learned() != after {
		t.Error("a restart is seen")
	}
}
