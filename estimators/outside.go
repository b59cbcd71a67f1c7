package estimators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is what estimand 1, which needs no model, says of the blip model
// along a dimension that is not in it: whether the effects of its groups with
// randomized continuation are those that the model gives them. Along groups
// that the model has, both agree whatever is true. It tests the model with
// randomized continuation only, and marks nothing.
type Comparison struct {
	Arm       string  `json:"arm"`
	Dimension string  `json:"dimension"`
	Check     string  `json:"check"` // CheckPass, CheckWarn, CheckFail
	P         float64 `json:"p"`
	Statistic float64 `json:"statistic"` // F
	Groups    int     `json:"groups"`    // q
}

// mostCompared bounds the groups of one comparison, largest first;
// leastCompared is the number of clusters that each must have.
const (
	mostCompared  = 16
	leastCompared = 50
)

// compare compares estimand 1 with the blip model of outcome o along every
// dimension outside it:
//
//	d_g = theta_g - (mean of f over the rows of g)'psi^p, psi^p = (sum Z Z')^-1 sum Z (Y - q_Y),
//
// with V of the d_g from leaving out one bucket at a time, T = d'V^-1 d, and
// T (64 - q) / (63 q) against F(q, 64 - q). Of all groups of a dimension the
// smallest is left out: what it says follows from the others.
func (f *blipFit) compare(o int) (out []Comparison) {
	if f.tooFew() || f.local.rcond < leastCondition {
		return nil
	}
	for d := 1; d < len(f.p.cells); d++ {
		if f.inModel(d) {
			continue
		}
		for a := range f.m.axes.arms {
			groups := f.compared(d, a)
			if len(groups) == 0 {
				continue
			}
			forms := f.m.effectForms(f.p, a)[o]
			differences := make([][1 + Buckets]float64, 0, len(groups))
			for _, c := range groups {
				side := f.m.side(f.p, signed{c, 1})
				theta := side.theta(f.m, a, forms)
				means, _ := f.meansOf(side.parts)
				model := f.effectOf(f.local, &means, a, o)
				for b := range theta {
					theta[b] -= model[b]
				}
				differences = append(differences, theta)
			}
			c := Comparison{Arm: f.m.armName(1 + a), Dimension: f.m.dimension(d)}
			if c.test(differences) {
				out = append(out, c)
			}
		}
	}
	return out
}

// inModel tells whether groups of a dimension are sums of levels of the blip
// model, so that nothing can be learnt from them.
func (f *blipFit) inModel(d int) bool {
	own := f.m.spec.Blip.Dimension
	switch {
	case d == own:
		return true
	case own == 0:
		return len(f.m.groups[d].names) < 2
	}
	for g := range f.m.nestings[own] {
		if n := &f.m.nestings[own][g]; n.seen && len(n.within[d]) == 0 {
			return false
		}
	}
	return true
}

// compared are the groups of a dimension that have an effect of arm a, largest
// first, without the smallest of all.
func (f *blipFit) compared(d, a int) []*cell {
	type sized struct {
		c    *cell
		name string
		n    int64
	}
	var all []sized
	for g, c := range f.p.cells[d] {
		if c == nil || c.decisions() == 0 {
			continue
		}
		_, n := f.m.describe(c, d, g)
		all = append(all, sized{c, f.m.groups[d].names[g], n})
	}
	slices.SortFunc(all, func(a, b sized) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	var cells []*cell
	for _, s := range all[:max(0, min(len(all)-1, mostCompared))] {
		_, one := f.meansOf([]signed{{s.c, 1}})
		if s.n >= leastCompared && s.c.rows[0] > 0 && s.c.rows[1+a] > 0 && !one {
			cells = append(cells, s.c)
		}
	}
	return cells
}

// test fills in the verdict on differences that should have mean zero; false
// where their spread cannot be told.
func (c *Comparison) test(differences [][1 + Buckets]float64) bool {
	q := len(differences)
	v := mat.NewSymDense(q, nil)
	d := make([]float64, q)
	means := make([]float64, q)
	for i := range differences {
		d[i] = differences[i][0]
		for _, x := range differences[i][1:] {
			means[i] += x / Buckets
		}
	}
	for i := range q {
		for j := i; j < q; j++ {
			sum := 0.0
			for b := 1; b <= Buckets; b++ {
				sum += (differences[i][b] - means[i]) * (differences[j][b] - means[j])
			}
			v.SetSym(i, j, sum*(Buckets-1)/Buckets)
		}
	}
	s := &normal{a: v, scale: make([]float64, q)}
	if !s.factorize() || 1/s.chol.Cond() < redundant {
		return false
	}
	c.Groups = q
	c.Statistic = dot(d, s.solve(d)) * float64(Buckets-q) / float64((Buckets-1)*q)
	if math.IsNaN(c.Statistic) || math.IsInf(c.Statistic, 0) {
		return false
	}
	c.P = distuv.F{D1: float64(q), D2: float64(Buckets - q)}.Survival(c.Statistic)
	c.Check = verdict(c.P)
	return true
}
