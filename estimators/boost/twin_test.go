package boost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// twin is the same learner without bins, histograms and subtraction: it tries every
// edge between values that occur by walking through all rows.
type twin struct {
	rows     Rows
	p        Params
	weight   []float64 // its own, of mean 1
	residual []float64
	nodes    []twinNode
}

type twinNode struct {
	leaf        bool
	column      int
	value       float64
	missingLeft bool
}

func newTwin(r Rows, p Params) (*twin, float64) {
	w := &twin{rows: r, p: p}
	total, mean := 0.0, 0.0
	for i := range r.Y {
		total += r.W[i]
		mean += r.W[i] * r.Y[i]
	}
	mean /= total
	for i := range r.Y {
		w.weight = append(w.weight, r.W[i]*float64(len(r.Y))/total)
		w.residual = append(w.residual, r.Y[i]-mean)
	}
	return w, mean
}

func (w *twin) sums(rows []int) (s sums) {
	for _, i := range rows {
		s.wr += w.weight[i] * w.residual[i]
		s.w += w.weight[i]
		s.ww += w.weight[i] * w.weight[i]
	}
	return s
}

func (w *twin) score(s sums) float64 { return s.wr * s.wr / (s.w + w.p.L2) }

// candidates are the edges of a column.
func (w *twin) candidates(column int) []float64 {
	var values []float64
	for i := range w.rows.Y {
		if x := w.rows.row(int32(i))[column]; !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for i := range len(values) - 1 {
		values[i] = (values[i] + values[i+1]) / 2
	}
	if len(values) > 0 {
		values[len(values)-1] = math.Inf(1)
	}
	return values
}

func (w *twin) divide(rows []int, n twinNode) (left, right []int, missing bool) {
	for _, i := range rows {
		x := w.rows.row(int32(i))[n.column]
		missing = missing || math.IsNaN(x)
		if x <= n.value || math.IsNaN(x) && n.missingLeft {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right, missing
}

func (w *twin) grow(rows []int, depth int) {
	node := w.sums(rows)
	best, bestScore := twinNode{}, 0.0
	for c := 0; c < w.rows.Columns && depth < w.p.Depth; c++ {
		for _, edge := range w.candidates(c) {
			for _, missingLeft := range []bool{true, false} {
				n := twinNode{column: c, value: edge, missingLeft: missingLeft}
				left, right, missing := w.divide(rows, n)
				l, r := w.sums(left), w.sums(right)
				enough := func(s sums) bool { return s.w > 0 && s.w*s.w/s.ww >= float64(w.p.MinRows)*(1-1e-10) }
				if !enough(l) || !enough(r) {
					continue
				}
				if !missing {
					n.missingLeft = l.w >= r.w*(1-1e-10)
				}
				if score := w.score(l) + w.score(r); score > bestScore*(1+1e-10) {
					best, bestScore = n, score
				}
			}
		}
	}
	if bestScore == 0 || bestScore-w.score(node) <= 1e-10*bestScore {
		value := w.p.LearningRate * node.wr / (node.w + w.p.L2)
		w.nodes = append(w.nodes, twinNode{leaf: true, value: value})
		for _, i := range rows {
			w.residual[i] -= value
		}
		return
	}
	w.nodes = append(w.nodes, best)
	left, right, _ := w.divide(rows, best)
	w.grow(left, depth+1)
	w.grow(right, depth+1)
}

// levels are rows whose columns have few values, the same and missing ones among them.
func levels(rng *rand.Rand) Rows {
	r := Rows{Columns: 1 + rng.IntN(4), Y: make([]float64, 5+rng.IntN(60))}
	for i := range r.Y {
		for c := range r.Columns {
			x := float64(rng.IntN(3+3*c)) / 7
			if rng.IntN(6) == 0 && c%2 == 0 {
				x = nan
			}
			r.X = append(r.X, x)
		}
		r.Y[i] = rng.NormFloat64() + 3*float64(i%2)
		r.W = append(r.W, 1)
	}
	if rng.IntN(2) == 0 {
		for i := range r.W {
			r.W[i] = rng.ExpFloat64()
		}
	}
	return r
}

// TestTwin: the same trees as without histograms, and the same values.
func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	splits := 0
	for world := range 400 {
		r := levels(rng)
		p := Params{Trees: 1 + rng.IntN(3), Patience: 1, Depth: 1 + rng.IntN(4), LearningRate: 1 - 0.5*rng.Float64(),
			MinRows: 1 + rng.IntN(6), L2: 3 * rng.Float64() * float64(rng.IntN(2)), Bins: MostBins}
		e := fit(t, r, p)
		w, mean := newTwin(r, p)
		all := make([]int, len(r.Y))
		for i := range all {
			all[i] = i
		}
		for range e.Trees() {
			w.grow(all, 0)
		}
		if math.Abs(e.constant-mean) > 1e-12 || len(e.nodes) != len(w.nodes) {
			t.Fatalf("world %d: constant %v and %d nodes, the twin has %v and %d", world, e.constant, len(e.nodes), mean, len(w.nodes))
		}
		for i, n := range e.nodes {
			if n.right != 0 {
				splits++
			}
			got := twinNode{leaf: n.right == 0, column: int(n.column), value: n.value, missingLeft: n.missingLeft}
			near := math.Abs(got.value-w.nodes[i].value) <= 1e-12 // edges too: a/2 + b/2 and (a+b)/2
			if near || got.value == w.nodes[i].value {
				got.value = w.nodes[i].value
			}
			if got != w.nodes[i] {
				t.Fatalf("world %d, %+v: node %d is %+v, the twin's %+v", world, p, i, got, w.nodes[i])
			}
		}
		for i, y := range r.Y {
			if got := y - e.Predict(r.row(int32(i))); math.Abs(got-w.residual[i]) > 1e-12 {
				t.Fatalf("world %d: residual %v of row %d, the twin has %v", world, got, i, w.residual[i])
			}
		}
	}
	if splits < 1000 {
		t.Errorf("only %d splits compared", splits)
	}
}
