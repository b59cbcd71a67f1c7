package validity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blipd/estimators"
	"blipd/estimators/interval"
	"blipd/event"
)

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
