package validity

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"blipd/estimators"
	"blipd/event"
)

// TestDTRreg: g-estimation of two stages with DTRreg on two_stage_cont, f =
// stage x (1, X), p1 = 1/(1+exp(-X1)) and p2 = 1/2 known, no treatment later. Its
// conventions: least squares by stage in sample; A f, residualised together with
// F, where we have Z. The difference p f'psi is a function of what was known
// before the draw, so both aim at the same psi.
func TestDTRreg(t *testing.T) {
	d := published(t, "dtrreg/two_stage_cont.csv.gz")
	n := len(d["Y"])
	all := places(n, everywhere)
	f := func(stage int) *mat.Dense {
		return design(all, func(i int) []float64 { return []float64{1, d[fmt.Sprint("X", stage)][i]} })
	}
	scaled := func(f *mat.Dense, by func(i int) float64) *mat.Dense {
		return design(all, func(i int) []float64 { return []float64{by(i) * f.At(i, 0), by(i) * f.At(i, 1)} })
	}
	y := design(all, func(i int) []float64 { return []float64{d["Y"][i]} })
	p1 := func(i int) float64 { return 1 / (1 + math.Exp(-d["X1"][i])) }
	f1, f2 := f(1), f(2)
	z1 := scaled(f1, func(i int) float64 { return d["A1"][i] - p1(i) })
	z2 := scaled(f2, func(i int) float64 { return d["A2"][i] - 0.5 })
	a1, a2 := scaled(f1, func(i int) float64 { return d["A1"][i] }), scaled(f2, func(i int) float64 { return d["A2"][i] })
	solve := func(r1, r2 *mat.Dense) (psi1, psi2 mat.VecDense) {
		var j, r, left, fitted mat.Dense
		j.Mul(z2.T(), r2)
		r.Mul(z2.T(), residuals(f2, y))
		if err := psi2.SolveVec(&j, r.ColView(0)); err != nil {
			t.Fatal(err)
		}
		fitted.Mul(residuals(f1, a2), &psi2)
		left.Sub(residuals(f1, y), &fitted)
		j.Reset()
		r.Reset()
		j.Mul(z1.T(), r1)
		r.Mul(z1.T(), &left)
		if err := psi1.SolveVec(&j, r.ColView(0)); err != nil {
			t.Fatal(err)
		}
		return psi1, psi2
	}
	for _, c := range []struct {
		name   string
		r1, r2 *mat.Dense
		want   [4]float64 // stage 2, then stage 1
	}{
		{"A f residualised, as DTRreg", residuals(f1, a1), residuals(f2, a2), [4]float64{0.830845491071, 1.97554129082, 1.01970139428, 1.40944428218}},
		{"Z, our form", z1, z2, [4]float64{0.70407342, 1.60768974, 0.99665238, 1.50225535}},
	} {
		psi1, psi2 := solve(c.r1, c.r2)
		for k, got := range []float64{psi2.AtVec(0), psi2.AtVec(1), psi1.AtVec(0), psi1.AtVec(1)} {
			t.Logf("%s: stage %d: %.11f, expected %.11f", c.name, 2-k/2, got, c.want[k])
			if math.Abs(got-c.want[k]) > 6e-9 { // given to 8 decimals
				t.Errorf("%s: %.11f, want %.11f", c.name, got, c.want[k])
			}
		}
	}
	defaultOfDTRreg(t, d, p1)
}

// defaultOfDTRreg shows what our defaults give on the same data: cross-fitted
// ridge regressions instead of least squares in sample. psi itself is not
// reported; the mean effect of a stage, f'psi at the mean of its X, is.
func defaultOfDTRreg(t *testing.T, d table, p1 func(i int) float64) {
	spec := specOf(t, plain+`    features:
      - {name: stage, expr: state.stage, category: true}
      - {name: x1, expr: state.x1}
      - {name: x2, expr: state.x2}
    groups: [{dimension: stage, expr: state.stage}]
    blip_model: {groups: stage, moderators: [x1, x2]}
`)
	m := estimators.New(spec)
	means := [3]float64{}
	for i := range d["Y"] {
		decision := func(stage int, p float64) event.Decision {
			x := [3]float64{}
			x[stage] = d[fmt.Sprint("X", stage)][i]
			means[stage] += x[stage] / float64(len(d["Y"]))
			return event.Decision{Calls: []event.Call{{Tool: "treat"}}, State: []event.Member{text("stage", fmt.Sprint("stage ", stage)), number("x1", x[1]), number("x2", x[2])},
				Assignment: assigned(d[fmt.Sprint("A", stage)][i] == 1, p)}
		}
		m.Add(ended(fmt.Sprint("person", i), d["Y"][i], decision(1, p1(i)), decision(2, 0.5)))
	}
	r := m.Report()
	for stage, psi := range map[int][2]float64{1: {0.99665238, 1.50225535}, 2: {0.70407342, 1.60768974}} {
		e := named(r.Estimates, estimators.NoTreatmentContinuation, fmt.Sprint("stage ", stage))
		want := psi[0] + psi[1]*means[stage]
		t.Logf("our default, mean effect at stage %d: %.5f (SE %.5f); psi in sample, our form, gives %.5f", stage, e.Value, e.StdError, want)
		if math.Abs(e.Value-want) > 0.5*e.StdError {
			t.Errorf("stage %d: %.5f is more than half a standard error (%.5f) from %.5f", stage, e.Value, e.StdError, want)
		}
	}
}
