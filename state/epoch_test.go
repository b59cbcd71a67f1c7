package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
)

// TestEpochOnDisk changes the definition: what is kept is counted again in log
// order, the same after a kill before the new generation counts.
func TestEpochOnDisk(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	if err := u.store.SetReport("retail", 1, []byte("the first")); err != nil {
		t.Fatal(err)
	}
	old := map[string][]byte{}
	err := u.store.each(nil, nil, func(k, v []byte) (bool, error) {
		old[string(k)] = append([]byte(nil), v...)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	second := retail()
	second.Hash, second.StartPeriod = "second", 10*time.Minute
	u.options.Rules = []Rules{second}
	u.p = openPartition(t, u.store, u.options)
	if number, since := u.p.Epoch(0); number != 2 || since != u.offset {
		t.Errorf("epoch %d since %d", number, since)
	}
	want := stateOf(t, u.p)

	// As a kill leaves it: the chunks are there, the pointer and the counters are not.
	err = u.store.db.Update(func(txn *badger.Txn) error {
		return errors.Join(txn.Set(key(3, 'm'), old[string(key(3, 'm'))]), txn.Set(key(3, 'g'), old[string(key(3, 'g'))]))
	})
	for k, v := range old {
		err = errors.Join(err, u.store.set([]byte(k), v))
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // again, and then as it is
		u.p = openPartition(t, u.store, u.options)
		if got := stateOf(t, u.p); got != want {
			t.Errorf("is\n%s\nwant\n%s", got, want)
		}
	}

	u.options.Rules = []Rules{retail()}
	u.p = openPartition(t, u.store, u.options)
	if number, _ := u.p.Epoch(0); number != 3 {
		t.Errorf("epoch %d of the first definition again", number)
	}
	if r, err := u.store.Report("retail", 1); string(r) != "the first" || err != nil {
		t.Errorf("report %q, %v", r, err)
	}
	u.check(t)
}

// TestEpochRemoved counts the epochs of an experiment through its absence.
func TestEpochRemoved(t *testing.T) {
	support := retail()
	support.Experiment.Name = "support"
	u := newRun(t, retail(), support)
	both := u.options.Rules
	for i, step := range []struct {
		rules  []Rules
		number int // of support; 0: it is not configured
	}{{both, 1}, {both[:1], 0}, {both[:1], 0}, {both, 2}, {both, 2}, {both[:1], 0}, {[]Rules{support, both[0]}, 3}} {
		u.options.Rules = step.rules
		u.p = openPartition(t, u.store, u.options)
		for x := range step.rules {
			number, _ := u.p.Epoch(x)
			want := 1
			if step.rules[x].Experiment.Name == "support" {
				want = step.number
			}
			if number != want {
				t.Errorf("step %d: epoch %d of %s, want %d", i, number, step.rules[x].Experiment.Name, want)
			}
		}
		e := decide(fmt.Sprint("t", i), 1, at(10, i), "review")
		e.Experiment = step.rules[0].Experiment.Name
		u.apply(t, []event.Event{e})
	}
}

// TestEpochs changes definitions at random in the middle of a log. Each start
// without a change in between must not be seen, and at the end the ledgers of
// one that was never restarted since its last change are the same.
func TestEpochs(t *testing.T) {
	logs(t, 8, func(t *testing.T, r *rand.Rand) {
		u, v := newRun(t, retail()), newRun(t, retail())
		for n := range 6 {
			rules := randomRules(r)
			rules.Hash = fmt.Sprint(n)
			if value := float64(r.IntN(3)); value < 2 {
				rules.TimeoutValues[0] = &value
			}
			u.options.Rules, v.options.Rules = []Rules{rules}, []Rules{rules}
			u.p, v.p = openPartition(t, u.store, u.options), openPartition(t, v.store, v.options)
			for range 5 {
				events := randomLog(r, 40)
				u.apply(t, events)
				v.apply(t, events)
				v.p = openPartition(t, v.store, v.options)
			}
			if got, want := stateOf(t, v.p), stateOf(t, u.p); got != want {
				t.Fatalf("change %d: restarted\n%s\nnot\n%s", n, got, want)
			}
			closed, _ := u.p.Ledgers(0)
			if e := u.p.Stats().Experiments[0]; e.Closed[0]+e.Closed[1]+e.Closed[2]-e.Censored-(e.Excluded-e.Closed[Excluded]) != int64(len(closed[0].(*toy).held)) {
				t.Fatalf("%d in the ledger, counters %+v", len(closed[0].(*toy).held), e)
			}
			before := u.p.Stats().Experiments[0]
			u.p = openPartition(t, u.store, u.options)
			if after := u.p.Stats().Experiments[0]; !reflect.DeepEqual(before, after) {
				t.Fatalf("%+v became %+v", before, after)
			}
		}
		u.check(t)
		v.check(t)
	})
}

// TestEpochOfReusedID counts again a trajectory whose id was used before: once,
// though what was forgotten is still in the index.
func TestEpochOfReusedID(t *testing.T) {
	u := newRun(t, retail())
	u.options.pace.checkpoint = 1000
	u.p = openPartition(t, u.store, u.options)
	u.apply(t, []event.Event{
		decide("a", 1, at(10, 0), "review"), outcome("a", at(10, 1), 1, 0), decide("gone", 1, at(10, 1), "review"), outcome("gone", at(10, 2), 1, 0),
	})
	u.apply(t, []event.Event{
		decide("b", 1, at(100, 0), "review"), decide("c", 1, at(100, 0), "review"),
		decide("a", 1, at(100, 1), "direct"), outcome("a", at(100, 2), 0, 0),
	})
	second := retail()
	second.Hash = "second"
	u.options.Rules = []Rules{second}
	u.p = openPartition(t, u.store, u.options)
	closed, _ := u.p.Ledgers(0)
	if got := closed[0].(*toy).list(t); len(got) != 1 || got[0] != "a: 1 direct success=0@0" {
		t.Errorf("%q", got)
	}
}
