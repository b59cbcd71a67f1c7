package state

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blipd/event"
)

// TestPartsUnder follows the parts of an experiment through its configurations.
func TestPartsUnder(t *testing.T) {
	var s parts
	for i, step := range []struct {
		hash     string
		policies string
		apart    bool
		want     string
	}{
		{"one", "a b", false, "0[a b]"},
		{"one", "a b", false, "0[a b]"},
		{"one", "b a", false, "0[a b]"},
		{"one", "c a b d", false, "0[a b] 1[c d]"},
		{"one", "a c d e", false, "0[a] 1[c d] 2[e]"},
		{"one", "d e b", false, "0[] 1[d] 2[e] 3[b]"}, // b again: its sums are gone
		{"one", "e b", false, "0[] 2[e] 3[b]"},
		{"one", "", false, "0[]"},
		{"two", "a b", false, "4[a b]"},
		{"one", "a b", false, "5[a b]"}, // not the parts that it had: they may be behind
		{"two", "a b", true, "6[] 7[a b]"},
		{"two", "a b c", true, "6[] 7[a b] 8[c]"},
		{"three", "", true, "9[]"},
		{"three", "a", true, "9[] 10[a]"},
	} {
		rules := Rules{Hash: step.hash, Policies: strings.Fields(step.policies), PoliciesApart: step.apart}
		s = s.under(&rules)
		var got []string
		for _, p := range s.list {
			got = append(got, fmt.Sprintf("%d%s", p.number, p.policies))
		}
		if strings.Join(got, " ") != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}

// withPolicies are the rules of retail with policies.
func withPolicies(policies ...string) []Rules {
	rules := retail()
	rules.Policies = policies
	return []Rules{rules}
}

// sumsOf is what a part has summed, whatever its policies are.
func sumsOf(l Ledger) string { return fmt.Sprint(l.(*toy).sum, l.(*toy).hash, l.(*toy).held) }

// TestPolicyLate adds a policy: it begins with what is kept, everything else stays
// as it is, and a revision is taken out of both; the same after a kill before the
// new generation counts.
func TestPolicyLate(t *testing.T) {
	u := newRun(t, withPolicies("a")...)
	u.apply(t, someEvents())
	before, completeBefore := u.p.Ledgers(0)
	stats := *u.p.Stats()
	old := map[string][]byte{}
	err := u.store.each(nil, nil, func(k, v []byte) (bool, error) {
		old[string(k)] = slices.Clone(v)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	u.options.Rules = withPolicies("a", "b")
	for _, killed := range []bool{false, true, false} {
		for k, v := range old { // killed: the new chunks are there, what points to them is not
			if killed {
				if err := u.store.set([]byte(k), v); err != nil {
					t.Fatal(err)
				}
			}
		}
		u.p = openPartition(t, u.store, u.options)
		closed, complete := u.p.Ledgers(0)
		if len(closed) != 2 || len(complete) != 2 {
			t.Fatalf("%d parts", len(closed))
		}
		if sumsOf(closed[0]) != sumsOf(before[0]) || sumsOf(complete[0]) != sumsOf(completeBefore[0]) {
			t.Error("the sums of everything have changed")
		}
		if got := closed[1].(*toy); !got.late || !slices.Equal(got.of, []string{"b"}) || !reflect.DeepEqual(got.held, before[0].(*toy).held) || len(got.held) == 0 {
			t.Errorf("the new part: %+v", got)
		}
		if number, _ := u.p.Epoch(0); number != 1 || !reflect.DeepEqual(*u.p.Stats(), stats) {
			t.Errorf("epoch %d, counters %+v, were %+v", number, *u.p.Stats(), stats)
		}
	}
	u.apply(t, []event.Event{outcome("closed7", at(10, 59), 0.5, 9)})
	closed, _ := u.p.Ledgers(0)
	if reflect.DeepEqual(closed[0].(*toy).held, before[0].(*toy).held) || !reflect.DeepEqual(closed[0].(*toy).held, closed[1].(*toy).held) {
		t.Errorf("after a revision:\n%q\n%q", closed[0].(*toy).list(t), closed[1].(*toy).list(t))
	}
	u.check(t)
}

// TestParts changes policies at random in the middle of a log: what is summed of
// everything is what it would be without any, each part has what was kept when it
// began and all since, and restarts are not seen.
func TestParts(t *testing.T) {
	logs(t, 8, func(t *testing.T, r *rand.Rand) {
		rules := randomRules(r)
		if value := float64(r.IntN(3)); value < 2 {
			rules.TimeoutValues[0] = &value
		}
		u, v, plain := newRun(t, rules), newRun(t, rules), newRun(t, rules)
		for n := range 8 {
			rules.Policies = nil
			for _, name := range []string{"a", "b", "c"} {
				if r.IntN(2) == 0 {
					rules.Policies = append(rules.Policies, name)
				}
			}
			u.options.Rules, v.options.Rules = []Rules{rules}, []Rules{rules}
			u.p, v.p = openPartition(t, u.store, u.options), openPartition(t, v.store, v.options)
			began, _ := u.p.Ledgers(0)
			for range 4 {
				events := randomLog(r, 40)
				u.apply(t, events)
				v.apply(t, events)
				plain.apply(t, events)
				v.p = openPartition(t, v.store, v.options)
			}
			if got, want := stateOf(t, v.p), stateOf(t, u.p); got != want {
				t.Fatalf("change %d: restarted\n%s\nnot\n%s", n, got, want)
			}
			closed, complete := u.p.Ledgers(0)
			all, allComplete := plain.p.Ledgers(0)
			if sumsOf(closed[0]) != sumsOf(all[0]) || sumsOf(complete[0]) != sumsOf(allComplete[0]) {
				t.Fatalf("change %d: what is summed of everything is not what it is without policies", n)
			}
			for part := range closed {
				for packed := range closed[0].(*toy).held {
					_, has := closed[part].(*toy).held[packed]
					_, had := began[0].(*toy).held[packed]
					_, hadToo := began[part].(*toy).held[packed]
					if !has && (!had || hadToo) {
						t.Errorf("change %d: part %d %q lacks a trajectory", n, part, closed[part].(*toy).of)
					}
				}
				for packed := range closed[part].(*toy).held {
					if _, has := closed[0].(*toy).held[packed]; !has {
						t.Errorf("change %d: part %d %q has a trajectory that the first has not", n, part, closed[part].(*toy).of)
					}
				}
			}
			var names []string
			for part := range closed {
				names = append(names, closed[part].(*toy).of...)
			}
			if slices.Sort(names); !slices.Equal(names, rules.Policies) {
				t.Fatalf("change %d: parts of %q, want %q", n, names, rules.Policies)
			}
		}
		u.check(t)
		v.check(t)
	})
}

// TestPartsAway: a partition that was away while the definition changed to and fro has
// sums of another first part than the others, under the same definition: it begins anew.
func TestPartsAway(t *testing.T) {
	u := newRun(t, withPolicies("a")...)
	u.apply(t, someEvents())
	away, err := u.store.Partition(4, u.options)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, away, entries(0, someEvents()...))
	for _, hash := range []string{"second", "first"} {
		u.options.Rules[0].Hash = hash
		u.p = openPartition(t, u.store, u.options)
	}
	if away, err = u.store.Partition(4, u.options); err != nil {
		t.Fatal(err)
	}
	if number, _ := away.Epoch(0); number != 2 {
		t.Errorf("epoch %d of the partition that was away", number)
	}
	one, _ := u.p.Ledgers(0)
	two, _ := away.Ledgers(0)
	if len(one) != 1 || len(two) != 1 || !reflect.DeepEqual(one[0].(*toy).held, two[0].(*toy).held) {
		t.Errorf("%d and %d parts", len(one), len(two))
	}
}
