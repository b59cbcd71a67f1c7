package estimators

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"blipd/event"
)

// twinCluster is the cluster key of a trajectory.
func twinCluster(spec *Spec, t *event.Trajectory) string {
	key, first := t.ID, true
	if spec.Cluster.Eval != nil {
		walk(t, &spec.Experiment, func(p *Point) {
			if name, ok := spec.Cluster.Eval(p).Level(); ok && first {
				key = name
			}
			first = false
		})
	}
	return key
}

// readBlip reads what estimands 2 and 3 need of a row.
func (r *twinRow) readBlip(spec *Spec, p *Point) {
	if spec.Blip == nil {
		return
	}
	r.levels = []string{All}
	if d := spec.Blip.Dimension; d > 0 {
		r.levels = levels(values(&spec.Dimensions[d-1].Expr, p, nil), nil)
	}
	for _, f := range spec.Blip.Moderators {
		x, _, _ := scaled(&spec.Features[f], values(&spec.Features[f].Expr, p, nil))
		r.moderators = append(r.moderators, x)
	}
	for i := range spec.Blip.Checks {
		x, _ := spec.Blip.Checks[i].Eval(p).Float()
		r.checks = append(r.checks, x)
	}
	for i := range spec.Policies {
		pi := 0.0
		for _, v := range values(&spec.Policies[i].Intervene, p, nil) {
			if v == event.BoolOf(true) {
				pi = spec.Policies[i].Probability
			}
		}
		r.policies = append(r.policies, pi)
	}
}

// twinPooled says which column each level has.
func twinPooled(rows []twinRow) map[string]string {
	clusters := map[string]map[string]bool{}
	for _, r := range rows {
		for _, l := range r.levels {
			if clusters[l] == nil {
				clusters[l] = map[string]bool{}
			}
			clusters[l][r.cluster] = true
		}
	}
	names := sortedKeys(clusters)
	size := func(l string) int {
		if l == OtherLevel && len(clusters[l]) >= 10 {
			return math.MaxInt
		}
		return len(clusters[l])
	}
	sort.SliceStable(names, func(i, j int) bool { return size(names[i]) < size(names[j]) })
	column, together := map[string]string{}, map[string]bool{}
	for _, l := range names {
		column[l] = l
		if small := len(clusters[l]) < 10; small || len(together) > 0 && len(together) < 10 {
			column[l] = PooledLevel
			for c := range clusters[l] {
				together[c] = true
			}
		}
	}
	return column
}

// twinBlip is a row as the blip model sees it.
type twinBlip struct {
	*twinRow
	f       []float64
	z, fpi  []float64 // Z and F^pi, stacked by intervention
	taken   []float64 // (1{A=m} f)_m
	visited []float64 // ((pi - 1{A=m}) f)_m
}

// twinStack lists the rows under a policy; nil is never.
func twinStack(spec *Spec, rows []twinRow, policy int) []twinBlip {
	column := twinPooled(rows)
	var columns []string
	for _, c := range column {
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	sort.Strings(columns)
	arms := len(spec.Experiment.Interventions)
	out := make([]twinBlip, len(rows))
	for i := range rows {
		b := twinBlip{twinRow: &rows[i], f: make([]float64, len(columns))}
		for _, l := range b.levels {
			b.f[slices.Index(columns, column[l])]++
		}
		b.f = append(b.f, b.moderators...)
		for m := 1; m <= arms; m++ {
			taken, pi := 0.0, 0.0
			if b.arm == m {
				taken = 1
			}
			if policy >= 0 && spec.Policies[policy].Arm == m-1 {
				pi = b.policies[policy]
			}
			for _, f := range b.f {
				b.z = append(b.z, (taken-b.p[m])*f)
				b.taken = append(b.taken, taken*f)
				b.visited = append(b.visited, (pi-taken)*f)
			}
		}
		out[i] = b
	}
	for i := range out {
		out[i].fpi = make([]float64, len(out[i].z))
		for j := i + 1; j < len(out) && out[j].trajectory == out[i].trajectory; j++ {
			for c := range out[i].fpi {
				out[i].fpi[c] -= out[j].visited[c]
			}
		}
	}
	return out
}

// twinPsi is psi^pi of one outcome, [0] of everything and [1+j] without bucket
// j; and the rows it was made of.
func twinPsi(spec *Spec, rows []twinRow, outcome string, policy int) (psi [65][]float64, stacked []twinBlip) {
	stacked = twinStack(spec, rows, policy)
	of := map[*twinRow][]float64{}
	for i := range stacked {
		of[stacked[i].twinRow] = append([]float64{stacked[i].y[outcome]}, stacked[i].fpi...)
	}
	n := len(stacked[0].z)
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 { return of[r] })
	}
	residuals := make([][]float64, len(stacked))
	for i, row := range stacked {
		residuals[i] = make([]float64, 1+n)
		for c := range residuals[i] {
			residuals[i][c] = of[row.twinRow][c] - row.predict(models[FoldOf(row.cluster, spec.Folds)], c)
		}
	}
	for b := range psi {
		j, r := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i, row := range stacked {
			residual := residuals[i]
			if BucketOf(row.cluster) == b-1 {
				continue
			}
			for i, z := range row.z {
				r.SetVec(i, r.AtVec(i)+z*residual[0])
				for c := range row.z {
					j.Set(i, c, j.At(i, c)+z*(row.z[c]+residual[1+c]))
				}
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(j, r); err == nil {
			psi[b] = x.RawVector().Data
		} else {
			psi[b] = slices.Repeat([]float64{math.NaN()}, n)
		}
	}
	return psi, stacked
}

// twinBlips is what Blip promises.
func twinBlips(spec *Spec, ts, seen []*event.Trajectory) []Estimate {
	all := twinRows(spec, ts, seen)
	var out []Estimate
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		rows := twinPanel(spec, all, rule)
		half := 1.0
		if rule.Ranged {
			half = (rule.Up - rule.Low) / 2
		}
		covered := slices.DeleteFunc(slices.Clone(ts), func(t *event.Trajectory) bool { return !t.Held(rule.Name).Final.Given })
		n, clusters := [65]float64{}, map[string]bool{}
		held := map[int]bool{}
		for _, t := range covered {
			key := twinCluster(spec, t)
			clusters[key], held[BucketOf(key)] = true, true
			for b := range n {
				if BucketOf(key) != b-1 {
					n[b]++
				}
			}
		}
		c, df := float64(len(clusters)), 63.0
		if spec.Cluster.Eval != nil {
			df = float64(len(held) - 1)
		}
		few := n[0] < 200 || spec.Cluster.Eval != nil && c < 50
		never, stacked := twinPsi(spec, rows, rule.Name, -1)
		width := len(stacked[0].f)
		for arm := range spec.Experiment.Interventions {
			for _, g := range twinGroups(rows, func(*twinRow) float64 { return 0 }) {
				e := Estimate{Estimand: NoTreatmentContinuation, Outcome: rule.Name, Arm: spec.Experiment.Interventions[arm]}
				own := g.describe(&e)
				switch {
				case own < 10 || few:
					e.Status, e.Reason = InsufficientData, FewTrajectories
				case g.arms[0] == 0 || g.arms[1+arm] == 0:
					e.Status, e.Reason = NotIdentified, ArmAbsent
				default:
					theta := [65]float64{}
					for b := range theta {
						count := 0.0
						for _, row := range stacked {
							if BucketOf(row.cluster) != b-1 && slices.Contains(row.groups[g.dimension], g.group) {
								count++
								for k, f := range row.f {
									theta[b] += f * never[b][arm*width+k]
								}
							}
						}
						theta[b] /= count
					}
					twinFinish(&e, theta[0]*half, twinJackknife(theta)*half, df, own)
				}
				out = append(out, e)
			}
		}
		for p := range spec.Policies {
			policy := &spec.Policies[p]
			e := Estimate{Estimand: PolicyGain, Outcome: rule.Name, Arm: spec.Experiment.Interventions[policy.Arm], Policy: policy.Name,
				Decisions: int64(len(rows)), Trajectories: int64(n[0])}
			psi, visits := twinPsi(spec, rows, rule.Name, p)
			theta := [65]float64{}
			for b := range theta {
				for _, row := range visits {
					if BucketOf(row.cluster) != b-1 {
						for k := range row.visited {
							theta[b] += row.visited[k]*psi[b][k] + row.taken[k]*never[b][k]
						}
					}
				}
				theta[b] /= n[b]
			}
			if few {
				e.Status, e.Reason = InsufficientData, FewTrajectories
			} else {
				twinFinish(&e, theta[0]*half, twinJackknife(theta)*half, df, c)
			}
			out = append(out, e)
		}
	}
	return out
}

func twinJackknife(theta [65]float64) float64 {
	mean, v := 0.0, 0.0
	for _, x := range theta[1:] {
		mean += x / 64
	}
	for _, x := range theta[1:] {
		v += (x - mean) * (x - mean)
	}
	return math.Sqrt(63.0 / 64 * v)
}
