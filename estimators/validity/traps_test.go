package validity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blipd/estimators"
	"blipd/estimators/interval"
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

// steady is a trajectory of so many decisions without any effect.
func steady(rng *rand.Rand, id string, decisions int, state ...event.Member) *event.Trajectory {
	var all []event.Decision
	for range decisions {
		all = append(all, decide(rng, "x", 0.5, state...))
	}
	return ended(id, 5+rng.NormFloat64(), all...)
}

// TestD3: the mean score under an arm, with the error of independent rows. All
// decisions of a trajectory have one score.
func TestD3(t *testing.T) {
	spec := specOf(t, plain+"    outcome_model: {per_arm: true}\n")
	for i, c := range []struct {
		decisions int
		most      float64
	}{{5, 0.8}, {20, 0.6}, {60, 0.4}} {
		t.Run(fmt.Sprint(c.decisions), func(t *testing.T) {
			wrong, _ := trap(t, 3+i, 5, func(rng *rand.Rand) tried {
				rows, whole := estimators.New(spec), estimators.New(spec)
				for k := range 100 {
					tr := steady(rng, fmt.Sprint(k), c.decisions)
					whole.Add(tr)
					for _, row := range split(tr) {
						rows.Add(row)
					}
				}
				return tried{saw(named(rows.Randomized(), estimators.ArmLevel, ""), 5), saw(named(whole.Randomized(), estimators.ArmLevel, ""), 5)}
			})
			wrong.failsBelow(t, c.most)
		})
	}
}

// TestD3b: four parallel calls are decided by one draw. Counted as four they
// look like four times the evidence; one decision of four calls is one row.
func TestD3b(t *testing.T) {
	spec := specOf(t, plain)
	wrong, _ := trap(t, 6, 0, func(rng *rand.Rand) tried {
		four, one := estimators.New(spec), estimators.New(spec)
		for k := range 200 {
			tr := steady(rng, fmt.Sprint(k), 1)
			for _, row := range split(ended(fmt.Sprint(k), tr.Outcomes[0].Final.Value, slices.Repeat(tr.Decisions, 4)...)) {
				four.Add(row)
			}
			tr.Decisions[0].Calls = []event.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}, {Tool: "d"}}
			one.Add(tr)
		}
		return tried{saw(named(four.Randomized(), estimators.RandomizedContinuation, ""), 0), saw(named(one.Randomized(), estimators.RandomizedContinuation, ""), 0)}
	})
	wrong.failsBelow(t, 0.75)
}

// TestD3c: a reviewer replaces delete by archive where things stand badly. The
// tool that ran is no group, for the draw has made it what it is.
func TestD3c(t *testing.T) {
	spec := specOf(t, plain+"    groups: [{dimension: ran, expr: state.ran}, {dimension: tool, expr: action.tool}]\n")
	wrong, _ := trap(t, 7, 0, func(rng *rand.Rand) tried {
		m := estimators.New(spec)
		for k := range 400 {
			u := rng.NormFloat64()
			proposed := []string{"delete", "archive"}[rng.IntN(2)]
			d := decide(rng, proposed, 0.5)
			ran := proposed
			if d.Assignment.Arm == review && u < 0 {
				ran = "archive"
			}
			d.State = append(d.State, text("ran", ran+"d"))
			m.Add(ended(fmt.Sprint(k), u+0.6*rng.NormFloat64(), d))
		}
		all := m.Randomized()
		return tried{saw(named(all, estimators.RandomizedContinuation, "archived"), 0), saw(named(all, estimators.RandomizedContinuation, "archive"), 0)}
	})
	wrong.failsBelow(t, 0.6)
}

// TestD4: folds by decision. With features that tell trajectories apart the
// outcome model has seen the score that it is to predict.
func TestD4(t *testing.T) {
	const features, effect = 80, 0.3
	var yaml strings.Builder
	yaml.WriteString(plain + "    features:\n")
	for f := range features {
		fmt.Fprintf(&yaml, "      - {name: z%02d, expr: state.z%02d}\n", f, f)
	}
	spec := specOf(t, yaml.String())
	wrong, _ := trap(t, 8, effect, func(rng *rand.Rand) tried {
		rows, whole := estimators.New(spec), estimators.New(spec)
		for k := range 120 {
			var z []event.Member
			for f := range features {
				z = append(z, number(fmt.Sprintf("z%02d", f), rng.NormFloat64()))
			}
			tr := steady(rng, fmt.Sprint(k), 5, z...)
			for i := range tr.Decisions {
				if tr.Decisions[i].Assignment.Arm == review {
					tr.Outcomes[0].Final.Value += effect
				}
			}
			whole.Add(tr)
			for _, row := range split(tr) {
				rows.Add(row)
			}
		}
		return tried{saw(named(rows.Randomized(), estimators.RandomizedContinuation, ""), effect), saw(named(whole.Randomized(), estimators.RandomizedContinuation, ""), effect)}
	})
	wrong.failsBelow(t, 0.6)
	if wrong.mean > 0.7*effect {
		t.Errorf("the wrong way gives %.3f of %.3f: this test must see it shrink", wrong.mean, effect)
	}
}

// TestD5: a penalty on the intercept of the outcome model leaves a part of a
// mean of 100 standard deviations in the residual.
func TestD5(t *testing.T) {
	const ridge = 20
	spec := specOf(t, plain+fmt.Sprintf("    outcome_model: {ridge: %d}\n", ridge))
	wrong, right := trap(t, 9, 0, func(rng *rand.Rand) tried {
		m := estimators.New(spec)
		type row struct {
			fold int
			w, y float64
		}
		var rows []row
		for k := range 200 {
			id := fmt.Sprint(k)
			tr := ended(id, 100+rng.NormFloat64(), decide(rng, "x", 0.5))
			m.Add(tr)
			rows = append(rows, row{estimators.FoldOf(id, 5), weight(&tr.Decisions[0]), tr.Outcomes[0].Final.Value})
		}
		var scores []float64
		for _, r := range rows {
			gram, cross := float64(ridge), 0.0 // the penalty that should not be there
			for _, o := range rows {
				if o.fold != r.fold {
					gram += o.w * o.w
					cross += o.w * o.w * o.y
				}
			}
			scores = append(scores, r.w*(r.y-cross/gram))
		}
		value, sd := moments(scores)
		return tried{guess(value, sd/math.Sqrt(float64(len(scores))), 0), saw(named(m.Randomized(), estimators.RandomizedContinuation, ""), 0)}
	})
	if wrong.sd < 2*right.sd {
		t.Errorf("the wrong way has a standard deviation of %.3f, the right one of %.3f: this test must see twice as much", wrong.sd, right.sd)
	}
}

// TestD6: the log says .5 and the draws were made with .6. Plain weighting is
// off by .2/.5 of the mean score; the evidence about the coin says so.
func TestD6(t *testing.T) {
	const n, decisions, logged, actual, level = 400, 5, 0.5, 0.6, 1
	// weighted is the plain mean of W Y as the log has it, and what the log says
	// of the coin.
	weighted := func(rng *rand.Rand, p float64) (looked, float64) {
		var scores []float64
		excess := 0.0
		for range n {
			y, sum := level+rng.NormFloat64(), 0.0
			for range decisions {
				d := event.Decision{Assignment: assigned(rng.Float64() < actual, p)}
				sum += weight(&d) * y / decisions
				if d.Assignment.Arm == review {
					excess++
				}
				excess -= p
			}
			scores = append(scores, sum)
		}
		value, sd := moments(scores)
		return guess(value, sd/math.Sqrt(n), 0), interval.Coin(excess, n*decisions)
	}
	wrong, _ := trap(t, 10, 0, func(rng *rand.Rand) tried {
		wrong, alarm := weighted(rng, logged)
		right, quiet := weighted(rng, actual)
		if alarm < interval.CoinAlarm || quiet >= interval.CoinAlarm {
			t.Errorf("evidence %.3g about the wrong log, %.3g about the right one; an alarm is %v", alarm, quiet, interval.CoinAlarm)
		}
		return tried{wrong, right}
	})
	wrong.failsBelow(t, 0.05)
	if math.Abs(wrong.mean-0.4) > 0.02 {
		t.Errorf("the wrong way gives %.3f, and must be off by .4", wrong.mean)
	}
}
