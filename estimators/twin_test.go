package estimators

import (
	"math"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"blipd/event"
)

// The dumb twin: estimand 1 by brute force over rows, from the text of the
// specification alone. It shares with the code under test only the walk over
// a trajectory's history and the evaluation of expressions. Least squares by
// QR on the rows themselves, no moments anywhere.

type twinRow struct {
	trajectory string
	arm        int
	p          []float64 // by arm
	x          map[string]float64
	groups     map[string][]string // by dimension
	y          map[string]float64  // scaled, final outcomes only
}

// twinRows lists the rows of all trajectories. seen are all trajectories ever
// counted: they decide which levels have a column.
func twinRows(spec *Spec, ts, seen []*event.Trajectory) []twinRow {
	kept := twinLevels(spec, seen)
	var rows []twinRow
	for _, t := range ts {
		walk(t, &spec.Experiment, func(p *Point) {
			if spec.Experiment.Randomized(p.Decision) != event.Randomized {
				return
			}
			r := twinRow{trajectory: t.ID, x: map[string]float64{"": 1}, groups: map[string][]string{All: {All}}, y: map[string]float64{}}
			r.arm = spec.Experiment.Arm(p.Decision.Assignment.Arm)
			for _, arm := range spec.Experiment.Arms() {
				r.p = append(r.p, p.Decision.Assignment.Of(arm))
			}
			for f, feature := range spec.Features {
				vs := values(&feature.Expr, p, nil)
				if !feature.Category {
					if x, ok, _ := scaled(&feature, vs); ok {
						r.x[feature.Name] = x
					} else {
						r.x[feature.Name+"/missing"] = 1
					}
					continue
				}
				for _, l := range levels(vs, nil) {
					switch {
					case l == MissingLevel:
						r.x[feature.Name+"/missing"] = 1
					case slices.Contains(kept[f], l):
						r.x[feature.Name+"/level/"+l] = 1
					default:
						r.x[feature.Name+"/other"]++
					}
				}
			}
			for _, d := range spec.Dimensions {
				r.groups[d.Name] = levels(values(&d.Expr, p, nil), nil)
			}
			for i := range spec.Experiment.Outcomes {
				o := &spec.Experiment.Outcomes[i]
				if h := t.Held(o.Name).Final; h.Given {
					r.y[o.Name] = h.Value
					if o.Ranged {
						r.y[o.Name] = (h.Value - (o.Low+o.Up)/2) / ((o.Up - o.Low) / 2)
					}
				}
			}
			rows = append(rows, r)
		})
	}
	return rows
}

// twinLevels lists per feature the levels that have a column.
func twinLevels(spec *Spec, ts []*event.Trajectory) [][]string {
	kept := make([][]string, len(spec.Features))
	for f, feature := range spec.Features {
		set := map[string]bool{}
		for _, t := range ts {
			walk(t, &spec.Experiment, func(p *Point) {
				if spec.Experiment.Randomized(p.Decision) == event.Randomized && feature.Category {
					for _, l := range levels(values(&feature.Expr, p, nil), nil) {
						if l != MissingLevel {
							set[l] = true
						}
					}
				}
			})
		}
		for l := range set {
			kept[f] = append(kept[f], l)
		}
		sort.Slice(kept[f], func(i, j int) bool {
			return xxhash.Sum64String(kept[f][i]) < xxhash.Sum64String(kept[f][j])
		})
		if len(kept[f]) > feature.MaxLevels {
			kept[f] = kept[f][:feature.MaxLevels]
		}
	}
	return kept
}

func (r *twinRow) weight(arm int) float64 {
	switch r.arm {
	case arm:
		return 1 / r.p[arm]
	case 0:
		return -1 / r.p[0]
	}
	return 0
}

// twinModel is the ridge of outcome on x over the rows with a weight outside
// fold k, by QR of the weighted rows above the square root of the penalty.
func twinModel(spec *Spec, rows []twinRow, arm int, outcome string, k int) map[string]float64 {
	var names []string
	seen := map[string]bool{}
	for i := range rows {
		for name := range rows[i].x {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	var train []twinRow
	for _, r := range rows {
		if FoldOf(r.trajectory, spec.Folds) != k && r.weight(arm) != 0 {
			train = append(train, r)
		}
	}
	model := map[string]float64{}
	if len(train) == 0 {
		return model
	}
	a := mat.NewDense(len(train)+len(names)-1, len(names), nil)
	b := mat.NewVecDense(len(train)+len(names)-1, nil)
	for i, r := range train {
		w := math.Abs(r.weight(arm))
		for j, name := range names {
			a.Set(i, j, w*r.x[name])
		}
		b.SetVec(i, w*r.y[outcome])
	}
	for j := 1; j < len(names); j++ { // names[0] is "", the intercept
		a.Set(len(train)+j-1, j, math.Sqrt(spec.Ridge))
	}
	var qr mat.QR
	qr.Factorize(a)
	var x mat.VecDense
	_ = qr.SolveVecTo(&x, false, b)
	for j, name := range names {
		model[name] = x.AtVec(j)
	}
	return model
}

// twinRandomized is what Randomized promises, in any order.
func twinRandomized(spec *Spec, ts, seen []*event.Trajectory) []Estimate {
	all := twinRows(spec, ts, seen)
	var out []Estimate
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		var rows []twinRow
		for _, r := range all {
			needed := []string{rule.Name}
			if rule.Required {
				for _, o := range spec.Experiment.Outcomes {
					if o.Required {
						needed = append(needed, o.Name)
					}
				}
			}
			if !slices.ContainsFunc(needed, func(n string) bool { _, ok := r.y[n]; return !ok }) {
				rows = append(rows, r)
			}
		}
		for arm := 1; arm <= len(spec.Experiment.Interventions); arm++ {
			models := make([]map[string]float64, spec.Folds)
			for k := range models {
				models[k] = twinModel(spec, rows, arm, rule.Name, k)
			}
			type key struct{ dimension, group string }
			s, n := map[key]map[string]float64{}, map[key]map[string]float64{}
			arms := map[key]map[int]int{}
			for _, r := range rows {
				model := models[FoldOf(r.trajectory, spec.Folds)]
				residual := r.y[rule.Name]
				for name, x := range r.x {
					residual -= x * model[name]
				}
				for d, gs := range r.groups {
					for _, g := range gs {
						at := key{d, g}
						if s[at] == nil {
							s[at], n[at], arms[at] = map[string]float64{}, map[string]float64{}, map[int]int{}
						}
						s[at][r.trajectory] += r.weight(arm) * residual
						n[at][r.trajectory]++
						arms[at][r.arm]++
					}
				}
			}
			for at := range s {
				out = append(out, twinEstimate(rule, spec.Experiment.Interventions[arm-1], arm, at.dimension, at.group, s[at], n[at], arms[at]))
			}
		}
	}
	return out
}

func twinEstimate(rule *event.OutcomeRule, name string, arm int, d, g string, s, n map[string]float64, arms map[int]int) Estimate {
	e := Estimate{Estimand: RandomizedContinuation, Outcome: rule.Name, Arm: name, Dimension: d, Group: g}
	sumS, sumN, sumNN := 0.0, 0.0, 0.0
	for _, t := range sortedKeys(s) {
		sumS += s[t]
		sumN += n[t]
		sumNN += n[t] * n[t]
	}
	c := float64(len(s))
	e.Decisions, e.Trajectories, e.EffectiveTrajectories = int64(sumN), int64(c), sumN*sumN/sumNN
	if c < 10 {
		e.Status, e.Reason = InsufficientData, FewTrajectories
		return e
	}
	if arms[0] == 0 || arms[arm] == 0 {
		e.Status, e.Reason = NotIdentified, ArmAbsent
		return e
	}
	theta, v := sumS/sumN, 0.0
	for _, t := range sortedKeys(s) {
		v += (s[t] - theta*n[t]) * (s[t] - theta*n[t])
	}
	half := 1.0
	if rule.Ranged {
		half = (rule.Up - rule.Low) / 2
	}
	e.Status, e.DF = OK, e.EffectiveTrajectories-1
	e.Value, e.StdError = theta*half, math.Sqrt(c/(c-1)*v)/sumN*half
	width := distuv.StudentsT{Sigma: 1, Nu: e.DF}.Quantile(0.975)
	e.Low, e.Up = e.Value-width*e.StdError, e.Value+width*e.StdError
	rho2 := 8.211968062068253 / 1000
	b := math.Sqrt(2 * (1 + 1/(c*rho2)) * math.Log(math.Sqrt(c*rho2+1)/0.05))
	e.SequenceLow, e.SequenceUp = e.Value-b*e.StdError, e.Value+b*e.StdError
	return e
}

func sortedKeys(m map[string]float64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
