package web

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"blipd/estimators"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0.0314, 3, "+0.031"}, {-0.0314, 3, "−0.031"}, {0, 3, "0.000"}, {-0.0001, 3, "0.000"}, {0.0001, 3, "0.000"}, {math.Copysign(0, -1), 2, "0.00"},
		{12, 0, "+12"}, {-3e9, 0, "−3e+09"}, {2.5e-9, 10, "+2.5e-09"}, {0, 10, "0"}, {1234567, 0, "+1234567"},
	} {
		if got := signed(c.v, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "−1,000"} {
		if got := count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		errs []float64
		want int
	}{
		{nil, 3}, {[]float64{0.012}, 3}, {[]float64{0.12}, 2}, {[]float64{12}, 0}, {[]float64{1500}, 0}, {[]float64{0.003, 0.05, 0.06}, 3},
		{[]float64{0.00001, 0.05, 0.06}, 5}, {[]float64{math.NaN(), 0}, 3},
	} {
		if got := decimalsFor(c.errs); got != c.want {
			t.Errorf("errors %v: %d decimals, want %d", c.errs, got, c.want)
		}
	}
}

func TestAxisHasRoundTicksAndZero(t *testing.T) {
	x := effect("success", "all", "all", 100, 0.03, 0.02)
	a := newAxis([]*estimators.Estimate{&x}, []float64{0.12})
	labels := make([]string, 0, len(a.Ticks))
	for _, tick := range a.Ticks {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "−0.05 0.00 +0.05 +0.10 +0.15" {
		t.Errorf("ticks %s", got)
	}
	if empty := newAxis(nil, nil); len(empty.Ticks) < 3 || empty.Zero != "50.00%" {
		t.Errorf("axis of nothing: %+v", empty)
	}
}

func TestOneWideSequenceIsCut(t *testing.T) {
	var shown []*estimators.Estimate
	for range 5 {
		x := effect("success", "tool", "x", 100, 0.1, 0.01)
		shown = append(shown, &x)
	}
	wideOne := effect("success", "tool", "wide", 60, 0.1, 1)
	shown = append(shown, &wideOne)
	a := newAxis(shown, nil)
	if a.high > 0.5 {
		t.Errorf("one wide sequence takes the axis to %v", a.high)
	}
	if p := a.draw(&wideOne); !p.CutLow || !p.CutHigh {
		t.Errorf("a sequence beyond the edge is not marked: %+v", p)
	}
	if p := a.draw(shown[0]); p.CutLow || p.CutHigh || !p.Drawn {
		t.Errorf("a sequence within is cut: %+v", p)
	}
	early := effect("success", "tool", "early", 49, 0.1, 0.01)
	if p := a.draw(&early); p.Drawn {
		t.Error("an interval is drawn below 50 trajectories")
	}
}

// TestAxisHoldsWhateverComes: every place is a percentage of the width, in
// order, and few ticks are drawn, whatever the size of the numbers.
func TestAxisHoldsWhateverComes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	number := func() float64 { // any finite one: its bits are drawn
		for {
			if v := math.Float64frombits(random.Uint64()); isFinite(v) {
				return v
			}
		}
	}
	for range 5000 {
		var shown []*estimators.Estimate
		for range random.IntN(6) {
			x := effect("success", "tool", "x", 100, number(), math.Abs(number()))
			if hasSequence(&x) {
				shown = append(shown, &x)
			}
		}
		var truths []float64
		for range random.IntN(4) {
			truths = append(truths, number())
		}
		a := newAxis(shown, truths)
		if len(a.Ticks) < 2 || len(a.Ticks) > 12 {
			t.Fatalf("%d ticks between %v and %v", len(a.Ticks), a.low, a.high)
		}
		for _, x := range shown {
			p := a.draw(x)
			last := -1.0
			for _, place := range []string{p.SequenceX1, p.IntervalX1, p.X, p.IntervalX2, p.SequenceX2} {
				at, err := strconv.ParseFloat(strings.TrimSuffix(place, "%"), 64)
				if err != nil || at < 0 || at > 100 || at < last {
					t.Fatalf("places %+v", p)
				}
				last = at
			}
		}
	}
}
