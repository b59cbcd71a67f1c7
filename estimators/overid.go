package estimators

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Verdicts of the over-identification test.
const (
	CheckPass     = "pass"     // p >= 0.05
	CheckWarn     = "warn"     // below
	CheckFail     = "fail"     // p < 0.001
	CheckUntested = "untested" // nothing to test with
)

const (
	warnBelow = 0.05
	failBelow = 0.001
)

// FittedModel is what is known of the blip model of one outcome.
type FittedModel struct {
	Outcome     string   `json:"outcome"`
	Columns     []string `json:"columns"`          // of f
	Pooled      []string `json:"pooled,omitempty"` // levels that share the column (pooled)
	Check       string   `json:"check"`            // CheckPass, CheckWarn, CheckFail, CheckUntested
	P           float64  `json:"p"`                // 1 where untested
	Statistic   float64  `json:"statistic"`        // F
	Instruments int      `json:"instruments"`      // q

	Comparisons []Comparison `json:"randomized_comparisons,omitempty"` // with estimand 1, along dimensions outside f
}

// mostInstruments bounds the instruments of one test; with several
// interventions each instrument counts once for each.
const mostInstruments = 16

// redundant is the share of its own square below which an instrument adds
// nothing to f and those before it.
const redundant = 1e-8

// check is the over-identification test of outcome o: what is left of the
// outcome after psi of never intervening must not depend on instruments h
// outside f:
//
//	mh_i = sum_t ((1{A=m} - p_m) h)_m {Y - q_Y - (Z + F - q_F)'psi}
//	e_j  = mh - Jh J^-1 m, summed over bucket j;  S = sum e_j
//	V    = 64/63 sum (e_j - mean)(e_j - mean)',  T = S'V^-1 S
//	T (64 - q) / (63 q) ~ F(q, 64 - q)
func (f *blipFit) check(o int) FittedModel {
	out := FittedModel{Outcome: f.m.spec.Experiment.Outcomes[f.p.outcomes[o]].Name, Columns: f.pooling.names,
		Pooled: f.pooling.pooled, Check: CheckUntested, P: 1}
	if f.tooFew() || f.never.rcond < leastCondition {
		return out
	}
	kept := f.keptInstruments()
	q := len(kept)
	if q == 0 {
		return out
	}
	e := f.instrumentSums(o, kept)
	mean := make([]float64, q)
	for j := range e {
		addScaled(mean, 1.0/Buckets, e[j])
	}
	v := mat.NewSymDense(q, nil)
	for j := range e {
		for a := range q {
			for b := a; b < q; b++ {
				v.SetSym(a, b, v.At(a, b)+(e[j][a]-mean[a])*(e[j][b]-mean[b])*Buckets/(Buckets-1))
			}
		}
	}
	s := &normal{a: v, scale: make([]float64, q)}
	if !s.factorize() {
		return out
	}
	sum := make([]float64, q)
	addScaled(sum, Buckets, mean)
	t := dot(sum, s.solve(sum))
	out.Instruments = q
	out.Statistic = t * float64(Buckets-q) / float64((Buckets-1)*q)
	if math.IsNaN(out.Statistic) || math.IsInf(out.Statistic, 0) {
		return FittedModel{Outcome: out.Outcome, Columns: out.Columns, Pooled: out.Pooled, Check: CheckUntested, P: 1}
	}
	out.P = distuv.F{D1: float64(q), D2: float64(Buckets - q)}.Survival(out.Statistic)
	out.Check = verdict(out.P)
	return out
}

// verdict is what a p-value says.
func verdict(p float64) string {
	switch {
	case p < failBelow:
		return CheckFail
	case p < warnBelow:
		return CheckWarn
	}
	return CheckPass
}

// keptInstruments lists the places of zh that the test uses: in their order,
// but for those that f and the ones before explain.
func (f *blipFit) keptInstruments() []int {
	x := &f.m.axes
	size := f.pooling.size(x.e)
	gram := mat.NewSymDense(size, nil)
	to := f.pooling.places(x.e)
	for i := range f.p.blip.gram.dim {
		for j := range i + 1 {
			if a, b := to[i], to[j]; a >= 0 && b >= 0 {
				v := f.p.blip.gram.at(i, j)
				if i != j && a == b {
					v *= 2
				}
				gram.SetSym(a, b, gram.At(a, b)+v)
			}
		}
	}
	var order, of []int // places in the Gram, columns of h or -1 for f
	for i := range x.moderators {
		order, of = append(order, i), append(of, -1)
	}
	block := func(column int) int { return x.moderators + x.fixedChecks + (column-x.moderators)*(1+x.perLevel) }
	for _, column := range f.pooling.largest {
		order, of = append(order, block(column)), append(of, -1)
	}
	for i := range x.fixedChecks {
		order, of = append(order, x.moderators+i), append(of, i)
	}
	for _, column := range f.pooling.largest {
		for i := range x.perLevel {
			order, of = append(order, block(column)+1+i), append(of, x.fixedChecks+(column-x.moderators)*x.perLevel+i)
		}
	}
	var kept []int
	for i, column := range sweep(gram, order) {
		if column && of[i] >= 0 && (len(kept)+x.arms) <= max(mostInstruments, x.arms) {
			for a := range x.arms {
				kept = append(kept, of[i]*x.arms+a)
			}
		}
	}
	return kept
}

// sweep tells which places, in their order, are not explained by those before:
// a Cholesky factorization that leaves out what has no residual.
func sweep(gram *mat.SymDense, order []int) []bool {
	kept := make([]bool, len(order))
	var rows [][]float64 // of the factor, over order
	for i, place := range order {
		residual := gram.At(place, place)
		for _, r := range rows {
			residual -= r[i] * r[i]
		}
		if !(residual > redundant*gram.At(place, place)) {
			continue
		}
		kept[i] = true
		row := make([]float64, len(order))
		for k := i; k < len(order); k++ {
			v := gram.At(place, order[k])
			for _, r := range rows {
				v -= r[i] * r[k]
			}
			row[k] = v / math.Sqrt(residual)
		}
		rows = append(rows, row)
	}
	return kept
}

// instrumentSums is e_j of each bucket for outcome o, at the kept places.
func (f *blipFit) instrumentSums(o int, kept []int) [Buckets][]float64 {
	x, b := &f.m.axes, &f.p.blip.buckets
	hTo, zTo := f.pooling.places(x.zh), f.pooling.places(x.z)
	size, height, outcomes := f.size(), len(kept), len(f.p.outcomes)
	at := make([]int, f.pooling.size(x.zh))
	for i := range at {
		at[i] = -1
	}
	for i, place := range kept {
		at[place] = i
	}
	for i, place := range hTo {
		if place >= 0 {
			hTo[i] = at[place]
		}
	}
	psi := make([]float64, size)
	for i := range psi {
		psi[i] = f.never.psi[0].Data[i*outcomes+o]
	}
	xTo := identity(len(f.m.columns.list))
	jh, j := newDense(height, size), newDense(size, size)
	var systems [Buckets]system
	for k := range b {
		hx := b[k].checks.x.mapped(hTo, xTo, height, len(xTo))
		systems[k] = b[k].checks.system(hx, &f.folds[k%f.m.spec.Folds], hTo, zTo, size)
		addScaled(jh.Data, 1, systems[k].j.Data)
		addScaled(j.Data, 1, f.systems[k].j.Data)
	}
	// Jh J^-1 = (J'^-1 Jh')'
	transposed, right := make([]float64, size*size), newDense(size, height)
	for r := range size {
		for c := range size {
			transposed[c*size+r] = j.Data[r*size+c]
		}
		for c := range height {
			right.Data[r*height+c] = jh.Data[c*size+r]
		}
	}
	newLU(size).solve(transposed, right, f.scale)
	var e [Buckets][]float64
	for k := range e {
		m := remainder(&f.systems[k], psi, o)
		e[k] = remainder(&systems[k], psi, o)
		for i := range e[k] {
			for r, v := range m {
				e[k][i] -= right.Data[r*height+i] * v
			}
		}
	}
	return e
}

// remainder is r - J psi of outcome o.
func remainder(s *system, psi []float64, o int) []float64 {
	out := make([]float64, s.j.Rows)
	for i := range out {
		out[i] = s.r.Data[i*s.r.Stride+o] - dot(s.j.Data[i*s.j.Stride:][:s.j.Cols], psi)
	}
	return out
}
