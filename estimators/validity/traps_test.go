package validity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blipd/estimators"
	"blipd/event"
)

// plain is an experiment without features; what is indented further is added.
const plain = `experiments:
  - name: trap
    arms: {control: direct, interventions: [review]}
    outcomes: [{name: score, better: higher}]
`

// tried is one repetition of a trap: the wrong way and the right one.
type tried struct{ wrong, right looked }

// trap runs a trap, prints both ways, and hands their summaries on.
func trap(t *testing.T, place int, truth float64, one func(rng *rand.Rand) tried) (wrong, right summary) {
	t.Helper()
	reps := of(60, 300, 3000)
	all := repeat(reps, func(rep int) tried { return one(generator(seed(seedsTraps+place, rep))) })
	var w, r []looked
	for _, a := range all {
		w, r = append(w, a.wrong), append(r, a.right)
	}
	wrong, right = summarize(component{value: truth}, w), summarize(component{value: truth}, r)
	for _, way := range []struct {
		name string
		*summary
	}{{"wrong", &wrong}, {"right", &right}} {
		name, s := way.name, way.summary
		t.Logf("%s: bias %+.4f (MC %.4f), SD %.4f, mean SE %.4f, coverage %.3f (MC %.3f), %d repetitions", name, s.mean-s.value, s.sd/math.Sqrt(float64(reps)), s.sd, s.se, s.coverage, s.error(), reps)
		if s.without > 0 {
			t.Errorf("%s: %d repetitions without a value", name, s.without)
		}
	}
	if bound := 0.95 - 4*binomial(0.95, reps); right.coverage < bound {
		t.Errorf("the right way covers %.3f, want %.3f", right.coverage, bound)
	}
	if bound := 4 / math.Sqrt(float64(reps)); math.Abs(right.bias()) > bound {
		t.Errorf("the right way has a bias of %.3f standard deviations, want at most %.3f", right.bias(), bound)
	}
	return wrong, right
}

// failsBelow fails unless the coverage of the wrong way is seen to be below
// most, or within three Monte Carlo errors of it.
func (s *summary) failsBelow(t *testing.T, most float64) {
	t.Helper()
	if bound := most + 3*binomial(most, s.reps); s.coverage > bound {
		t.Errorf("the wrong way covers %.3f: this test must see it fail, at most %.3f", s.coverage, bound)
	}
}

// leaving is a trajectory without any effect on its score, U plus noise, in
// which a review ends the work of the good ones (U > 0) early. It has at most so
// many decisions.
func leaving(rng *rand.Rand, id string, most int) *event.Trajectory {
	u := rng.NormFloat64()
	var all []event.Decision
	for going := true; going && len(all) < most; {
		d := decide(rng, "x", 0.5)
		stop := 0.2
		if d.Assignment.Arm == review {
			stop = 0.1
			if u > 0 {
				stop = 0.6
			}
		}
		all = append(all, d)
		going = rng.Float64() >= stop
	}
	return ended(id, u+0.6*rng.NormFloat64(), all...)
}

// TestD1: the mean over trajectories of each one's mean effect divides by a
// length that the intervention itself decides. The ratio of sums does not.
func TestD1(t *testing.T) {
	spec := specOf(t, plain)
	wrong, _ := trap(t, 1, 0, func(rng *rand.Rand) tried {
		m := estimators.New(spec)
		const n = 300
		var ratios []float64
		for i := range n {
			tr := leaving(rng, fmt.Sprint(i), 30)
			m.Add(tr)
			s := 0.0
			for k := range tr.Decisions {
				s += weight(&tr.Decisions[k]) * tr.Outcomes[0].Final.Value
			}
			ratios = append(ratios, s/float64(len(tr.Decisions)))
		}
		value, sd := moments(ratios)
		return tried{guess(value, sd/math.Sqrt(n), 0), saw(named(m.Randomized(), estimators.RandomizedContinuation, ""), 0)}
	})
	wrong.failsBelow(t, 0.6)
}

// moments are the mean and the standard deviation of numbers.
func moments(all []float64) (average, sd float64) {
	average = mean(all, func(x *float64) float64 { return *x })
	squares := mean(all, func(x *float64) float64 { return (*x - average) * (*x - average) })
	return average, math.Sqrt(squares * float64(len(all)) / float64(len(all)-1))
}

// TestD2: of the trajectories that started within 12 steps, those that are
// complete at the end are short, and that is for reasons. Those that started in
// periods all of whose trajectories are complete are not chosen by their length.
func TestD2(t *testing.T) {
	spec := specOf(t, plain)
	const periods, perPeriod, longest = 12, 120, 8
	wrong, _ := trap(t, 2, 0, func(rng *rand.Rand) tried {
		all, complete := estimators.New(spec), estimators.New(spec)
		closed := true // every trajectory of this period and those before
		for p := range periods {
			var period []*event.Trajectory
			for i := range perPeriod {
				tr := leaving(rng, fmt.Sprint(p, "-", i), longest)
				period = append(period, tr)
				if p+len(tr.Decisions) <= periods {
					all.Add(tr)
				} else {
					closed = false
				}
			}
			if closed {
				for _, tr := range period {
					complete.Add(tr)
				}
			}
		}
		return tried{saw(named(all.Randomized(), estimators.RandomizedContinuation, ""), 0), saw(named(complete.Randomized(), estimators.RandomizedContinuation, ""), 0)}
	})
	wrong.failsBelow(t, 0.8)
}
