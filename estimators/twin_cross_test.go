package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blipd/event"
)

// twinCross is the cross-check of a policy (-1 is never), over rows: the value
// by self-normalised importance sampling and doubly robust, on everything and
// without each bucket.
func twinCross(spec *Spec, ts []*event.Trajectory, rows []twinRow, rule *event.OutcomeRule, policy int) (importance, robust [65]float64) {
	psi, stacked := twinPsi(spec, rows, rule.Name, policy)
	of := map[*twinRow]*twinBlip{}
	for i := range stacked {
		of[stacked[i].twinRow] = &stacked[i]
	}
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 {
			y := r.y[rule.Name]
			for c, x := range psi[0] {
				y -= x * (of[r].taken[c] + of[r].fpi[c])
			}
			return []float64{y}
		})
	}
	byID := map[string][]*twinBlip{}
	for i := range stacked {
		byID[stacked[i].trajectory] = append(byID[stacked[i].trajectory], &stacked[i])
	}
	var sumRho, sumRhoY, value, n [65]float64
	for _, t := range ts {
		held := t.Held(rule.Name).Final
		if !held.Given {
			continue
		}
		y := (held.Value - (rule.Up+rule.Low)/2) / ((rule.Up - rule.Low) / 2)
		key := twinCluster(spec, t)
		own := byID[t.ID]
		v := func(at int) float64 { // of history at, from 0
			if at == len(own) {
				return y
			}
			r := own[at]
			sum := r.predict(models[FoldOf(key, spec.Folds)], 0)
			for c, x := range psi[0] {
				sum += (r.visited[c] + r.taken[c]) * x // pi f
			}
			return sum
		}
		rho, total := 1.0, v(0)
		for at, r := range own {
			under := make([]float64, len(r.p))
			under[0] = 1
			if policy >= 0 {
				under[0], under[1+spec.Policies[policy].Arm] = 1-r.policies[policy], r.policies[policy]
			}
			rho *= under[r.arm] / r.p[r.arm]
			q := r.predict(models[FoldOf(key, spec.Folds)], 0)
			for c, x := range psi[0] {
				q += r.taken[c] * x
			}
			total += rho * (v(at+1) - q)
		}
		for b := range n {
			if BucketOf(key) != b-1 {
				sumRho[b] += rho
				sumRhoY[b] += rho * y
				value[b] += total
				n[b]++
			}
		}
	}
	for b := range n {
		importance[b], robust[b] = sumRhoY[b]/sumRho[b], value[b]/n[b]
	}
	return importance, robust
}

// TestCrossCheckEqualsTwin holds both cross-checks to brute force, shown or not.
func TestCrossCheckEqualsTwin(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 107))
			spec := blipSpec(1+int(seed%2), seed >= 2, false)
			ts := drawPanel(rng, spec, 400)
			total, kept := summed(t, rng, spec, ts, 0, 150)
			rows := twinRows(spec, kept, ts)
			for _, p := range total.panels {
				f := total.fitBlip(p)
				for o, of := range p.outcomes {
					rule := &spec.Experiment.Outcomes[of]
					own := twinPanel(spec, rows, rule)
					never, neverRobust := twinCross(spec, kept, own, rule, -1)
					for i, policy := range spec.Policies {
						importance, robust := twinCross(spec, kept, own, rule, i)
						for b := range importance {
							importance[b] -= never[b]
							robust[b] -= neverRobust[b]
						}
						gotImportance, gotRobust := f.crossCheck(1+i, o)
						compareCross(t, policy.Name+" importance", gotImportance, importance, rule)
						compareCross(t, policy.Name+" robust", gotRobust, robust, rule)
					}
				}
			}
		})
	}
}

func compareCross(t *testing.T, what string, got CrossCheck, theta [65]float64, rule *event.OutcomeRule) {
	t.Helper()
	half := (rule.Up - rule.Low) / 2
	se := twinJackknife(theta) * half
	near(t, what, got.Gain, theta[0]*half, 1e-9*se)
	near(t, what+" error", got.StdError, se, 1e-9*se)
}

// TestCrossCheckIsShown: in a world whose truth is the blip model, with enough
// trajectories that agree, all three ways tell of the same gain; with few that
// do, only the model's is shown.
func TestCrossCheckIsShown(t *testing.T) {
	spec := armSpec("direct", "full", "half", "idle")
	spec.Policies[0].Arm = 0
	rng := rand.New(rand.NewPCG(109, 113))
	few, many := New(spec), New(spec)
	for i, tr := range drawArms(rng, 3000, 2) {
		if i < 250 {
			few.Add(tr)
		}
		many.Add(tr)
	}
	if _, _, support := few.Blip(); support[1].Importance != nil {
		t.Errorf("shown with an effective sample of %v", support[1].Effective)
	}
	all, _, support := many.Blip()
	gain := all[len(all)-1]
	if support[1].Importance == nil || gain.Status != OK {
		t.Fatalf("nothing to compare: %+v, %+v", support, gain)
	}
	for what, c := range map[string]*CrossCheck{"importance": support[1].Importance, "robust": support[1].Robust} {
		if off := (c.Gain - gain.Value) / math.Hypot(c.StdError, gain.StdError); math.Abs(off) > 4 {
			t.Errorf("%s: %+v is %.1f errors from %v ± %v", what, *c, off, gain.Value, gain.StdError)
		}
		t.Logf("%s: %+v, by the model %v ± %v", what, *c, gain.Value, gain.StdError)
	}
}
