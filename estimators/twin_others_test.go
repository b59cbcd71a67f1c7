package estimators

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"blipd/event"
)

// twinSupport is what Blip says of policies and never, by outcome.
func twinSupport(spec *Spec, ts, seen []*event.Trajectory) []PolicySupport {
	all := twinRows(spec, ts, seen)
	var out []PolicySupport
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		rows := twinPanel(spec, all, rule)
		for p := -1; p < len(spec.Policies); p++ {
			s := PolicySupport{Outcome: rule.Name}
			if p >= 0 {
				s.Policy = spec.Policies[p].Name
			}
			rho := map[string]float64{}
			for _, r := range rows {
				if _, known := rho[r.trajectory]; !known {
					rho[r.trajectory] = 1
				}
				under := make([]float64, len(r.p))
				under[0] = 1
				if p >= 0 {
					under[0], under[1+spec.Policies[p].Arm] = 1-r.policies[p], r.policies[p]
				}
				rho[r.trajectory] *= under[r.arm] / r.p[r.arm]
				s.Differing += (1 - under[r.arm]) / float64(len(rows))
			}
			sum, squares := 0.0, 0.0
			for _, t := range sortedKeys(rho) {
				if rho[t] > 0 {
					s.Agreement += 1 / float64(len(rho))
				}
				sum, squares = sum+rho[t], squares+rho[t]*rho[t]
			}
			if sum > 0 {
				s.Effective = sum * sum / squares
			}
			out = append(out, s)
		}
	}
	return out
}

func compareSupport(t *testing.T, got, want []PolicySupport) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("support of %d policies, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].Outcome != w.Outcome || got[i].Policy != w.Policy {
			t.Errorf("support of %s %s, want of %s %s", got[i].Outcome, got[i].Policy, w.Outcome, w.Policy)
		}
		near(t, "agreement of "+w.Policy, got[i].Agreement, w.Agreement, 1e-9)
		near(t, "effective sample of "+w.Policy, got[i].Effective, w.Effective, 1e-6*(1+w.Effective))
		near(t, "differing of "+w.Policy, got[i].Differing, w.Differing, 1e-9)
	}
}

// twinModerated is what Moderated promises.
func twinModerated(spec *Spec, ts, seen []*event.Trajectory) []Estimate {
	all := twinRows(spec, ts, seen)
	var out []Estimate
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		half := 1.0
		if rule.Ranged {
			half = (rule.Up - rule.Low) / 2
		}
		rows := twinPanel(spec, all, rule)
		for arm := 1; arm <= len(spec.Experiment.Interventions); arm++ {
			score := twinEffect(spec, rows, rule, arm)
			k := 1 + len(spec.Blip.Moderators)
			b, r := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
			s := func(row *twinRow) []float64 { return append([]float64{1}, row.moderators...) }
			for i := range rows {
				for x, sx := range s(&rows[i]) {
					r.SetVec(x, r.AtVec(x)+sx*score(&rows[i]))
					for y, sy := range s(&rows[i]) {
						b.Set(x, y, b.At(x, y)+sx*sy)
					}
				}
			}
			var beta mat.VecDense
			_ = beta.SolveVec(b, r)
			u := map[string]*mat.VecDense{}
			for i := range rows {
				if u[rows[i].cluster] == nil {
					u[rows[i].cluster] = mat.NewVecDense(k, nil)
				}
				sx := mat.NewVecDense(k, s(&rows[i]))
				u[rows[i].cluster].AddScaledVec(u[rows[i].cluster], score(&rows[i])-mat.Dot(sx, &beta), sx)
			}
			c := float64(len(u))
			meat := mat.NewDense(k, k, nil)
			for _, key := range sortedKeys(u) {
				var outer mat.Dense
				outer.Outer(c/(c-1), u[key], u[key])
				meat.Add(meat, &outer)
			}
			var inverse, v mat.Dense
			_ = inverse.Inverse(b)
			v.Product(&inverse, meat, &inverse)
			groups := twinGroups(rows, score)
			whole := groups[slices.IndexFunc(groups, func(g *twinGroup) bool { return g.dimension == All })]
			for t := range k {
				e := Estimate{Estimand: ModeratedEffect, Outcome: rule.Name, Arm: spec.Experiment.Interventions[arm-1], Term: InterceptTerm}
				if t > 0 {
					e.Term = spec.Features[spec.Blip.Moderators[t-1]].Name
				}
				whole.describe(&e)
				e.Dimension, e.Group = "", ""
				twinFinish(&e, beta.AtVec(t)*half, math.Sqrt(v.At(t, t))*half, e.EffectiveTrajectories-float64(k), c)
				out = append(out, e)
			}
		}
	}
	return out
}
