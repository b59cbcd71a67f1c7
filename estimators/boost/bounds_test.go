package boost

import (
	"math"
	"strings"
	"testing"
)

// TestRefuse: nonsense is refused, and the reason names it.
func TestRefuse(t *testing.T) {
	good := func() Rows {
		return Rows{Columns: 2, X: []float64{1, 2, 3, nan}, Y: []float64{1, 2}, W: []float64{1, 1}, Held: []bool{false, true}}
	}
	if _, err := Fit(good(), Defaults()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(r *Rows, p *Params){
		"0 trees":                               func(_ *Rows, p *Params) { p.Trees = 0 },
		"10001 trees":                           func(_ *Rows, p *Params) { p.Trees = MostTrees + 1 },
		"patience of 0":                         func(_ *Rows, p *Params) { p.Patience = 0 },
		"depth 0":                               func(_ *Rows, p *Params) { p.Depth = 0 },
		"depth 9":                               func(_ *Rows, p *Params) { p.Depth = MostDepth + 1 },
		"learning rate of 0":                    func(_ *Rows, p *Params) { p.LearningRate = 0 },
		"learning rate of 1.5":                  func(_ *Rows, p *Params) { p.LearningRate = 1.5 },
		"learning rate of NaN":                  func(_ *Rows, p *Params) { p.LearningRate = nan },
		"leaves of 0 rows":                      func(_ *Rows, p *Params) { p.MinRows = 0 },
		"L2 of -1":                              func(_ *Rows, p *Params) { p.L2 = -1 },
		"L2 of NaN":                             func(_ *Rows, p *Params) { p.L2 = nan },
		"L2 of +Inf":                            func(_ *Rows, p *Params) { p.L2 = math.Inf(1) },
		"1 bins":                                func(_ *Rows, p *Params) { p.Bins = 1 },
		"256 bins":                              func(_ *Rows, p *Params) { p.Bins = 256 },
		"rows of -1 columns":                    func(r *Rows, _ *Params) { r.Columns = -1 },
		"rows of 16385 columns":                 func(r *Rows, _ *Params) { r.Columns = MostColumns + 1 },
		"3 features for 2 rows":                 func(r *Rows, _ *Params) { r.X = r.X[:3] },
		"1 weights for 2 rows":                  func(r *Rows, _ *Params) { r.W = r.W[:1] },
		"1 marks of held-out rows for 2 rows":   func(r *Rows, _ *Params) { r.Held = r.Held[:1] },
		"outcome of row 1 is NaN":               func(r *Rows, _ *Params) { r.Y[1] = nan },
		"outcome of row 0 is -Inf":              func(r *Rows, _ *Params) { r.Y[0] = math.Inf(-1) },
		"outcome of row 0 is 1.1e+100":          func(r *Rows, _ *Params) { r.Y[0] = 1.1e100 },
		"weight of row 1 is -0.5":               func(r *Rows, _ *Params) { r.W[1] = -0.5 },
		"weight of row 1 is NaN":                func(r *Rows, _ *Params) { r.W[1] = nan },
		"weight of row 0 is +Inf":               func(r *Rows, _ *Params) { r.W[0] = math.Inf(1) },
		"column 0 of row 1 is +Inf, want a num": func(r *Rows, _ *Params) { r.X[2] = math.Inf(1) },
	} {
		r, p := good(), Defaults()
		change(&r, &p)
		if e, err := Fit(r, p); err == nil || !strings.HasPrefix(err.Error(), "boost: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", want, e, err)
		}
	}
}

// TestConstant: where nothing can be learned the answer is the weighted mean.
func TestConstant(t *testing.T) {
	for _, c := range []struct {
		name string
		rows Rows
		want float64
	}{
		{"no rows", Rows{Columns: 2}, 0},
		{"no weight", Rows{Columns: 1, X: []float64{1, 2}, Y: []float64{3, 4}, W: []float64{0, 0}}, 0},
		{"no columns", Rows{Y: []float64{3, 5}}, 4},
		{"constant features", Rows{Columns: 1, X: []float64{1, 1}, Y: []float64{3, 5}, W: []float64{3, 1}}, 3.5},
		{"features all missing", Rows{Columns: 1, X: []float64{nan, nan}, Y: []float64{3, 5}}, 4},
		{"constant outcomes", Rows{Columns: 1, X: []float64{1, 2, 3}, Y: []float64{0.1, 0.1, 0.1}, W: []float64{0.3, 7, 1e-9}}, 0.1},
		{"one row", Rows{Columns: 1, X: []float64{1}, Y: []float64{-7}}, -7},
		{"one row of weight", Rows{Columns: 1, X: []float64{1, 2}, Y: []float64{-7, 3}, W: []float64{0, 2}}, 3},
		{"all rows held out", Rows{Columns: 1, X: []float64{1, 2}, Y: []float64{-7, 3}, Held: []bool{true, true}}, -2},
	} {
		e := fit(t, c.rows, exact())
		if got := e.Predict(make([]float64, c.rows.Columns)); got != c.want || e.Trees() != 0 {
			t.Errorf("%s: %v and %d trees, want %v and none", c.name, got, e.Trees(), c.want)
		}
	}
}

// TestExtremes: very large and small numbers and weights give finite answers.
func TestExtremes(t *testing.T) {
	for _, scale := range []float64{Largest, 1e50, 1e-50, 1e-200, math.SmallestNonzeroFloat64} {
		for _, weight := range []float64{math.MaxFloat64, 1e-300, math.SmallestNonzeroFloat64} {
			r := Rows{Columns: 1}
			for i := range 40 {
				r.X = append(r.X, math.MaxFloat64*(float64(i%20-10)/10))
				r.Y = append(r.Y, scale*(float64(i%20-10)/10))
				r.W = append(r.W, []float64{weight, weight / 2, 1}[i%3])
			}
			for _, held := range []bool{false, true} {
				if r.Held = nil; held {
					r = holdFifth(r)
				}
				e := fit(t, r, with(func(p *Params) { p.Depth, p.Trees = 4, 50 }))
				for _, x := range []float64{nan, 0, math.Inf(1), math.Inf(-1), math.MaxFloat64} {
					if got := e.Predict([]float64{x}); !(math.Abs(got) <= 3*scale) {
						t.Errorf("scale %v, weight %v: %v says %v", scale, weight, x, got)
					}
				}
			}
		}
	}
}
