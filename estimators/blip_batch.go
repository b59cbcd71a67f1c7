package estimators

import "slices"

// blipBatch is what a trajectory adds to the sums of its blip model, laid out
// over the levels it touches.
type blipBatch struct {
	levels   []int  // touched, ascending
	f, h     laid   // f_t, h_t
	z, zh    laid   // (1{A=m} - p_m) f_t, the same of h_t
	r        laid   // Z_t + F_t
	later    laid   // F_t = sum over strictly later rows of 1{A=m} f
	drawn    laid   // (1{A_t=m} f_t)_m
	e, ee    laid   // (f, h) by level, and times sum_m (1{A=m} - p_m)^2
	l        []laid // per policy, L_t = sum over strictly later rows of pi f
	taken    []float64
	sets     []int // of levels, touched, ascending; without masks none
	setOf    []int // of each row, its place in sets
	s        laid  // L_t of (1, moderators) by set
	setTotal []float64
	total    [][]float64 // per policy, sum of pi f
}

// laid is a dense matrix over the rows of a batch.
type laid struct {
	places []int // of its columns in the sums
	a      []float64
}

func (l *laid) row(t int) []float64 { return l.a[t*len(l.places) : (t+1)*len(l.places)] }

// lay gives l the places of an axis over the levels touched, and n zero rows.
func (l *laid) lay(a axis, levels []int, n int) {
	l.places = l.places[:0]
	for i := range a.lead {
		l.places = append(l.places, i)
	}
	for _, level := range levels {
		for w := range a.width {
			l.places = append(l.places, a.lead+level*a.width+w)
		}
	}
	l.a = zeros(l.a, n*len(l.places))
}

// layBlip lays out everything about the blip model; x need not be.
func (b *batch) layBlip(m *Moments) {
	y, x := &b.blip, &m.axes
	y.levels = y.levels[:0]
	for _, r := range b.rows[:b.n] {
		for _, g := range r.levels[m.spec.Blip.Dimension] {
			if !slices.Contains(y.levels, g) {
				y.levels = append(y.levels, g)
			}
		}
	}
	slices.Sort(y.levels)
	for _, l := range []struct {
		to *laid
		a  axis
	}{{&y.f, x.f}, {&y.h, x.h}, {&y.z, x.z}, {&y.zh, x.zh}, {&y.r, x.z}, {&y.later, x.z}, {&y.drawn, x.z}, {&y.e, x.e}, {&y.ee, x.e}} {
		l.to.lay(l.a, y.levels, b.padded)
	}
	y.l, y.total = grown(y.l, len(m.spec.Policies)), grown(y.total, len(m.spec.Policies))
	for i := range y.l {
		y.l[i].lay(x.f, y.levels, b.padded)
		y.total[i] = zeros(y.total[i], len(y.f.places))
	}
	y.taken = zeros(y.taken, len(y.z.places))
	y.layMasks(m, b)
	for t, r := range b.rows[:b.n] {
		y.layRow(m, t, r)
	}
	for t := b.n - 1; t >= 0; t-- { // F and L: what is summed so far is strictly later
		y.layLater(m, t, b.rows[t])
	}
}

func (y *blipBatch) layRow(m *Moments, t int, r *row) {
	x := &m.axes
	q, fixed, each := x.moderators, x.fixedChecks, x.perLevel
	f, h, e, ee := y.f.row(t), y.h.row(t), y.e.row(t), y.ee.row(t)
	copy(f, r.moderators)
	copy(h, r.checks)
	copy(e, r.moderators)
	copy(e[q:], r.checks)
	for i, level := range y.levels {
		n := float64(count(r.levels[m.spec.Blip.Dimension], level))
		if n == 0 {
			continue
		}
		at := q + fixed + i*(1+each)
		f[q+i], e[at] = n, n
		for j, s := range r.moderators[:each] {
			h[fixed+i*each+j], e[at+1+j] = n*s, n*s
		}
	}
	z, zh := y.z.row(t), y.zh.row(t)
	squares := 0.0
	for a := range x.arms {
		w := -r.p[1+a]
		if r.arm == 1+a {
			w++
		}
		squares += w * w
		for i, v := range f {
			z[i*x.arms+a] = w * v
		}
		for i, v := range h {
			zh[i*x.arms+a] = w * v
		}
	}
	for i, v := range e {
		ee[i] = squares * v
	}
}

func (y *blipBatch) layLater(m *Moments, t int, r *row) {
	arms := m.axes.arms
	later, sum, z := y.later.row(t), y.r.row(t), y.z.row(t)
	copy(later, y.taken)
	for i, v := range later {
		sum[i] = z[i] + v
	}
	f := y.f.row(t)
	if r.arm > 0 {
		for i, v := range f {
			y.taken[i*arms+r.arm-1] += v
			y.drawn.row(t)[i*arms+r.arm-1] = v
		}
	}
	for k, pi := range r.policies {
		copy(y.l[k].row(t), y.total[k])
		if pi != 0 {
			for i, v := range f {
				y.total[k][i] += pi * v
			}
		}
	}
}

// layMasks lays out, for each set of levels touched, the sums over strictly
// later rows of (1, moderators) in the set.
func (y *blipBatch) layMasks(m *Moments, b *batch) {
	y.sets, y.setOf = y.sets[:0], y.setOf[:0]
	if !m.spec.Blip.Masks {
		return
	}
	for _, r := range b.rows[:b.n] {
		set := m.sets.find(r.levels[m.spec.Blip.Dimension])
		if !slices.Contains(y.sets, set) {
			y.sets = append(y.sets, set)
		}
		y.setOf = append(y.setOf, set)
	}
	slices.Sort(y.sets)
	for t, set := range y.setOf {
		y.setOf[t] = slices.Index(y.sets, set)
	}
	width := m.axes.s.width
	y.s.lay(m.axes.s, y.sets, b.padded)
	y.setTotal = zeros(y.setTotal, len(y.s.places))
	for t := b.n - 1; t >= 0; t-- {
		copy(y.s.row(t), y.setTotal)
		own := y.setTotal[y.setOf[t]*width:][:width]
		own[0]++
		for i, v := range b.rows[t].moderators {
			own[1+i] += v
		}
	}
}

// grown is list with at least n elements, in the room that it has.
func grown[T any](list []T, n int) []T {
	for len(list) < n {
		var none T
		list = append(list, none)
	}
	return list[:n]
}
