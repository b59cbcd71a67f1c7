package estimators

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"blipd/event"
)

func momentsOf(spec *Spec, ts []*event.Trajectory) *Moments {
	m := New(spec)
	for _, t := range ts {
		m.Add(t)
	}
	return m
}

// gainsOf are the gains and the support of the policies in a report, by policy.
func gainsOf(r *Report) map[string][]any {
	of := map[string][]any{}
	for _, e := range r.Estimates {
		if e.Estimand == PolicyGain {
			of[e.Policy] = append(of[e.Policy], e)
		}
	}
	for _, s := range r.Support {
		if s.Policy != "" {
			of[s.Policy] = append(of[s.Policy], s)
		}
	}
	return of
}

// TestPolicyLateEqualsFounding: a policy that came later has, over the same
// trajectories, the gain, the errors and the support that it has where it was from
// the beginning, and the rest of the report is that without it.
func TestPolicyLateEqualsFounding(t *testing.T) {
	for _, clustered := range []bool{false, true} {
		for arms := 1; arms <= 2; arms++ {
			t.Run(fmt.Sprintf("arms %d clustered %v", arms, clustered), func(t *testing.T) {
				spec := blipSpec(arms, clustered, arms == 1)
				ts := drawPanel(rand.New(rand.NewPCG(5, uint64(arms))), spec, 1500)
				keys := spec.PolicyKeys()
				first, late := spec.Part(false, keys[:1]), spec.Part(true, keys[1:])
				if len(first.Policies) != 1 || len(late.Policies) != 2 {
					t.Fatalf("%d and %d policies", len(first.Policies), len(late.Policies))
				}
				got := momentsOf(first, ts).Report()
				without := momentsOf(first, ts).Report()
				got.AddGains(momentsOf(late, ts))
				want := momentsOf(spec, ts).Report()
				if !reflect.DeepEqual(gainsOf(got), gainsOf(want)) || len(gainsOf(got)) != 3 {
					t.Errorf("gains\n%+v\nwant\n%+v", gainsOf(got), gainsOf(want))
				}
				n := len(without.Estimates)
				if !reflect.DeepEqual(got.Estimates[:n], without.Estimates) || !reflect.DeepEqual(got.Models, want.Models) || !reflect.DeepEqual(got.Health, without.Health) {
					t.Error("a late policy changes what is not its own")
				}
			})
		}
	}
}

// TestPolicyGone: read into a Spec with fewer policies, sums are those that had
// only these; sums that lack a policy are refused.
func TestPolicyGone(t *testing.T) {
	spec := blipSpec(2, true, false)
	ts := drawPanel(rand.New(rand.NewPCG(6, 6)), spec, 300)
	keys := spec.PolicyKeys()
	all, _ := momentsOf(spec, ts).AppendBinary(nil)
	for _, left := range [][]string{nil, keys[:1], {keys[0], keys[2]}, keys[1:2], keys} {
		fewer := spec.Part(false, left)
		m := New(fewer)
		if err := m.UnmarshalBinary(all); err != nil {
			t.Fatal(err)
		}
		got, _ := m.AppendBinary(nil)
		want, _ := momentsOf(fewer, ts).AppendBinary(nil)
		if !bytes.Equal(got, want) {
			t.Errorf("with %q: other bytes than of sums that never had more", left)
		}
		if err := New(spec).UnmarshalBinary(want); (err == nil) != (len(left) == 3) {
			t.Errorf("sums of %q read as those of all: %v", left, err)
		}
	}
	if err := New(spec.Part(true, keys)).UnmarshalBinary(all); err == nil {
		t.Error("sums of everything were read as those of a late part")
	}
}

// TestPoliciesApart: where the blip model is there for policies alone, what is
// summed of everything is what it is without any.
func TestPoliciesApart(t *testing.T) {
	spec := blipSpec(1, false, false)
	spec.Blip = &BlipModel{Implied: true, Masks: true}
	ts := drawPanel(rand.New(rand.NewPCG(7, 7)), spec, 1000)
	keys := spec.PolicyKeys()
	if first := spec.Part(false, keys); first.Blip != nil || first.Policies != nil {
		t.Errorf("%+v", first)
	}
	r := momentsOf(spec.Part(false, keys), ts).Report()
	r.AddGains(momentsOf(spec.Part(true, keys), ts))
	asked := blipSpec(1, false, false)
	asked.Blip = &BlipModel{Masks: true}
	want := momentsOf(asked, ts).Report()
	if !reflect.DeepEqual(gainsOf(r), gainsOf(want)) || len(gainsOf(r)) != 3 {
		t.Errorf("gains\n%+v\nwant\n%+v", gainsOf(r), gainsOf(want))
	}
	for _, e := range r.Estimates {
		if e.Estimand == NoTreatmentContinuation {
			t.Fatalf("an estimand that nobody asked for: %+v", e)
		}
	}
	if !reflect.DeepEqual(r.Models, want.Models) {
		t.Errorf("models %+v, want %+v", r.Models, want.Models)
	}
}

// TestLateHealth: a check that fails for a late part alone fails in the report, and
// says whose it is.
func TestLateHealth(t *testing.T) {
	spec := blipSpec(1, false, false)
	spec.MaxLevels = 2
	ts := drawPanel(rand.New(rand.NewPCG(9, 9)), spec, 300)
	few := drawPanel(rand.New(rand.NewPCG(9, 9)), spec, 300)
	for _, x := range few {
		for i := range x.Decisions {
			x.Decisions[i].Calls = []event.Call{{Tool: "tool1"}}
		}
	}
	keys := spec.PolicyKeys()
	r := momentsOf(spec.Part(false, keys[:1]), few).Report()
	find := func() *Check {
		for i := range r.Health {
			if r.Health[i].Name == "blip_levels" {
				return &r.Health[i]
			}
		}
		t.Fatal("no check of blip levels")
		return nil
	}
	if !find().OK {
		t.Fatalf("%+v", *find())
	}
	n := len(r.Health)
	r.AddGains(momentsOf(spec.Part(true, keys[1:]), ts))
	if c := find(); c.OK || !strings.Contains(c.Detail, spec.Policies[1].Name) || len(r.Health) != n {
		t.Errorf("%d checks, %+v", len(r.Health), *c)
	}
}
