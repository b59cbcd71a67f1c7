package sim

import (
	"math"
	"slices"
	"testing"
)

func mustLookup(t testing.TB, name string) Scenario {
	t.Helper()
	s, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runs is n, and more where the heavy tests run.
func runs(n, many int) int {
	if heavy() {
		return many
	}
	return n
}

func TestLookup(t *testing.T) {
	if got, want := Scenarios(), []string{"dgp", "misspecified", "null"}; !slices.Equal(got, want) {
		t.Errorf("scenarios are %q, want %q", got, want)
	}
	for _, name := range Scenarios() {
		if s := mustLookup(t, name); s.Name != name {
			t.Errorf("%q finds %q", name, s.Name)
		}
	}
	_, err := Lookup("dpg")
	if want := `sim: scenario "dpg" is not known; send one of dgp, misspecified, null`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestOccupancy(t *testing.T) {
	for name, policy := range map[string]Policy{"collection": Collection(), "never": {}, "always": {1, 1, 1, 1}} {
		var decisions, s, r average
		for run := range mustLookup(t, "dgp").Runs(runs(200_000, 4_000_000), 1, policy) {
			decisions.add(float64(len(run.Steps)))
			var sumS, sumR float64
			for i := range run.Steps {
				sumS += run.Steps[i].S
				sumR += run.Steps[i].R
			}
			s.add(sumS)
			r.add(sumR)
		}
		n, meanS, meanR := occupancy(policy)
		near(t, name+": decisions", decisions.mean(), decisions.stdError(), n)
		near(t, name+": sum of S", s.mean(), s.stdError(), n*meanS)
		if policy != (Policy{}) {
			near(t, name+": sum of R", r.mean(), r.stdError(), n*meanR)
		}
	}
}

// weighed estimates the randomized-continuation blip by tool, and over all, by
// weighting alone: the mean over decisions of W·(Y − centre), where
// W = A/p − (1−A)/(1−p). Standard errors are by trajectory.
func weighed(s Scenario, n int, seed uint64, centre float64) (byTool [toolCount + 1]ratio) {
	policy := Collection()
	for run := range s.Runs(n, seed, policy) {
		var sum, count [toolCount + 1]float64
		for i := range run.Steps {
			g := run.Steps[i].Tool
			w := -1 / (1 - policy[g])
			if run.Steps[i].Reviewed {
				w = 1 / policy[g]
			}
			for _, k := range []int{g, toolCount} {
				sum[k] += w * (run.Mean - centre)
				count[k]++
			}
		}
		for k := range byTool {
			byTool[k].add(sum[k], count[k])
		}
	}
	return byTool
}

// ratio is a ratio of sums with its error (delta method).
type ratio struct{ s, n, ss, sn, nn float64 }

func (r *ratio) add(s, n float64) {
	r.s += s
	r.n += n
	r.ss += s * s
	r.sn += s * n
	r.nn += n * n
}

func (r *ratio) value() float64 { return r.s / r.n }

func (r *ratio) stdError() float64 {
	q := r.value()
	return math.Sqrt(r.ss-2*q*r.sn+q*q*r.nn) / r.n
}

// find is the truth of a group, or of a policy.
func find(t testing.TB, all []Effect, like Effect) float64 {
	t.Helper()
	for _, e := range all {
		like.Value = e.Value
		if e == like {
			return e.Value
		}
	}
	t.Fatalf("no truth for %+v", like)
	return 0
}

func checkWeighed(t *testing.T, s Scenario, n int, centre float64, slack func(stdError float64) float64) {
	t.Helper()
	for k, r := range weighed(s, n, 2, centre) {
		like := Effect{Estimand: randomized, Outcome: s.Outcome, Arm: reviewArm, Dimension: "all", Group: "all"}
		if k < toolCount {
			like.Dimension, like.Group = "tool", worldTools[k].name
		}
		near(t, s.Name+": "+like.Group, r.value(), slack(r.stdError()), find(t, s.Truth(), like))
	}
}

func exact(stdError float64) float64 { return stdError }

// checkGains compares the mean outcome under each policy with that under none.
func checkGains(t *testing.T, s Scenario, n int, slack func(stdError float64) float64) {
	t.Helper()
	mean := func(seed uint64, p Policy) average {
		var a average
		for run := range s.Runs(n, seed, p) {
			a.add(run.Mean)
		}
		return a
	}
	never := mean(10, Policy{})
	for i, p := range policies {
		with := mean(11+uint64(i), p.policy)
		like := Effect{Estimand: policyGain, Outcome: s.Outcome, Arm: reviewArm, Policy: p.name}
		near(t, s.Name+": gain of "+p.name, with.mean()-never.mean(),
			slack(math.Hypot(with.stdError(), never.stdError())), find(t, s.Truth(), like))
	}
}

// checkUntreated compares the mean over decisions of what one review adds when
// nothing is reviewed after it.
func checkUntreated(t *testing.T, s Scenario, n int, slack func(stdError float64) float64) {
	t.Helper()
	var byTool [toolCount]ratio
	for run := range s.Runs(n, 3, Collection()) {
		var sum, count [toolCount]float64
		before := run.Base
		for i := range run.Steps {
			step := &run.Steps[i]
			if s.binary {
				sum[step.Tool] += expit(before+step.Effect) - expit(before)
			} else {
				sum[step.Tool] += step.Effect
			}
			count[step.Tool]++
			if step.Reviewed {
				before += step.Effect
			}
		}
		for g := range byTool {
			byTool[g].add(sum[g], count[g])
		}
	}
	for g := range byTool {
		like := Effect{Estimand: noTreatment, Outcome: s.Outcome, Arm: reviewArm, Dimension: "tool", Group: worldTools[g].name}
		near(t, s.Name+": untreated "+like.Group, byTool[g].value(), slack(byTool[g].stdError()), find(t, s.Truth(), like))
	}
}

func TestLinearTruth(t *testing.T) {
	for _, name := range []string{"dgp", "null"} {
		s := mustLookup(t, name)
		checkWeighed(t, s, runs(300_000, 10_000_000), scoreMean, exact)
		checkUntreated(t, s, runs(100_000, 4_000_000), func(e float64) float64 { return e + 1e-12 })
		checkGains(t, s, runs(200_000, 4_000_000), exact)
	}
}

// documented is how many trajectories the truth of the misspecified world was
// computed from: it has an error of its own.
const documented = 12_000_000

func TestMisspecifiedTruth(t *testing.T) {
	s := mustLookup(t, "misspecified")
	with := func(n int) func(float64) float64 {
		return func(stdError float64) float64 { return stdError * math.Sqrt(1+float64(n)/documented) }
	}
	n := runs(300_000, 20_000_000)
	checkWeighed(t, s, n, 0.45, with(n))
	n = runs(200_000, 10_000_000)
	checkGains(t, s, n, with(n))
	checkUntreated(t, s, n, with(n))
}

func TestRunsStop(t *testing.T) {
	for range mustLookup(t, "dgp").Runs(10, 1, Collection()) {
		break
	}
	for range mustLookup(t, "dgp").Runs(0, 1, Collection()) {
		t.Error("a run out of none")
	}
}

func BenchmarkRuns(b *testing.B) {
	b.ReportAllocs()
	for range mustLookup(b, "dgp").Runs(b.N, 1, Collection()) {
		continue
	}
}
