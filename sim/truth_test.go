package sim

import (
	"encoding/json"
	"math"
	"testing"
)

// The closed form of dgp, computed by a port of cont_value, blip_coef and
// occupancy of reference/dgp.py to plain Python; derivation.md, 10, has the
// same numbers to three decimals.
var dgpTruth = map[string]float64{
	"randomized_continuation lookup_order":   0.18793266806621506,
	"randomized_continuation cancel_order":   -0.012067331933784946,
	"randomized_continuation modify_item":    -0.11206733193378496,
	"randomized_continuation refund":         -0.21206733193378494,
	"no_treatment_continuation lookup_order": 0.2756290479317137,
	"no_treatment_continuation cancel_order": 0.07562904793171374,
	"no_treatment_continuation modify_item":  -0.024370952068286274,
	"no_treatment_continuation refund":       -0.12437095206828627,
	"policy_gain always":                     0.1695970695970696,
	"policy_gain writes":                     0.07462742175856929,
	"policy_gain groups01":                   0.4727340793154517,

	// What follows from the shares 0.4, 0.3, 0.2, 0.1.
	"randomized_continuation all":     0.4*0.18793266806621506 - 0.3*0.012067331933784946 - 0.2*0.11206733193378496 - 0.1*0.21206733193378494,
	"randomized_continuation read":    0.18793266806621506,
	"randomized_continuation write":   -0.6*0.012067331933784946 - 0.4*0.11206733193378496,
	"randomized_continuation money":   -0.21206733193378494,
	"no_treatment_continuation all":   0.4*0.2756290479317137 + 0.3*0.07562904793171374 - 0.2*0.024370952068286274 - 0.1*0.12437095206828627,
	"no_treatment_continuation read":  0.2756290479317137,
	"no_treatment_continuation write": 0.6*0.07562904793171374 - 0.4*0.024370952068286274,
	"no_treatment_continuation money": -0.12437095206828627,
}

func TestTruthOfDGP(t *testing.T) {
	all := mustLookup(t, "dgp").Truth()
	if len(all) != len(dgpTruth) {
		t.Errorf("%d true effects, want %d", len(all), len(dgpTruth))
	}
	for _, e := range all {
		want, known := dgpTruth[e.Estimand+" "+e.Group+e.Policy]
		if !known || math.Abs(e.Value-want) > 1e-11 {
			t.Errorf("%+v, want %g", e, want)
		}
		if e.Outcome != "score" || e.Arm != "review" {
			t.Errorf("%+v is for another outcome or arm", e)
		}
	}
}

// TestGain: the gain of any policy by its closed form against running it.
func TestGain(t *testing.T) {
	s := mustLookup(t, "dgp")
	policy, n := Policy{0.25, 0.9, 0, 0.5}, 40_000
	var under, never average
	for r := range s.Runs(n, 11, policy) {
		under.add(r.Mean)
	}
	for r := range s.Runs(n, 12, Policy{}) {
		never.add(r.Mean)
	}
	gain, known := s.Gain(policy)
	se := math.Hypot(under.stdError(), never.stdError())
	if got := under.mean() - never.mean(); !known || math.Abs(got-gain) > 4*se {
		t.Errorf("gain %v %v, Monte Carlo %v with standard error %v", gain, known, got, se)
	}
	if zero, known := s.Gain(Policy{}); !known || zero != 0 {
		t.Errorf("gain of never reviewing %v %v, want 0", zero, known)
	}
	if _, known := mustLookup(t, "misspecified").Gain(policy); known {
		t.Error("the misspecified world has no closed form")
	}
}

func TestTruthOfNull(t *testing.T) {
	all := mustLookup(t, "null").Truth()
	if len(all) != len(dgpTruth) {
		t.Errorf("%d true effects, want %d", len(all), len(dgpTruth))
	}
	for _, e := range all {
		if e.Value != 0 || math.Signbit(e.Value) {
			t.Errorf("%+v, want 0", e)
		}
	}
}

func TestTruthOfMisspecified(t *testing.T) {
	all := mustLookup(t, "misspecified").Truth()
	like := Effect{Estimand: randomized, Outcome: "success", Arm: reviewArm, Dimension: "all", Group: "all"}
	want := 0.4*0.01171 - 0.3*0.00624 - 0.2*0.03723 - 0.1*0.05327
	if got := find(t, all, like); math.Abs(got-want) > 1e-11 {
		t.Errorf("over all decisions %g, want %g", got, want)
	}
}

func TestEffectsAsJSON(t *testing.T) {
	all := mustLookup(t, "null").Truth()
	got, err := json.Marshal([]Effect{all[0], all[len(all)-1]})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"estimand":"randomized_continuation","outcome":"score","arm":"review","dimension":"all","group":"all","estimate":0},` +
		`{"estimand":"policy_gain","outcome":"score","arm":"review","policy":"groups01","estimate":0}]`
	if string(got) != want {
		t.Errorf("JSON is %s\nwant %s", got, want)
	}
}

func TestEffectsAreDistinct(t *testing.T) {
	worlds := map[string][]Effect{"fleet": new(Fleet).Truth()}
	for _, name := range Scenarios() {
		worlds[name] = mustLookup(t, name).Truth()
	}
	for name, all := range worlds {
		seen := map[Effect]bool{}
		for _, e := range all {
			e.Value = 0
			if seen[e] {
				t.Errorf("%s: %+v twice", name, e)
			}
			seen[e] = true
		}
	}
}
