package estimators

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"blipd/event"
)

// TestMaskEqualsPolicy: what a mask is said to gain after the fact is what the
// same policy gains that was registered before, rows with several levels
// included.
func TestMaskEqualsPolicy(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 97))
			spec := blipSpec(1+int(seed%2), seed >= 2, false)
			mask := Mask{Arm: "review1", Levels: map[string]float64{"tool0": 0.5, "tool2": 0.5, "rare1": 0.5}}
			spec.Policies = []Policy{{Name: "masked", Arm: 0, Probability: 0.5, Intervene: Expression{PerCall: true, Eval: func(p *Point) event.Value {
				return event.BoolOf(mask.Levels[p.Call.Tool] > 0)
			}}}}
			total, _ := summed(t, rng, spec, drawPanel(rng, spec, 400), 0, 100)
			report := total.Report()
			got, err := report.MaskGain(mask)
			if err != nil {
				t.Fatal(err)
			}
			var want []Estimate
			for _, e := range report.Estimates {
				if e.Estimand == PolicyGain {
					e.Policy, e.Support, e.Model = mask.String(), "", ""
					want = append(want, e)
				}
			}
			compare(t, got, want, 1e-9)
			if got[0].Status != OK {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

// TestMaskRefused: what a mask names must be known.
func TestMaskRefused(t *testing.T) {
	spec := blipSpec(2, false, false)
	m := New(spec)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(1, 1)), spec, 20) {
		m.Add(tr)
	}
	for _, c := range []struct {
		mask Mask
		want string
	}{
		{Mask{"", map[string]float64{"tool0": 1}}, `arm "" is none of the interventions review1, review2`},
		{Mask{"direct", map[string]float64{"tool0": 1}}, `arm "direct" is none`},
		{Mask{"review1", map[string]float64{"tool9": 1}}, `"tool9" is no level of tool; known are`},
		{Mask{"review1", map[string]float64{"tool0": 1.5}}, `probability 1.5 of "tool0" is outside [0, 1]`},
	} {
		if _, err := m.Report().MaskGain(c.mask); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.mask, err, c.want)
		}
	}
	if _, err := (&Report{}).MaskGain(Mask{}); err == nil {
		t.Error("a report without sums has a value")
	}
}

// TestSetsAreBounded: above so many sets newcomers share one, gains of masks are
// refused from then on, also after a merge and a restart, and nothing else changes.
func TestSetsAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	spec := blipSpec(1, false, false)
	spec.Policies = []Policy{{Name: "all", Arm: 0, Probability: 1, Intervene: Expression{Eval: func(*Point) event.Value { return event.BoolOf(true) }}}}
	panel := drawPanel(rng, spec, 400)
	free := New(spec)
	var parts [2]*Moments
	for i := range parts {
		parts[i] = New(spec)
		parts[i].sets.most = 3
	}
	for i, tr := range panel {
		free.Add(tr)
		parts[i%2].Add(tr)
	}
	if len(free.sets.list) <= 4 || free.sets.crowded() {
		t.Fatalf("%d sets: the panel shows nothing", len(free.sets.list))
	}
	total := parts[0]
	total.Merge(parts[1])
	b, err := total.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := New(spec)
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	want := free.Report()
	mask := Mask{Levels: map[string]float64{"tool0": 1}}
	if _, err := want.MaskGain(mask); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Moments{total, again} {
		if n := len(m.sets.list); n > 4 || !m.sets.crowded() {
			t.Errorf("%d sets, crowded is %v", n, m.sets.crowded())
		}
		got := m.Report()
		if _, err := got.MaskGain(mask); err == nil || !strings.Contains(err.Error(), "register the policy under policies") {
			t.Errorf("a mask's gain: %v", err)
		}
		compare(t, got.Estimates, want.Estimates, 1e-9)
	}
	into := New(spec)
	into.Merge(total)
	if !into.sets.crowded() {
		t.Error("crowded sets are told apart again by a merge")
	}
}
