package validity

import (
	"fmt"
	"math"
	"testing"

	"blipd/estimators"
	"blipd/event"
)

// one is s = (1).
func one(int) []float64 { return []float64{1} }

// everywhere is true.
func everywhere(int) bool { return true }

// uncorrected is the sandwich without c/(c-1).
func uncorrected(float64) float64 { return 1 }

// TestDCEE: the distal effects of MRTAnalysis (Qian 2025), function dcee on
// distal_continuous. Its conventions: least squares by arm of Y on X and Z, on
// all decisions of the arm, available or not, in sample unless folds are asked
// for; the effect is averaged over all decisions, unavailable ones counting 0;
// no factor c/(c-1).
//
// Ours by default: an unavailable decision is no row, in no model and no mean;
// one ridge regression with weights W^2, always out of fold; c/(c-1).
func TestDCEE(t *testing.T) {
	d := published(t, "mrtanalysis/distal_continuous.csv.gz")
	n := len(d["Y"])
	columns := func(i int) []float64 { return []float64{1, d["X"][i], d["Z"][i]} }
	available := func(i int) bool { return d["avail"][i] == 1 }
	scores := make([]float64, n)
	armwise(d, "A", "prob_A", "Y", columns, everywhere, available, scores)
	beta, errors := solved(d["userid"], scores, one, uncorrected)
	matches(t, "marginal", beta[0], 0.40413604623)
	matches(t, "marginal, SE", errors[0], 0.584801413832)
	beta, errors = solved(d["userid"], scores, func(i int) []float64 { return []float64{1, d["Z"][i]} }, uncorrected)
	matches(t, "by Z, intercept", beta[0], -0.0968244526871)
	matches(t, "by Z, intercept, SE", errors[0], 0.674413648798)
	matches(t, "by Z, Z", beta[1], 1.2100495142915)
	matches(t, "by Z, Z, SE", errors[1], 1.064328209391)

	folded := make([]float64, n)
	for k := range 5 {
		in := func(i int) bool { return int(d["userid"][i])%5 == k }
		armwise(d, "A", "prob_A", "Y", columns, func(i int) bool { return !in(i) }, func(i int) bool { return in(i) && available(i) }, folded)
	}
	beta, errors = solved(d["userid"], folded, one, uncorrected)
	matches(t, "five folds", beta[0], 0.3540710856476)
	matches(t, "five folds, SE", errors[0], 0.5993524695044)

	// The same by our sums: every decision a row, one model an arm, a ridge of
	// next to nothing, the folds of the publication; the group of those that were
	// available, counted over all.
	yaml := plain + `    outcome_model: {per_arm: true, ridge: 1.0e-9}
    features: [{name: x, expr: state.x}, {name: z, expr: state.z}]
    groups: [{dimension: available, expr: 'state.available == 1 ? "yes" : "no"'}]
`
	e := named(sums(specOf(t, yaml), dceeTrajectories(d, everywhere)...).Randomized(), estimators.RandomizedContinuation, "yes")
	got, want := e.Value*float64(e.Decisions)/float64(n), 0.3540710856476
	t.Logf("five folds by our sums, each arm its model, ridge 1e-9: %.10f (published %.10f)", got, want)
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("five folds by our sums: %.12f, want %.12f", got, want)
	}

	e = named(sums(specOf(t, plain+"    features: [{name: x, expr: state.x}, {name: z, expr: state.z}]\n"), dceeTrajectories(d, available)...).Randomized(), estimators.RandomizedContinuation, "")
	t.Logf("our default, over the %d available decisions: %.6f (SE %.6f, df %.2f); times their share %.6f (SE %.6f)", e.Decisions, e.Value, e.StdError, e.DF,
		e.Value*float64(e.Decisions)/float64(n), e.StdError*float64(e.Decisions)/float64(n))
	if share := float64(e.Decisions) / float64(n); math.Abs(e.Value*share-want) > e.StdError*share/2 {
		t.Errorf("our default is %.6f, more than half a standard error from the published five folds", e.Value*share)
	}
}

// dceeTrajectories makes a trajectory of each person; a decision that is not
// randomized by so is ineligible.
func dceeTrajectories(d table, randomized func(i int) bool) (all []*event.Trajectory) {
	for i := 0; i < len(d["Y"]); {
		user := d["userid"][i]
		var decisions []event.Decision
		first := i
		for ; i < len(d["Y"]) && d["userid"][i] == user; i++ {
			decisions = append(decisions, event.Decision{Calls: []event.Call{{Tool: "message"}}, Ineligible: !randomized(i),
				State:      []event.Member{number("available", d["avail"][i]), number("x", d["X"][i]), number("z", d["Z"][i])},
				Assignment: assigned(d["A"][i] == 1, d["prob_A"][i])})
		}
		all = append(all, ended(keyInFold(int(user), int(user)%5, 5), d["Y"][first], decisions...))
	}
	return all
}

// TestDataIntegration: weighting with arm-wise linear models on
// mrt_data_integration, internal users, five folds by user_id mod 5. Each row
// has an outcome of its own; users are the clusters.
func TestDataIntegration(t *testing.T) {
	d := published(t, "mrt_data_integration/example.csv.gz")
	internal := places(len(d["y"]), func(i int) bool { return d["is_internal"][i] == 1 })
	own := table{}
	for name, column := range d {
		for _, i := range internal {
			own[name] = append(own[name], column[i])
		}
	}
	columns := func(i int) []float64 { return []float64{1, own["x1"][i], own["x2"][i], own["x3"][i]} }
	scores := make([]float64, len(internal))
	for k := range 5 {
		in := func(i int) bool { return int(own["user_id"][i])%5 == k }
		armwise(own, "a", "p_a1", "y", columns, func(i int) bool { return !in(i) }, in, scores)
	}
	beta, errors := solved(own["user_id"], scores, one, uncorrected)
	matches(t, "five folds", beta[0], -1.88810156635)
	matches(t, "five folds, SE without c/(c-1)", errors[0], 1.29224030303)

	for _, c := range []struct{ name, model string }{
		{"our sums, each arm its model, ridge 1e-9", "    outcome_model: {per_arm: true, ridge: 1.0e-9}\n"},
		{"our default", ""},
	} {
		spec := specOf(t, plain+c.model+"    cluster: state.user\n    features: [{name: x1, expr: state.x1}, {name: x2, expr: state.x2}, {name: x3, expr: state.x3}]\n")
		m := estimators.New(spec)
		for i := range internal {
			user := int(own["user_id"][i])
			m.Add(ended(fmt.Sprint("row", i), own["y"][i], event.Decision{Calls: []event.Call{{Tool: "message"}},
				State:      []event.Member{text("user", keyInFold(user, user%5, 5)), number("x1", own["x1"][i]), number("x2", own["x2"][i]), number("x3", own["x3"][i])},
				Assignment: assigned(own["a"][i] == 1, own["p_a1"][i])}))
		}
		e := named(m.Randomized(), estimators.RandomizedContinuation, "")
		t.Logf("%s: %.11f (SE %.11f, df %.1f)", c.name, e.Value, e.StdError, e.DF)
		if c.model == "" {
			continue
		}
		if math.Abs(e.Value+1.88810156635) > 1e-8 || math.Abs(e.StdError*math.Sqrt(399./400)-1.29224030303) > 1e-8 {
			t.Errorf("%s: %.11f (SE %.11f), want -1.88810156635 (SE 1.29224030303 times the root of 400/399)", c.name, e.Value, e.StdError)
		}
	}
}
