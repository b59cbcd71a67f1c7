package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"blipd/event"
)

// twinCheck is the over-identification test of an outcome, over rows: the
// statistic, the number of instruments, p.
func twinCheck(spec *Spec, ts, seen []*event.Trajectory, rule *event.OutcomeRule) (statistic float64, q int, p float64) {
	rows := twinPanel(spec, twinRows(spec, ts, seen), rule)
	psi, stacked := twinPsi(spec, rows, rule.Name, -1)
	arms, n := len(spec.Experiment.Interventions), len(stacked[0].z)
	values := func(r *twinBlip) []float64 { return append([]float64{r.y[rule.Name]}, r.fpi...) }
	of := map[*twinRow][]float64{}
	for i := range stacked {
		of[stacked[i].twinRow] = values(&stacked[i])
	}
	models := make([]map[string][]float64, spec.Folds)
	for k := range models {
		models[k] = twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 { return of[r] })
	}

	// Columns of f by size of the level, then the instruments in their order.
	column := twinPooled(rows)
	clusters := map[string]map[string]bool{}
	for _, r := range rows {
		for _, l := range r.levels {
			if clusters[column[l]] == nil {
				clusters[column[l]] = map[string]bool{}
			}
			clusters[column[l]][r.cluster] = true
		}
	}
	columns := sortedKeys(clusters)
	size := func(l string) int {
		if l == OtherLevel && len(clusters[l]) >= 10 {
			return math.MaxInt
		}
		return len(clusters[l])
	}
	sort.SliceStable(columns, func(i, j int) bool { return size(columns[i]) > size(columns[j]) })
	candidates := make([][]float64, len(rows)) // by row: f, then h
	for i := range rows {
		r := &rows[i]
		f := slices.Clone(r.moderators)
		dummy := map[string]float64{}
		for _, l := range r.levels {
			dummy[column[l]]++
		}
		for _, c := range columns {
			f = append(f, dummy[c])
		}
		if len(r.checks) > 0 {
			candidates[i] = append(f, r.checks...)
			continue
		}
		for _, s := range r.moderators {
			f = append(f, s*s)
		}
		late := 0.0
		if r.index > 4 {
			late = 1
		}
		f = append(f, late)
		for _, s := range r.moderators {
			f = append(f, float64(r.prior)*s)
		}
		for _, c := range columns {
			for _, s := range r.moderators {
				f = append(f, dummy[c]*s)
			}
		}
		candidates[i] = f
	}
	lead := len(rows[0].moderators) + len(columns)
	kept := twinIndependent(rows, candidates, lead, max(1, 16/arms))
	q = len(kept) * arms

	jh, j := mat.NewDense(q, n, nil), mat.NewDense(n, n, nil)
	var mh, m [64]*mat.VecDense
	for b := range mh {
		mh[b], m[b] = mat.NewVecDense(q, nil), mat.NewVecDense(n, nil)
	}
	for i, row := range stacked {
		model := models[FoldOf(row.cluster, spec.Folds)]
		left, slope := row.y[rule.Name]-row.predict(model, 0), make([]float64, n)
		for c := range slope {
			slope[c] = row.z[c] + row.fpi[c] - row.predict(model, 1+c)
			left -= slope[c] * psi[0][c]
		}
		zh := make([]float64, 0, q)
		for _, h := range kept {
			for a := 1; a <= arms; a++ {
				w := -row.p[a]
				if row.arm == a {
					w++
				}
				zh = append(zh, w*candidates[i][h])
			}
		}
		b := BucketOf(row.cluster)
		mh[b].AddScaledVec(mh[b], left, mat.NewVecDense(q, zh))
		m[b].AddScaledVec(m[b], left, mat.NewVecDense(n, row.z))
		jh.RankOne(jh, 1, mat.NewVecDense(q, zh), mat.NewVecDense(n, slope))
		j.RankOne(j, 1, mat.NewVecDense(n, row.z), mat.NewVecDense(n, slope))
	}
	var inverse, project mat.Dense
	_ = inverse.Inverse(j)
	project.Mul(jh, &inverse)
	sum, mean := mat.NewVecDense(q, nil), mat.NewVecDense(q, nil)
	for b := range mh {
		var move mat.VecDense
		move.MulVec(&project, m[b])
		mh[b].SubVec(mh[b], &move)
		sum.AddVec(sum, mh[b])
	}
	mean.ScaleVec(1.0/64, sum)
	v := mat.NewDense(q, q, nil)
	for b := range mh {
		mh[b].SubVec(mh[b], mean)
		v.RankOne(v, 64.0/63, mh[b], mh[b])
	}
	var x mat.VecDense
	_ = x.SolveVec(v, sum)
	statistic = mat.Dot(sum, &x) * float64(64-q) / float64(63*q)
	return statistic, q, 1 - distuv.F{D1: float64(q), D2: float64(64 - q)}.CDF(statistic)
}

// twinIndependent lists the instruments, columns from lead on, that those
// before do not explain, by Gram and Schmidt on the rows themselves.
func twinIndependent(rows []twinRow, candidates [][]float64, lead, most int) (kept []int) {
	var basis []*mat.VecDense
	for c := range candidates[0] {
		v := mat.NewVecDense(len(rows), nil)
		for i := range rows {
			squares := 0.0
			for a := 1; a < len(rows[i].p); a++ {
				w := -rows[i].p[a]
				if rows[i].arm == a {
					w++
				}
				squares += w * w
			}
			v.SetVec(i, math.Sqrt(squares)*candidates[i][c])
		}
		own := mat.Dot(v, v)
		for range 2 {
			for _, b := range basis {
				v.AddScaledVec(v, -mat.Dot(v, b), b)
			}
		}
		if mat.Dot(v, v) <= 1e-8*own {
			continue
		}
		v.ScaleVec(1/math.Sqrt(mat.Dot(v, v)), v)
		basis = append(basis, v)
		if c >= lead && len(kept) < most {
			kept = append(kept, c)
		}
	}
	return kept
}

// TestCheckEqualsTwin holds the over-identification test to brute force.
func TestCheckEqualsTwin(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 23))
			spec := blipSpec(1+int(seed%2), seed >= 2, false)
			if seed >= 4 { // instruments of the configuration, one of them in f
				spec.Blip.Checks = []Expression{spec.Features[3].Expr, stateOf("s"), spec.Features[5].Expr}
			}
			ts := drawPanel(rng, spec, 420+rng.IntN(150))
			total, kept := summed(t, rng, spec, ts, 0, 100)
			_, models, _ := total.Blip()
			for i, m := range models {
				if m.Check == CheckUntested {
					t.Errorf("%s: untested", m.Outcome)
					continue
				}
				statistic, q, p := twinCheck(spec, kept, ts, &spec.Experiment.Outcomes[i])
				if m.Instruments != q || math.Abs(m.Statistic-statistic) > 1e-7*statistic || math.Abs(m.P-p) > 1e-7 {
					t.Errorf("%s: F %v of %d, p %v; want %v of %d, %v", m.Outcome, m.Statistic, m.Instruments, m.P, statistic, q, p)
				}
			}
		})
	}
}

// checkWorld is a world in which the effect of late decisions is larger by
// extra, and a definition that knows nothing of it.
func checkWorld(rng *rand.Rand, spec *Spec, n int, extra float64) *Moments {
	m := New(spec)
	for i := range n {
		t := &event.Trajectory{ID: fmt.Sprintf("%d-%d", i, rng.Uint64())}
		u := rng.NormFloat64() / 2
		y := u
		for k := 0; k == 0 || rng.Float64() < 0.85; k++ {
			s := u + rng.NormFloat64()/2
			d := event.Decision{Index: k + 1, Calls: []event.Call{{Tool: fmt.Sprint("tool", rng.IntN(3))}},
				State: []event.Member{{Name: "u", Value: event.NumberOf(s)}}}
			assign(rng, spec, &d)
			if d.Assignment.Arm != "direct" {
				y += 0.3 + 0.1*s
				if k >= 4 {
					y += extra
				}
			}
			t.Decisions = append(t.Decisions, d)
		}
		t.Hold(event.Held{Name: "score", Final: event.Valued{Given: true, Value: y + rng.NormFloat64()/2}})
		m.Add(t)
	}
	return m
}

// TestCheckSizeAndPower: a true model is seldom refused, and one that leaves
// out half of the effect always; its numbers are then marked.
func TestCheckSizeAndPower(t *testing.T) {
	spec := armSpec("direct", "review")
	spec.Blip.Moderators = []int{1}
	rng := rand.New(rand.NewPCG(73, 79))
	worlds, doubted := 60, 0
	for range worlds {
		_, models, _ := checkWorld(rng, spec, 300, 0).Blip()
		switch models[0].Check {
		case CheckFail:
			t.Errorf("a true model is refused: %+v", models[0])
		case CheckWarn:
			doubted++
		}
	}
	// At .05 of 60 worlds 3 are expected; more than 12 is one run in 20,000.
	if doubted > 12 {
		t.Errorf("a true model is doubted in %d of %d worlds", doubted, worlds)
	}
	all, models, _ := checkWorld(rng, spec, 3000, 0.6).Blip()
	if models[0].Check != CheckFail {
		t.Errorf("a wrong model is not refused: %+v", models[0])
	}
	for _, e := range all {
		if e.Status == OK && e.Model != ModelProjection {
			t.Errorf("%s %s: not marked", e.Estimand, e.Group)
		}
	}
	t.Logf("doubted %d of %d true models", doubted, worlds)
}
