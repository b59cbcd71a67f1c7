package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudent compares with the inverse of the incomplete beta function in 30
// digits (mpmath 1.3: bisection of 1 - betainc(df/2, 1/2, 0, df/(df+t^2),
// regularized=True)/2 = 0.975), and with the distribution function.
func TestStudent(t *testing.T) {
	for _, c := range []struct{ df, want float64 }{
		{0.1, 1682362288745.0282315}, {0.5, 164.55767348048853312}, {1, 12.706204736174704646}, {2.5, 3.5746548420036832185},
		{9, 2.2621571627982055426}, {63, 1.9983405425207415782}, {411.781432684757, 1.9657416629353765067},
		{1000, 1.962339080826408485}, {5000, 1.9604385517065079186},
	} {
		got, ok := Student(c.df)
		if !ok || math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("df %v: %v %v, want %v", c.df, got, ok, c.want)
		}
	}
	for df := 0.05; df < 5000; df *= 1.3 {
		width, ok := Student(df)
		if p := (distuv.StudentsT{Sigma: 1, Nu: df}).CDF(width); !ok || math.Abs(p-0.975) > 1e-12 {
			t.Errorf("df %v: the distribution function at %v is %v", df, width, p)
		}
	}
	for _, df := range []float64{manyDegrees, 1500, 10_000} {
		exact := (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(0.975)
		if got := expansion(df); math.Abs(got-exact) > 1e-12 {
			t.Errorf("df %v: expansion %v, exact %v", df, got, exact)
		}
	}
	for _, df := range []float64{0, -1, math.NaN(), 0.001} {
		if width, ok := Student(df); ok {
			t.Errorf("df %v: %v, want no answer", df, width)
		}
	}
}

// TestSequence compares with the multipliers of the specification's notes.
func TestSequence(t *testing.T) {
	if math.Abs(rhoSquared*optimum-8.211968062068253) > 1e-12 {
		t.Errorf("rho^2 = %v/1000", rhoSquared*optimum)
	}
	for _, c := range []struct {
		clusters int64
		want     float64
	}{{100, 3.82}, {300, 3.19}, {1000, 3.03}, {3000, 3.10}, {10_000, 3.25}, {100_000, 3.57}, {1_000_000, 3.87}} {
		if got := Sequence(c.clusters); math.Abs(got-c.want) > 0.0055 {
			t.Errorf("%d clusters: %v, want %v", c.clusters, got, c.want)
		}
	}
}

// TestCoin: a sound coin raises the alarm in at most one of a thousand streams
// however often one looks, and one that is off by a tenth raises it soon.
func TestCoin(t *testing.T) {
	const streams, draws = 2000, 3000
	alarms := func(off float64) (n, firstSum int) {
		rng := rand.New(rand.NewPCG(3, uint64(off*1000)))
		for range streams {
			excess := 0.0
			for d := range draws {
				p := 0.2 + 0.6*rng.Float64()
				drawn := 0.0
				if rng.Float64() < p+off {
					drawn = 1
				}
				excess += drawn - p
				if Coin(excess, int64(d+1)) >= CoinAlarm {
					n++
					firstSum += d
					break
				}
			}
		}
		return n, firstSum
	}
	// Bound: one in a thousand and 5 binomial standard errors.
	if n, _ := alarms(0); float64(n) > streams*coinAlpha+5*math.Sqrt(streams*coinAlpha) {
		t.Errorf("%d alarms in %d sound streams", n, streams)
	}
	n, first := alarms(0.1)
	if n < streams*95/100 {
		t.Errorf("%d alarms in %d streams that are off by 0.1", n, streams)
	} else if mean := first / n; mean > 1500 {
		t.Errorf("alarms after %d draws on average", mean)
	}
	if e := Coin(1e9, 10); math.IsInf(e, 0) {
		t.Error("infinite evidence")
	}
	if e := Coin(0, 0); e != 1 {
		t.Errorf("no draws are evidence %v", e)
	}
}
