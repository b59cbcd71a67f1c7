package web

import (
	"math"
	"slices"
	"strconv"

	"blipd/estimators"
)

// axis is the common scale of a panel's rows: from Low to High, in the
// outcome's unit, with zero inside.
type axis struct {
	low, high float64
	Zero      string // where zero is, as all places: percent of the width
	Ticks     []tick
}

// tick is one number on an axis.
type tick struct {
	X, Label string
	Zero     bool
}

// wide is how many times the middle half-width an interval may reach before it
// is cut at the edge, so that one uncertain group does not squeeze the others.
const wide = 3

// The numbers beyond which an axis does not go, so that its arithmetic holds.
const (
	largest  = 1e300
	smallest = 1e-300
)

// newAxis fits the sequences, estimates and truths that rows will draw, all of
// them finite.
func newAxis(shown []*estimators.Estimate, truths []float64) axis {
	a := axis{}
	reach := func(v float64) {
		v = min(max(v, -largest), largest)
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
	for _, v := range truths {
		reach(v)
	}
	halves := make([]float64, 0, len(shown))
	for _, x := range shown {
		halves = append(halves, x.SequenceUp/2-x.SequenceLow/2)
	}
	slices.Sort(halves)
	for _, x := range shown {
		reach(x.Value)
		if x.SequenceUp/2-x.SequenceLow/2 <= wide*halves[len(halves)/2] {
			reach(x.SequenceLow)
			reach(x.SequenceUp)
		}
	}
	if a.high-a.low < smallest {
		a.low, a.high = -1, 1
	}
	a.mark()
	return a
}

// mark sets the ticks: round numbers, about five of them, zero among them.
func (a *axis) mark() {
	const about = 5
	step := roundStep(a.high/about - a.low/about)
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	if scaled := step * math.Pow10(decimals); math.Abs(scaled-math.Round(scaled)) > 0.1 {
		decimals++ // a step of 2.5 has one digit more
	}
	a.low, a.high = math.Floor(a.low/step)*step, math.Ceil(a.high/step)*step
	a.Zero = a.place(0)
	for i := math.Round(a.low / step); i <= math.Round(a.high/step); i++ {
		a.Ticks = append(a.Ticks, tick{X: a.place(i * step), Label: signed(i*step, decimals), Zero: i == 0})
	}
}

// roundStep is the next larger of 1, 2, 2.5 and 5 times a power of ten.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= x {
			return m * power
		}
	}
	return 10 * power
}

// margin is the free space at either side of an axis, percent.
const margin = 4.0

// fraction is where a value lies: 0 at low, 1 at high.
func (a *axis) fraction(v float64) float64 {
	f := (v/2 - a.low/2) / (a.high/2 - a.low/2)
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// place is where a value is drawn, at the edge when it lies outside.
func (a *axis) place(v float64) string {
	return percent(margin + (100-2*margin)*min(max(a.fraction(v), -margin/100), 1+margin/100))
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// plot is one row of a forest plot. Places are percent of the width.
type plot struct {
	Axis  *axis
	Label string // all of it in words

	Interval               string // the one for one look, in digits
	Drawn                  bool   // the intervals and the estimate
	SequenceX1, SequenceX2 string
	IntervalX1, IntervalX2 string
	X                      string
	CutLow, CutHigh        bool   // the sequence goes on beyond the edge
	TruthX                 string // "" where the truth is not known
}

// draw places an estimate on the axis.
func (a *axis) draw(x *estimators.Estimate) plot {
	p := plot{Axis: a}
	if hasSequence(x) {
		p.Drawn = true
		p.SequenceX1, p.SequenceX2 = a.place(x.SequenceLow), a.place(x.SequenceUp)
		p.IntervalX1, p.IntervalX2 = a.place(x.Low), a.place(x.Up)
		p.X = a.place(x.Value)
		p.CutLow, p.CutHigh = a.fraction(x.SequenceLow) < -margin/100, a.fraction(x.SequenceUp) > 1+margin/100
	}
	return p
}
