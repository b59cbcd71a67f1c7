package boost

import (
	"bytes"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestFriedman: on the world that boosting was made for, the squared error on new
// rows is less than two fifths of that of the best linear model, and less than twice
// the noise.
func TestFriedman(t *testing.T) {
	for seed := range uint64(3) {
		train, test := world(seed, 2000, 10, 1, friedman), world(seed+100, 5000, 10, 1, friedman)
		e := fit(t, holdFifth(train), Defaults())
		boosted, linear := squaredError(test, e.Predict), squaredError(test, leastSquares(t, train))
		if boosted > 0.4*linear || boosted > 2 {
			t.Errorf("seed %d: squared error %.3f with %d trees, the linear model has %.3f, the noise 1", seed, boosted, e.Trees(), linear)
		}
	}
}

// leastSquares is the best linear model with an intercept.
func leastSquares(t *testing.T, r Rows) func([]float64) float64 {
	x := mat.NewDense(len(r.Y), r.Columns+1, nil)
	for i := range r.Y {
		x.Set(i, 0, 1)
		for c, v := range r.row(int32(i)) {
			x.Set(i, c+1, v)
		}
	}
	var b mat.VecDense
	if err := b.SolveVec(x, mat.NewVecDense(len(r.Y), r.Y)); err != nil {
		t.Fatal(err)
	}
	return func(row []float64) float64 {
		sum := b.AtVec(0)
		for c, v := range row {
			sum += b.AtVec(c+1) * v
		}
		return sum
	}
}

// TestNoSignal: where there is nothing to learn, the squared error on new rows is
// within 5 in 100 of that of the truth, and within 1 in 100 on average.
func TestNoSignal(t *testing.T) {
	const seeds = 20
	sum := 0.0
	for seed := range uint64(seeds) {
		e := fit(t, holdFifth(world(seed, 1000, 20, 1, nothing)), Defaults())
		test := world(seed+100, 5000, 20, 1, nothing)
		ratio := squaredError(test, e.Predict) / squaredError(test, nothing)
		if sum += ratio; ratio > 1.05 {
			t.Errorf("seed %d: %d trees have %.3f of the squared error of the truth", seed, e.Trees(), ratio)
		}
	}
	if sum/seeds > 1.01 {
		t.Errorf("on average %.4f of the squared error of the truth", sum/seeds)
	}
}

// TestFaint: of a linear signal that is a thirteenth of the variance, ten thousand
// rows are enough to find four fifths.
func TestFaint(t *testing.T) {
	linear := func(x []float64) (sum float64) {
		for _, v := range x[:10] {
			sum += v - 0.5
		}
		return sum
	}
	const noise = 3
	e := fit(t, holdFifth(world(1, 10_000, 20, noise, linear)), Defaults())
	test := world(2, 20_000, 20, noise, linear)
	whole := squaredError(test, nothing)
	if found, there := whole-squaredError(test, e.Predict), whole-squaredError(test, linear); found < 0.8*there {
		t.Errorf("%d trees explain %.4f of the variance, the truth %.4f", e.Trees(), found/whole, there/whole)
	}
}

// TestHeld: held-out rows choose the number of trees, and nothing else.
func TestHeld(t *testing.T) {
	r := world(3, 1000, 5, 3, friedman)
	p := Defaults()
	chosen := fit(t, holdFifth(r), p)
	if n := chosen.Trees(); n == 0 || n == p.Trees {
		t.Fatalf("%d trees of at most %d", n, p.Trees)
	}
	p.Trees = chosen.Trees()
	same(t, "as many trees on all rows", chosen, fit(t, r, p))
	r.Held = make([]bool, len(r.Y))
	same(t, "nothing held out", chosen, fit(t, r, p))
	for i := range r.Held {
		r.Held[i] = true
	}
	if e := fit(t, r, p); e.Trees() != 0 {
		t.Errorf("with all rows held out there are %d trees", e.Trees())
	}
}

func encode(e *Ensemble) []byte {
	b, _ := e.AppendBinary(nil)
	return b
}

func same(t *testing.T, what string, a, b *Ensemble) {
	t.Helper()
	if !bytes.Equal(encode(a), encode(b)) {
		t.Errorf("%s: the ensembles differ", what)
	}
}

// messy has missing values, constants, steps and weights, without a function whose
// last bit depends on the machine.
func messy(seed uint64) Rows {
	rng := rand.New(rand.NewPCG(seed, 5))
	r := Rows{Columns: 6}
	for range 1500 {
		x := []float64{rng.Float64(), float64(rng.IntN(2)), 3, rng.Float64() * 1e6, float64(rng.IntN(40)), nan}
		if rng.IntN(3) == 0 {
			x[0] = nan
		}
		y := float64(x[1]*x[4]) + float64(x[3]/1e5) + float64(rng.Float64()*20)
		r.X, r.Y, r.W = append(r.X, x...), append(r.Y, y), append(r.W, rng.Float64())
	}
	return holdFifth(r)
}

// TestSameBits: equal input gives equal bits, now and on any machine.
func TestSameBits(t *testing.T) {
	a, b := fit(t, messy(1), Defaults()), fit(t, messy(1), Defaults())
	same(t, "twice", a, b)
	h := fnv.New64a()
	h.Write(encode(a))
	if got, want := h.Sum64(), uint64(0xaaf838013fe54f19); got != want || a.Trees() == 0 {
		t.Errorf("%d trees, hash %#x, want %#x: a change of the bits is a change of estimates, say it in the changelog", a.Trees(), got, want)
	}
	r := messy(1)
	for i := range r.W {
		r.W[i] *= 1 << 20
	}
	same(t, "weights in other units", a, fit(t, r, Defaults()))
	r = messy(1)
	for i := range 200 { // rows of no weight, among them what would be the largest
		r.X = append(r.X, 1e9, 2, float64(i), -1e9, 7, 1)
		r.Y, r.W, r.Held = append(r.Y, 1e50), append(r.W, 0), append(r.Held, i%2 == 0)
	}
	same(t, "rows of no weight", a, fit(t, r, Defaults()))
}

// TestOrder: the order of the rows changes rounding only.
func TestOrder(t *testing.T) {
	for seed := range uint64(5) {
		r := messy(seed)
		e := fit(t, r, Defaults())
		p := Rows{Columns: r.Columns}
		for _, i := range rand.New(rand.NewPCG(seed, 9)).Perm(len(r.Y)) {
			p.X, p.Y = append(p.X, r.row(int32(i))...), append(p.Y, r.Y[i])
			p.W, p.Held = append(p.W, r.W[i]), append(p.Held, r.Held[i])
		}
		permuted := fit(t, p, Defaults())
		for i := range r.Y {
			row := r.row(int32(i))
			if a, b := e.Predict(row), permuted.Predict(row); math.Abs(a-b) > 1e-9 {
				t.Fatalf("seed %d: row %d is %v, in another order %v", seed, i, a, b)
			}
		}
	}
}

// TestScale: a monotone change of a feature changes nothing, a linear one of the
// outcome only its unit.
func TestScale(t *testing.T) {
	r := messy(2)
	e := fit(t, r, Defaults())
	m := messy(2)
	for i := range m.Y {
		m.row(int32(i))[4] = math.Exp(m.row(int32(i))[4])
		m.Y[i] = 1000 - 5*m.Y[i]
	}
	f := fit(t, m, Defaults())
	for i := range r.Y {
		if a, b := 1000-5*e.Predict(r.row(int32(i))), f.Predict(m.row(int32(i))); math.Abs(a-b) > 1e-8 {
			t.Fatalf("row %d: %v and %v", i, a, b)
		}
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	r := messy(1)
	e := fit(t, r, Defaults())
	if n := testing.AllocsPerRun(100, func() { e.Predict(r.row(3)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
