package sim

import (
	"math"
	"os"
	"testing"
)

// heavy tells whether the long Monte Carlo tests run.
func heavy() bool { return os.Getenv("BLIPD_HEAVY") == "1" }

// average collects a mean and its standard error.
type average struct{ n, sum, squares float64 }

func (a *average) add(x float64) {
	a.n++
	a.sum += x
	a.squares += x * x
}

func (a *average) mean() float64 { return a.sum / a.n }

func (a *average) variance() float64 { return a.squares/a.n - a.mean()*a.mean() }

func (a *average) stdError() float64 { return math.Sqrt(a.variance() / a.n) }

// sigmas bounds how many standard errors a Monte Carlo mean may lie from its
// truth. Seeds are fixed, so a passing test passes for ever; 4.5 lets 1 in
// 150,000 comparisons fail when a change draws other numbers.
const sigmas = 4.5

func near(t *testing.T, what string, got, stdError, want float64) {
	t.Helper()
	t.Logf("%-45s %9.5f ± %.5f, truth %9.5f", what, got, stdError, want)
	if !(math.Abs(got-want) <= sigmas*stdError) {
		t.Errorf("%s is %.6f, want %.6f within %g standard errors of %.6f", what, got, want, sigmas, stdError)
	}
}

func TestLogarithm(t *testing.T) {
	src := newSource(1, runStream)
	worst := 0.0
	check := func(x float64) {
		want := math.Log(x)
		worst = max(worst, math.Abs(logarithm(x)-want)/max(math.Abs(want), 1e-300))
	}
	for range 100_000 {
		u := 1 - src.uniform()
		check(u)
		check(math.Ldexp(u, -int(60*src.uniform())))
	}
	for _, x := range []float64{0x1p-53, 1 - 0x1p-53, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), 0.5, 0.25} {
		check(x)
	}
	t.Logf("largest relative error %.2g", worst)
	if worst > 1e-15 {
		t.Errorf("logarithm is off by %.3g of its value, want at most 1e-15", worst)
	}
	if got := logarithm(1); got != 0 {
		t.Errorf("logarithm(1) is %g", got)
	}
}

func TestVariates(t *testing.T) {
	src := newSource(2, runStream)
	var normal, square, fourth, tail, exponential, late, uniform average
	indicator := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for range 400_000 {
		z := src.normal()
		normal.add(z)
		square.add(z * z)
		fourth.add(z * z * z * z)
		tail.add(indicator(z > 1.959963985))
		e := src.exponential()
		exponential.add(e)
		late.add(indicator(e > 2))
		uniform.add(src.uniform())
	}
	near(t, "normal", normal.mean(), normal.stdError(), 0)
	near(t, "normal, squared", square.mean(), square.stdError(), 1)
	near(t, "normal, fourth power", fourth.mean(), fourth.stdError(), 3)
	near(t, "normal, upper tail", tail.mean(), tail.stdError(), 0.025)
	near(t, "exponential", exponential.mean(), exponential.stdError(), 1)
	near(t, "exponential above 2", late.mean(), late.stdError(), math.Exp(-2))
	near(t, "uniform", uniform.mean(), uniform.stdError(), 0.5)
}

func TestStreamsAreUnrelated(t *testing.T) {
	const seeds = 20_000
	var product average
	first := map[uint64]bool{}
	for seed := range uint64(seeds) {
		a, b := newSource(seed, runStream), newSource(seed, clockStream)
		next := newSource(seed+1, runStream)
		x := a.uniform() - 0.5
		product.add(x * (b.uniform() - 0.5))
		product.add(x * (next.uniform() - 0.5))
		first[a.bits.Uint64()] = true
	}
	near(t, "product of first variates", product.mean(), product.stdError(), 0)
	if len(first) != seeds {
		t.Errorf("%d seeds give %d streams", seeds, len(first))
	}
}

func TestPick(t *testing.T) {
	src := newSource(3, runStream)
	var counts [toolCount]average
	for range 100_000 {
		g := src.pick(worldShares)
		for i := range counts {
			if i == g {
				counts[i].add(1)
			} else {
				counts[i].add(0)
			}
		}
	}
	for i := range counts {
		near(t, worldTools[i].name, counts[i].mean(), counts[i].stdError(), worldTools[i].share)
	}
}
