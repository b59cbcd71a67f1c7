package validity

import (
	"fmt"
	"math"
	"testing"
	"time"

	"blipd/estimators"
	"blipd/sim"
)

// asked is a policy as its closed form, its simulation and the estimators know it.
type asked struct {
	sim.Policy
	gain float64
}

// tools of the worlds, in the order of a sim.Policy.
var tools = [4]string{"lookup_order", "cancel_order", "modify_item", "refund"}

func (a *asked) mask() estimators.Mask {
	m := estimators.Mask{Levels: map[string]float64{}}
	for g, p := range a.Policy {
		m.Levels[tools[g]] = p
	}
	return m
}

// ninePolicies are each tool alone, all, the first two, writes, all but money,
// and one that tosses a coin of its own at each tool.
func ninePolicies(t *testing.T, w *world) []asked {
	var all []asked
	for _, p := range []sim.Policy{
		{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
		{1, 1, 1, 1}, {1, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
		{0.8, 0.5, 0.2, 0.1},
	} {
		gain, known := w.Gain(p)
		if !known {
			t.Fatal("no closed form")
		}
		all = append(all, asked{p, gain})
	}
	return all
}

// TestPolicies: the gains of nine policies, from one set of trajectories that
// followed none of them, against their closed form.
func TestPolicies(t *testing.T) {
	const n = 1000
	seeds := of(10, 200, 2000)
	w := worldOf(t, "dgp")
	policies := ninePolicies(t, w)
	inside := repeat(seeds, func(rep int) (in [9]bool) {
		for k, e := range gains(t, w.moments(n, seed(seedsPolicies, rep)), policies) {
			in[k] = e.Low <= policies[k].gain && policies[k].gain <= e.Up
		}
		return in
	})
	total, most := 0.0, 0.0
	for k := range policies {
		c := share(inside, func(in *[9]bool) bool { return in[k] })
		t.Logf("policy %v: gain %.4f, coverage %.3f (MC %.3f)", policies[k].Policy, policies[k].gain, c, binomial(c, seeds))
		total += c / 9
	}
	most = share(inside, func(in *[9]bool) bool {
		held := 0
		for _, is := range in {
			if is {
				held++
			}
		}
		return held >= 8
	})
	t.Logf("%d seeds at n = %d: %.4f of the policy intervals hold the gain; 8 of 9 do in %.3f of the seeds (MC %.3f)", seeds, n, total, most, binomial(most, seeds))
	if least := of(0.8, 0.93, 0.93); total < least {
		t.Errorf("%.4f of the policy intervals hold the gain, want %v", total, least)
	}
	if least := of(0.6, 0.8, 0.8); most < least {
		t.Errorf("8 of 9 intervals hold the gain in %.3f of the seeds, want %v", most, least)
	}
}

// gains are the estimates of the policies from sums.
func gains(t *testing.T, m *estimators.Moments, policies []asked) (all []estimators.Estimate) {
	r := m.Report()
	for k := range policies {
		own, err := r.MaskGain(policies[k].mask())
		if err != nil || own[0].Status != estimators.OK {
			t.Error(policies[k].Policy, own, err)
			return nil
		}
		all = append(all, own[0])
	}
	return all
}

// TestPoliciesByRunning runs the nine policies, and never intervening, each on
// trajectories of its own, and sets that beside the gains from one log.
func TestPoliciesByRunning(t *testing.T) {
	const n = 1000
	runs := of(20_000, 200_000, 2_000_000)
	w := worldOf(t, "dgp")
	policies := ninePolicies(t, w)
	began := time.Now()
	estimates := gains(t, w.moments(n, seed(seedsPolicies, 0)), policies)
	took := time.Since(began)
	began = time.Now()
	ran := repeat(1+len(policies), func(k int) looked {
		var p sim.Policy
		if k > 0 {
			p = policies[k-1].Policy
		}
		sum, squares, reps := 0.0, 0.0, float64(runs)
		for r := range w.Runs(runs, seed(seedsPolicies, 500_000+k), p) {
			sum += r.Outcome
			squares += r.Outcome * r.Outcome
		}
		return looked{value: sum / reps, se: math.Sqrt((squares/reps - sum*sum/reps/reps) / (reps - 1))}
	})
	byRunning := time.Since(began)
	needed := 0.0
	for k, e := range estimates {
		direct, se := ran[1+k].value-ran[0].value, math.Hypot(ran[1+k].se, ran[0].se)
		same := se * se / (e.StdError * e.StdError) * float64(2*runs) // fresh ones, for the same error
		needed += same / 2
		t.Logf("policy %v: closed form %.4f, run %.4f (MC %.4f), estimated %.4f (SE %.4f); running it to that error takes %.0f trajectories", policies[k].Policy, policies[k].gain, direct, se, e.Value, e.StdError, same)
		if math.Abs(direct-policies[k].gain) > 4.5*se {
			t.Errorf("policy %v: running it gives %.4f, which is not %.4f within 4.5 x %.4f", policies[k].Policy, direct, policies[k].gain, se)
		}
		if math.Abs(e.Value-direct) > 4*math.Hypot(e.StdError, se) {
			t.Errorf("policy %v: estimated %.4f (SE %.4f), but running it gives %.4f", policies[k].Policy, e.Value, e.StdError, direct)
		}
	}
	t.Log(fmt.Sprintf("from one log: %d trajectories that followed none of them, %.3f s for all nine; ", n, took.Seconds()) +
		fmt.Sprintf("by running: %d trajectories, %.2f s; to the errors of the log about %.0f, and ten policies to try on the agents", (1+len(policies))*runs, byRunning.Seconds(), needed))
}
