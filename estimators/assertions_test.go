package estimators

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"blipd/event"
)

func health(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	i := slices.IndexFunc(checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %s", name)
	}
	return checks[i]
}

// TestAssertionsHold, whatever is merged and taken out again.
func TestAssertionsHold(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 229))
		spec := blipSpec(1+int(seed%2), seed >= 2, false)
		total, _ := summed(t, rng, spec, drawPanel(rng, spec, 400), 0, 100)
		checks := total.Report().Health
		for _, name := range []string{"group_counts", "gain_of_never", "collection_policy"} {
			if c := health(t, checks, name); !c.OK || name != "collection_policy" && c.Value != 0 || name == "collection_policy" && c.Value == 0 {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
	}
}

// TestAssertionsFail when what they assert does not hold.
func TestAssertionsFail(t *testing.T) {
	spec := blipSpec(1, false, false)
	draw := func(change func(*event.Trajectory)) *Moments {
		m := New(spec)
		for _, tr := range drawPanel(rand.New(rand.NewPCG(5, 229)), spec, 2000) {
			change(tr)
			m.Add(tr)
		}
		return m
	}
	m := draw(func(*event.Trajectory) {})
	part := New(spec)
	part.Add(drawPanel(rand.New(rand.NewPCG(6, 229)), spec, 5)[4])
	parts := []Totals{m.Totals(), part.Totals()}
	if c := CheckMerge(parts, m); c.OK {
		t.Errorf("merged sums miss a part: %+v", c)
	}
	if c := CheckMerge(nil, m); c.OK || c.Value != 1 {
		t.Errorf("merged sums of nothing: %+v", c)
	}
	m.Merge(part)
	if c := CheckMerge(parts, m); !c.OK {
		t.Errorf("merged sums: %+v", c)
	}
	part.panels[0].cells[0][0].scores[0].first[3].add(1, 1e-3)
	if c := CheckMerge([]Totals{parts[0], part.Totals()}, m); c.OK {
		t.Errorf("a part of another sum: %+v", c)
	}
	m.panels[0].cells[2][0].rows[0]++
	if c := health(t, m.Report().Health, "group_counts"); c.OK || c.Value != 1 {
		t.Errorf("a row too many: %+v", c)
	}
	fits := m.fitBlips()
	fits[0].never.psi[0].Data[0] += 1e-12
	if c := checkNever(fits); c.OK {
		t.Errorf("another psi: %+v", c)
	}
	// The arm that is drawn is logged as a little less likely than it is.
	wrong := draw(func(tr *event.Trajectory) {
		for k := range tr.Decisions {
			p := tr.Decisions[k].Assignment.Probabilities
			shift := 0.3 * min(p[0].P, p[1].P)
			p[0].P, p[1].P = p[0].P+shift, p[1].P-shift
		}
	})
	if c := health(t, wrong.Report().Health, "collection_policy"); c.OK {
		t.Errorf("other probabilities than those of the draw: %+v", c)
	}
}

// twinLocal is psi^p over rows, [0] of everything and [1+j] without bucket j.
func twinLocal(spec *Spec, rows []twinRow, stacked []twinBlip, outcome string) (psi [65]*mat.VecDense) {
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 { return []float64{r.y[outcome]} })
	}
	n := len(stacked[0].z)
	for b := range psi {
		a, r := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for _, row := range stacked {
			if k := BucketOf(row.cluster); k != b-1 {
				z := mat.NewVecDense(n, row.z)
				a.RankOne(a, 1, z, z)
				r.AddScaledVec(r, row.y[outcome]-row.predict(models[k%spec.Folds], 0), z)
			}
		}
		psi[b] = mat.NewVecDense(n, nil)
		_ = psi[b].SolveVec(a, r)
	}
	return psi
}

// TestCollectionAndLeverageEqualTwin holds both to brute force.
func TestCollectionAndLeverageEqualTwin(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 233))
		spec := blipSpec(1+int(seed%2), seed == 1, false)
		spec.Experiment.Outcomes = spec.Experiment.Outcomes[:1]
		ts := drawPanel(rng, spec, 400)
		total, kept := summed(t, rng, spec, ts, 0, 50)
		report := total.Report()
		rows := twinPanel(spec, twinRows(spec, kept, ts), &spec.Experiment.Outcomes[0])
		_, stacked := twinPsi(spec, rows, "score", -1)
		psi := twinLocal(spec, rows, stacked, "score")
		var theta [65]float64
		for b := range theta {
			n := 0.0
			for _, tr := range kept {
				if BucketOf(twinCluster(spec, tr)) != b-1 {
					n++
				}
			}
			for _, row := range stacked {
				if BucketOf(row.cluster) != b-1 {
					theta[b] -= mat.Dot(mat.NewVecDense(len(row.z), row.z), psi[b]) / n
				}
			}
		}
		near(t, "distance", health(t, report.Health, "collection_policy").Value, math.Abs(theta[0])/twinJackknife(theta), 1e-8)

		n := len(stacked[0].z)
		never := twinJacobian(spec, rows, -1)
		for p := range spec.Policies {
			visits := twinStack(spec, rows, p)
			rest, taken := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
			for _, row := range visits {
				rest.AddVec(rest, mat.NewVecDense(n, row.visited))
				taken.AddVec(taken, mat.NewVecDense(n, row.taken))
			}
			var one, two, w mat.VecDense
			_ = one.SolveVec(twinJacobian(spec, rows, p).T(), rest)
			_ = two.SolveVec(never.T(), taken)
			w.AddVec(&one, &two)
			sum, buckets := 0.0, [64]float64{}
			for _, row := range stacked {
				x := mat.Dot(&w, mat.NewVecDense(n, row.z))
				sum, buckets[BucketOf(row.cluster)] = sum+x*x, buckets[BucketOf(row.cluster)]+x*x
			}
			near(t, "leverage of "+spec.Policies[p].Name, report.Support[1+p].Leverage, slices.Max(buckets[:])/sum, 1e-9)
		}
	}
}

// twinJacobian is sum Z (Z + F^pi - q_F)' over rows.
func twinJacobian(spec *Spec, rows []twinRow, policy int) *mat.Dense {
	stacked := twinStack(spec, rows, policy)
	of := map[*twinRow][]float64{}
	for i := range stacked {
		of[stacked[i].twinRow] = stacked[i].fpi
	}
	n := len(stacked[0].z)
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 { return of[r] })
	}
	j := mat.NewDense(n, n, nil)
	for _, row := range stacked {
		slope := mat.NewVecDense(n, nil)
		for c := range n {
			slope.SetVec(c, row.z[c]+row.fpi[c]-row.predict(models[FoldOf(row.cluster, spec.Folds)], c))
		}
		j.RankOne(j, 1, mat.NewVecDense(n, row.z), slope)
	}
	return j
}

// TestComparisonEqualsTwin holds the comparison with estimand 1 to brute force.
func TestComparisonEqualsTwin(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 239))
		spec := contrastSpec(1+int(seed%2), seed == 1, false)
		ts := drawPanel(rng, spec, 600)
		total, kept := summed(t, rng, spec, ts, 0, 50)
		models := total.Report().Models
		all := twinRows(spec, kept, ts)
		for i, m := range models {
			rule := &spec.Experiment.Outcomes[i]
			rows := twinPanel(spec, all, rule)
			_, stacked := twinPsi(spec, rows, rule.Name, -1)
			psi := twinLocal(spec, rows, stacked, rule.Name)
			width := len(stacked[0].f)
			if len(m.Comparisons) != len(spec.Experiment.Interventions) { // by channel; kinds are made of tools
				t.Fatalf("%+v", m.Comparisons)
			}
			for a, c := range m.Comparisons {
				score := twinEffectScore(spec, rows, rule, 1+a)
				groups := map[string]map[string]bool{}
				for _, r := range rows {
					g := r.groups["channel"][0]
					if groups[g] == nil {
						groups[g] = map[string]bool{}
					}
					groups[g][r.cluster] = true
				}
				names := sortedKeys(groups)
				slices.SortStableFunc(names, func(x, y string) int { return len(groups[y]) - len(groups[x]) })
				var d [][65]float64
				for _, g := range names[:len(names)-1] {
					if len(groups[g]) < 50 {
						continue
					}
					var theta [65]float64
					for b := range theta {
						n, sum := 0.0, 0.0
						for k := range stacked {
							r := stacked[k].twinRow
							if r.groups["channel"][0] == g && BucketOf(r.cluster) != b-1 {
								n, sum = n+1, sum+score(r)
								for x, f := range stacked[k].f {
									sum -= f * psi[b].AtVec(a*width+x)
								}
							}
						}
						theta[b] = sum / n
					}
					d = append(d, theta)
				}
				q := len(d)
				v, x := mat.NewDense(q, q, nil), mat.NewVecDense(q, nil)
				for j := range q {
					x.SetVec(j, d[j][0])
					for k := range q {
						mean := [2]float64{}
						for b := 1; b <= 64; b++ {
							mean[0], mean[1] = mean[0]+d[j][b]/64, mean[1]+d[k][b]/64
						}
						for b := 1; b <= 64; b++ {
							v.Set(j, k, v.At(j, k)+63.0/64*(d[j][b]-mean[0])*(d[k][b]-mean[1]))
						}
					}
				}
				var y mat.VecDense
				_ = y.SolveVec(v, x)
				want := mat.Dot(x, &y) * float64(64-q) / float64(63*q)
				if c.Dimension != "channel" || c.Groups != q || math.Abs(c.Statistic-want) > 1e-7*want {
					t.Errorf("%s: %+v, want F %v of %d", rule.Name, c, want, q)
				}
			}
		}
	}
}

// TestComparisonSizeAndPower: a true model is doubted in 45 and 53 of 1000 worlds
// (BLIPD_HEAVY=1). Along a dimension that is not in the model a true
// model is seldom refused, and one whose effect depends on it always.
func TestComparisonSizeAndPower(t *testing.T) {
	spec := armSpec("direct", "review")
	spec.Blip.Moderators = []int{1}
	spec.Features = append(spec.Features, Feature{Name: "index", Expr: Expression{Text: "index", Eval: func(p *Point) event.Value { return event.NumberOf(float64(p.Index)) }}})
	spec.Dimensions = append(spec.Dimensions, Dimension{Name: "late", Expr: Expression{Text: "late", Eval: func(p *Point) event.Value { return event.BoolOf(p.Index > 4) }}},
		Dimension{Name: "place", Expr: Expression{Text: "place", Eval: func(p *Point) event.Value { return event.NumberOf(float64(min(p.Index, 5))) }}})
	rng := rand.New(rand.NewPCG(83, 89))
	worlds, doubted := 60, map[string]int{}
	if os.Getenv("BLIPD_HEAVY") != "" {
		worlds = 1000
	}
	for range worlds {
		_, models, _ := checkWorld(rng, spec, 300, 0).Blip()
		if len(models[0].Comparisons) != 2 {
			t.Fatalf("%+v", models[0].Comparisons)
		}
		for _, c := range models[0].Comparisons {
			if c.Check != CheckPass {
				doubted[c.Dimension]++
			}
		}
	}
	// At .05 of 60 worlds 3 are expected; more than 12 is one run in 20,000.
	if most := worlds / 5; doubted["late"] > most || doubted["place"] > most {
		t.Errorf("a true model is doubted in %v of %d worlds", doubted, worlds)
	}
	_, models, _ := checkWorld(rng, spec, 3000, 1.5).Blip()
	for _, c := range models[0].Comparisons {
		if c.Check != CheckFail {
			t.Errorf("a wrong model is not refused: %+v", c)
		}
	}
	t.Logf("doubted %v of %d true models", doubted, worlds)
}
