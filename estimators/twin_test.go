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

// The dumb twin: estimands by brute force over rows, from the text of the
// specification alone. It shares with the code under test only the walk over
// a trajectory's history and the evaluation of expressions. Least squares by
// QR on the rows themselves, no moments anywhere.

type twinRow struct {
	trajectory string
	cluster    string
	index      int
	prior      int
	levels     []string  // of the blip model
	moderators []float64 // scaled, 0 where missing
	checks     []float64 // instruments of the configuration
	policies   []float64 // the probability of intervening
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
		cluster := twinCluster(spec, t)
		walk(t, &spec.Experiment, func(p *Point) {
			if spec.Experiment.Randomized(p.Decision) != event.Randomized {
				return
			}
			r := twinRow{trajectory: t.ID, cluster: cluster, index: p.Index, prior: p.PriorInterventions, x: map[string]float64{"": 1}, groups: map[string][]string{All: {All}}, y: map[string]float64{}}
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
			r.readBlip(spec, p)
			rows = append(rows, r)
		})
	}
	twinMostLevels(spec, rows, seen)
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

// twinRidge is the ridge of several values on x over the rows with a weight
// outside fold k, by QR of the weighted rows above the square root of the
// penalty: by name of the column, a coefficient for each value.
func twinRidge(spec *Spec, rows []twinRow, k int, weight func(*twinRow) float64, value func(*twinRow) []float64) map[string][]float64 {
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
	var train []*twinRow
	for i := range rows {
		if FoldOf(rows[i].cluster, spec.Folds) != k && weight(&rows[i]) != 0 {
			train = append(train, &rows[i])
		}
	}
	width := len(value(&rows[0]))
	model := map[string][]float64{}
	for _, name := range names {
		model[name] = make([]float64, width)
	}
	if len(train) == 0 || width == 0 {
		return model
	}
	a := mat.NewDense(len(train)+len(names)-1, len(names), nil)
	b := mat.NewDense(len(train)+len(names)-1, width, nil)
	for i, r := range train {
		w := math.Abs(weight(r))
		for j, name := range names {
			a.Set(i, j, w*r.x[name])
		}
		for j, y := range value(r) {
			b.Set(i, j, w*y)
		}
	}
	for j := 1; j < len(names); j++ { // names[0] is "", the intercept
		a.Set(len(train)+j-1, j, math.Sqrt(spec.Ridge))
	}
	var qr mat.QR
	qr.Factorize(a)
	var x mat.Dense
	_ = qr.SolveTo(&x, false, b)
	for i, name := range names {
		for j := range width {
			model[name][j] = x.At(i, j)
		}
	}
	return model
}

// predict is x'b of one value.
func (r *twinRow) predict(model map[string][]float64, value int) float64 {
	sum := 0.0
	for _, name := range sortedKeys(r.x) {
		sum += r.x[name] * model[name][value]
	}
	return sum
}

// twinPanel are the rows of trajectories in which an outcome is final, and all
// those of its panel.
func twinPanel(spec *Spec, rows []twinRow, rule *event.OutcomeRule) []twinRow {
	needed := []string{rule.Name}
	if rule.Required {
		for _, o := range spec.Experiment.Outcomes {
			if o.Required {
				needed = append(needed, o.Name)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r twinRow) bool {
		return slices.ContainsFunc(needed, func(n string) bool { _, ok := r.y[n]; return !ok })
	})
}

// twinRandomized is what Randomized promises, in any order: the effect of each
// intervention, and with an outcome model for each arm the levels.
func twinRandomized(spec *Spec, ts, seen []*event.Trajectory) []Estimate {
	all := twinRows(spec, ts, seen)
	var out []Estimate
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		rows := twinPanel(spec, all, rule)
		level := func(arm int) func(*twinRow) float64 { return twinLevel(spec, rows, rule, arm) }
		control := level(0)
		if spec.PerArm {
			out = append(out, twinScored(spec, rows, rule, ArmLevel, 0, control)...)
		}
		for arm := 1; arm <= len(spec.Experiment.Interventions); arm++ {
			if spec.PerArm {
				own := level(arm)
				out = append(out, twinScored(spec, rows, rule, ArmLevel, arm, own)...)
				out = append(out, twinScored(spec, rows, rule, RandomizedContinuation, arm, func(r *twinRow) float64 { return own(r) - control(r) })...)
				continue
			}
			out = append(out, twinScored(spec, rows, rule, RandomizedContinuation, arm, twinEffect(spec, rows, rule, arm))...)
		}
	}
	return out
}

// twinLevel is the score of the level of an arm.
func twinLevel(spec *Spec, rows []twinRow, rule *event.OutcomeRule, arm int) func(*twinRow) float64 {
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(r *twinRow) float64 {
			if r.arm == arm {
				return 1
			}
			return 0
		}, func(r *twinRow) []float64 { return []float64{r.y[rule.Name]} })
	}
	return func(r *twinRow) float64 {
		m := r.predict(models[FoldOf(r.cluster, spec.Folds)], 0)
		if r.arm != arm {
			return m
		}
		return m + (r.y[rule.Name]-m)/r.p[arm]
	}
}

// twinEffectScore is the score of estimand 1, with an outcome model for each arm
// if the definition says so.
func twinEffectScore(spec *Spec, rows []twinRow, rule *event.OutcomeRule, arm int) func(*twinRow) float64 {
	if !spec.PerArm {
		return twinEffect(spec, rows, rule, arm)
	}
	own, control := twinLevel(spec, rows, rule, arm), twinLevel(spec, rows, rule, 0)
	return func(r *twinRow) float64 { return own(r) - control(r) }
}

// twinEffect is the score W (Y - x'b) of an arm against the control.
func twinEffect(spec *Spec, rows []twinRow, rule *event.OutcomeRule, arm int) func(*twinRow) float64 {
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(r *twinRow) float64 { return r.weight(arm) },
			func(r *twinRow) []float64 { return []float64{r.y[rule.Name]} })
	}
	return func(r *twinRow) float64 {
		return r.weight(arm) * (r.y[rule.Name] - r.predict(models[FoldOf(r.cluster, spec.Folds)], 0))
	}
}

// twinGroup is what is summed of one group, by cluster.
type twinGroup struct {
	dimension, group string
	s, n             map[string]float64
	trajectories     map[string]bool
	arms             map[int]int
}

func twinGroups(rows []twinRow, score func(*twinRow) float64) []*twinGroup {
	var out []*twinGroup
	at := map[[2]string]*twinGroup{}
	for i := range rows {
		r := &rows[i]
		for d, gs := range r.groups {
			for _, g := range gs {
				key := [2]string{d, g}
				if at[key] == nil {
					at[key] = &twinGroup{d, g, map[string]float64{}, map[string]float64{}, map[string]bool{}, map[int]int{}}
					out = append(out, at[key])
				}
				at[key].s[r.cluster] += score(r)
				at[key].n[r.cluster]++
				at[key].trajectories[r.trajectory] = true
				at[key].arms[r.arm]++
			}
		}
	}
	return out
}

// describe fills in what is said of every estimate of a group.
func (g *twinGroup) describe(e *Estimate) (c float64) {
	sumN, sumNN := 0.0, 0.0
	for _, k := range sortedKeys(g.n) {
		sumN += g.n[k]
		sumNN += g.n[k] * g.n[k]
	}
	e.Dimension, e.Group = g.dimension, g.group
	e.Decisions, e.Trajectories, e.EffectiveTrajectories = int64(sumN), int64(len(g.trajectories)), sumN*sumN/sumNN
	return float64(len(g.n))
}

func twinScored(spec *Spec, rows []twinRow, rule *event.OutcomeRule, estimand string, arm int, score func(*twinRow) float64) []Estimate {
	var out []Estimate
	for _, g := range twinGroups(rows, score) {
		e := Estimate{Estimand: estimand, Outcome: rule.Name, Arm: spec.Experiment.Arms()[arm]}
		c := g.describe(&e)
		n := float64(e.Decisions)
		switch {
		case c < 10:
			e.Status, e.Reason = InsufficientData, FewTrajectories
		case g.arms[arm] == 0 || estimand == RandomizedContinuation && g.arms[0] == 0:
			e.Status, e.Reason = NotIdentified, ArmAbsent
		default:
			theta, v := 0.0, 0.0
			for _, k := range sortedKeys(g.s) {
				theta += g.s[k] / n
			}
			for _, k := range sortedKeys(g.s) {
				v += (g.s[k] - theta*g.n[k]) * (g.s[k] - theta*g.n[k])
			}
			half, centre := 1.0, 0.0
			if rule.Ranged {
				half = (rule.Up - rule.Low) / 2
				if estimand == ArmLevel {
					centre = (rule.Up + rule.Low) / 2
				}
			}
			twinFinish(&e, centre+theta*half, math.Sqrt(c/(c-1)*v)/n*half, e.EffectiveTrajectories-1, c)
		}
		out = append(out, e)
	}
	return out
}

// twinFinish fills in value and intervals.
func twinFinish(e *Estimate, value, se, df, c float64) {
	e.Status, e.DF, e.Value, e.StdError = OK, df, value, se
	width := distuv.StudentsT{Sigma: 1, Nu: e.DF}.Quantile(0.975)
	e.Low, e.Up = e.Value-width*e.StdError, e.Value+width*e.StdError
	rho2 := 8.211968062068253 / 1000
	b := math.Sqrt(2 * (1 + 1/(c*rho2)) * math.Log(math.Sqrt(c*rho2+1)/0.05))
	e.SequenceLow, e.SequenceUp = e.Value-b*e.StdError, e.Value+b*e.StdError
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
