package boost

import (
	"math"
	"testing"
)

var nan = math.NaN()

// exact is a single tree that takes the means of its leaves.
func exact() Params {
	return Params{Trees: 1, Patience: 1, Depth: 1, LearningRate: 1, MinRows: 1, Bins: MostBins}
}

func with(change func(p *Params)) Params {
	p := exact()
	change(&p)
	return p
}

func fit(t testing.TB, r Rows, p Params) *Ensemble {
	t.Helper()
	e, err := Fit(r, p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestByHand: trees that can be worked out on paper.
func TestByHand(t *testing.T) {
	step := Rows{Columns: 1, X: []float64{1, 2, 3, 4}, Y: []float64{0, 0, 10, 10}}
	one := Rows{Columns: 1, X: []float64{1, 2, 3, 4}, Y: []float64{20, 0, 0, 0}}
	both := Rows{Columns: 2, X: []float64{0, 0, 0, 1, 1, 0, 1, 1}, Y: []float64{0, 0, 0, 4}}
	weighted := Rows{Columns: 1, X: []float64{1, 2}, Y: []float64{0, 8}, W: []float64{3, 1}}
	heavy := Rows{Columns: 1, X: []float64{1, 2, 3, 4}, Y: []float64{20, 0, 0, 0}, W: []float64{1e6, 1, 1, 1}}
	for _, c := range []struct {
		name  string
		rows  Rows
		p     Params
		trees int
		ask   []float64 // row by row
		want  []float64
	}{
		{"means on both sides of a step", step, exact(), 1, []float64{-9, 2.5, math.Nextafter(2.5, 3), 99}, []float64{0, 0, 10, 10}},
		{"L2 is rows with a residual of 0", step, with(func(p *Params) { p.L2 = 2 }), 1, []float64{1, 4}, []float64{2.5, 7.5}},
		{"a part of the step", step, with(func(p *Params) { p.LearningRate = 0.5 }), 1, []float64{1, 4}, []float64{2.5, 7.5}},
		{"two parts of it", step, with(func(p *Params) { p.LearningRate, p.Trees = 0.5, 2 }), 2, []float64{1, 4}, []float64{1.25, 8.75}},
		{"nothing is left for a second tree", step, with(func(p *Params) { p.Trees = 9 }), 1, []float64{1, 4}, []float64{0, 10}},
		{"one row is a leaf", one, exact(), 1, []float64{1, 2}, []float64{20, 0}},
		{"two rows are a leaf", one, with(func(p *Params) { p.MinRows = 2 }), 1, []float64{1, 2, 3}, []float64{10, 10, 0}},
		{"four rows are no two leaves of three", one, with(func(p *Params) { p.MinRows = 3 }), 0, []float64{1, 4}, []float64{5, 5}},
		{"two features, the first at the root", both, with(func(p *Params) { p.Depth = 2 }), 1,
			[]float64{0, 0, 0, 1, 1, 0, 1, 1, nan, 1, 1, nan}, []float64{0, 0, 0, 4, 0, 0}},
		{"two features, depth one", both, exact(), 1, []float64{0, 1, 1, 0}, []float64{0, 2}},
		{"weights", weighted, exact(), 1, []float64{1, 2}, []float64{0, 8}},
		// The mean is 2, the weights are 1.5 and 0.5: 2 - 3/2.5 and 2 + 3/1.5.
		{"weights and L2", weighted, with(func(p *Params) { p.L2 = 1 }), 1, []float64{1, 2}, []float64{0.8, 4}},
		{"a heavy row is no two rows", heavy, with(func(p *Params) { p.MinRows = 2 }), 0, []float64{4}, []float64{2e7 / (1e6 + 3)}},
		{"missing is like large", Rows{Columns: 1, X: []float64{nan, 1, 2}, Y: []float64{9, 0, 9}}, exact(), 1, []float64{nan, 1, 2}, []float64{9, 0, 9}},
		{"missing is like small", Rows{Columns: 1, X: []float64{nan, 1, 2}, Y: []float64{0, 0, 9}}, exact(), 1, []float64{nan, 1, 2}, []float64{0, 0, 9}},
		{"missing is what matters", Rows{Columns: 1, X: []float64{nan, 1, 1}, Y: []float64{6, 0, 0}}, exact(), 1,
			[]float64{nan, 1, math.Inf(1), math.MaxFloat64}, []float64{6, 0, 0, 0}},
		{"missing unseen goes where more rows are, left", Rows{Columns: 1, X: []float64{1, 2, 3}, Y: []float64{0, 0, 6}}, exact(), 1, []float64{nan}, []float64{0}},
		{"and right", Rows{Columns: 1, X: []float64{1, 2, 3}, Y: []float64{0, 6, 6}}, exact(), 1, []float64{nan}, []float64{6}},
		{"and left if they are as many", step, exact(), 1, []float64{nan}, []float64{0}},
	} {
		e := fit(t, c.rows, c.p)
		if e.Trees() != c.trees {
			t.Errorf("%s: %d trees, want %d", c.name, e.Trees(), c.trees)
		}
		for i, want := range c.want {
			row := c.ask[i*c.rows.Columns : (i+1)*c.rows.Columns]
			if got := e.Predict(row); math.Abs(got-want) > 1e-12*max(1, want) {
				t.Errorf("%s: %v says %v, want %v", c.name, row, got, want)
			}
		}
	}
}

// TestTies: of equal splits it takes that of the lowest column, then the lowest edge.
func TestTies(t *testing.T) {
	same := Rows{Columns: 3, Y: []float64{0, 0, 0.3, 0.3}}
	for _, x := range []float64{1, 2, 3, 4} {
		same.X = append(same.X, 7, x, -x) // the first is constant; the third splits alike
	}
	if e := fit(t, same, exact()); len(e.nodes) != 3 || e.nodes[0].column != 1 || e.nodes[0].value != 2.5 {
		t.Errorf("of columns that split alike: %+v", e.nodes)
	}
	hill := Rows{Columns: 1, X: []float64{1, 2, 3}, Y: []float64{0, 0.1, 0}}
	if e := fit(t, hill, exact()); len(e.nodes) != 3 || e.nodes[0].value != 1.5 {
		t.Errorf("of edges that split alike: %+v", e.nodes)
	}
}

func TestEdges(t *testing.T) {
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(i)
	}
	zeros := append(make([]float64, 800), many[1:201]...) // 0 fills bins of its own
	for _, c := range []struct {
		name   string
		sorted []float64
		most   int
		want   []float64
	}{
		{"none", nil, 4, nil},
		{"one value", []float64{3, 3, 3}, 4, nil},
		{"few values", []float64{1, 1, 2, 4}, 3, []float64{1.5, 3}},
		{"quarters", many, 4, []float64{249.5, 499.5, 749.5}},
		{"a value of four fifths", zeros, 3, []float64{0.5, 100.5}},
		{"a value in the midst", []float64{1, 2, 3, 3, 3, 3, 3, 4, 5}, 3, []float64{2.5, 3.5}},
		{"neighbours", []float64{1, math.Nextafter(1, 2)}, 2, []float64{1}},
		{"far apart", []float64{-math.MaxFloat64, math.MaxFloat64}, 2, []float64{0}},
		{"smallest", []float64{0, math.SmallestNonzeroFloat64}, 2, []float64{0}},
	} {
		got := edges(c.sorted, c.most)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}
