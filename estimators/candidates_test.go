package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"blipd/event"
)

// candidateSpec has two candidates beside its blip model.
func candidateSpec(arms int, clustered bool) *Spec {
	spec := blipSpec(arms, clustered, false)
	spec.Candidates = []BlipModel{{Dimension: 0, Moderators: []int{3, 2}}, {Dimension: 2}}
	return spec
}

// twinLoss is the held-out loss of one blip model, over rows.
func twinLoss(spec *Spec, ts, seen []*event.Trajectory, rule *event.OutcomeRule, model *BlipModel) float64 {
	own := *spec
	own.Blip = model
	rows := twinPanel(&own, twinRows(&own, ts, seen), rule)
	column := twinPooled(rows)
	var columns []string
	for _, c := range column {
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	sort.Strings(columns)
	z := func(r *twinRow) []float64 {
		f := make([]float64, len(columns))
		for _, l := range r.levels {
			f[slices.Index(columns, column[l])]++
		}
		f = append(f, r.moderators...)
		var z []float64
		for m := 1; m < len(r.p); m++ {
			w := -r.p[m]
			if r.arm == m {
				w++
			}
			for _, v := range f {
				z = append(z, w*v)
			}
		}
		return z
	}
	loss := 0.0
	for k := range spec.Folds {
		b := twinRidge(spec, rows, k, func(*twinRow) float64 { return 1 }, func(r *twinRow) []float64 { return []float64{r.y[rule.Name]} })
		var train []*twinRow
		for i := range rows {
			if FoldOf(rows[i].cluster, spec.Folds) != k {
				train = append(train, &rows[i])
			}
		}
		a, y := mat.NewDense(len(train), len(z(&rows[0])), nil), mat.NewVecDense(len(train), nil)
		for i, r := range train {
			a.SetRow(i, z(r))
			y.SetVec(i, r.y[rule.Name]-r.predict(b, 0))
		}
		var psi mat.VecDense
		_ = psi.SolveVec(a, y)
		for i := range rows {
			if FoldOf(rows[i].cluster, spec.Folds) == k {
				left := rows[i].y[rule.Name] - rows[i].predict(b, 0) - mat.Dot(&psi, mat.NewVecDense(psi.Len(), z(&rows[i])))
				loss += left * left / float64(spec.Folds)
			}
		}
	}
	half := (rule.Up - rule.Low) / 2
	return loss * half * half
}

// TestCandidatesEqualTwin holds the losses to brute force.
func TestCandidatesEqualTwin(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 127))
			spec := candidateSpec(1+int(seed%2), seed >= 2)
			ts := drawPanel(rng, spec, 250)
			total, kept := summed(t, rng, spec, ts, 0, 60)
			for i, r := range total.Candidates() {
				models := append([]BlipModel{*spec.Blip}, spec.Candidates...)
				want := twinLoss(spec, kept, ts, &spec.Experiment.Outcomes[i/3], &models[i%3])
				if r.Loss == nil || r.InUse != (i%3 == 0) {
					t.Fatalf("%+v", r)
				}
				near(t, fmt.Sprint(r), *r.Loss, want, 1e-9*want)
			}
			total.Report() // with everything
		})
	}
}

// TestCandidatesRankTheTruth: where late decisions have another effect, the
// model that knows the index has the smaller loss.
func TestCandidatesRankTheTruth(t *testing.T) {
	spec := armSpec("direct", "review")
	spec.Features = append(spec.Features, Feature{Name: "late", Expr: Expression{Text: "index > 4", Eval: func(p *Point) event.Value { return event.BoolOf(p.Index > 4) }}})
	spec.Candidates = []BlipModel{{Dimension: 1, Moderators: []int{2}}}
	m := checkWorld(rand.New(rand.NewPCG(131, 137)), spec, 3000, 0.6)
	ranked := m.Candidates()
	if len(ranked) != 2 || ranked[1].Rank != 1 || ranked[0].Rank != 2 {
		t.Errorf("%+v", ranked)
	}
}
