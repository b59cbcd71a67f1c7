package estimators

import (
	"math"

	"blipd/estimators/interval"
)

// blipFit is the blip model of one panel, solved for never intervening and for
// every policy, on all of it and with each bucket left out. Places are those
// after pooling: column c of f and intervention a have place c·arms + a.
type blipFit struct {
	m       *Moments
	p       *panel
	pooling *pooling

	n, clusters int64 // trajectories, and their clusters
	holding     int   // buckets that hold a trajectory
	width       float64
	df          float64

	scale    []float64
	systems  [Buckets]system    // J and r of each bucket, for never intervening
	squares  [Buckets][]float64 // sum Z Z', places × places
	sums     [Buckets][]float64 // sum Z
	never    *solved
	local    *solved // of going on as the rows were drawn: F^p, of mean zero, left out
	policies []*solved
	taken    [Buckets][]float64   // sum (1{A=m} f)_m
	totals   [][Buckets][]float64 // per policy, sum pi f
	masks    [Buckets]maskSums
	folds    []blipNuisance
}

// maskSums are, by entry of every set of levels, sum Z (L - q_L)' and the total
// of one bucket.
type maskSums struct {
	l     dense
	total []float64
}

// system is J psi = r, r with a column for each outcome.
type system struct{ j, r dense }

// solved is psi by outcome, [0] of all buckets and [1+j] without bucket j.
type solved struct {
	psi     [1 + Buckets]dense // places × outcomes
	rcond   float64            // the smallest of all
	columns []int              // what cannot be told apart, where rcond is small
	j       []float64          // J of everything, places × places
}

// leastCondition is the reciprocal condition below which columns of the blip
// model cannot be told apart.
const leastCondition = 1e-6

func (m *Moments) fitBlip(p *panel) *blipFit {
	f := &blipFit{m: m, p: p, pooling: m.pool(p, m.spec.Blip), df: Buckets - 1}
	for j := range p.blip.buckets {
		n := p.blip.buckets[j].trajectories
		f.n += n
		if n > 0 {
			f.holding++
		}
	}
	f.clusters = f.n
	if m.spec.clustered() {
		f.df = float64(f.holding - 1)
		if f.clusters = p.alone; m.clusters.crowded {
			f.clusters = 0 // whatever has no decision is in one of the buckets
		}
		for _, n := range p.present {
			if n > 0 {
				f.clusters++
			}
		}
	}
	f.width, _ = interval.Student(f.df)
	f.fitNuisances()
	f.sumBuckets()
	return f
}

// size is the number of places of Z.
func (f *blipFit) size() int { return f.pooling.size(f.m.axes.z) }

// sumBuckets forms J and r of every bucket, and solves:
//
//	J = sum Z (Z + F^pi - q_F)',  r = sum Z (Y - q_Y),  F^pi = F - L in the policy's arm.
func (f *blipFit) sumBuckets() {
	x, b := &f.m.axes, &f.p.blip.buckets
	zTo, fTo := f.pooling.places(x.z), f.pooling.places(x.f)
	size, cols := f.size(), f.pooling.size(x.f)
	for j := range b {
		f.squares[j] = b[j].squares.pooled(zTo, size)
	}
	f.scale = f.scales()
	xTo := identity(len(f.m.columns.list))
	ls := make([][Buckets]dense, len(f.m.spec.Policies))
	f.totals = make([][Buckets][]float64, len(ls))
	for j := range b {
		nuisance := &f.folds[j%f.m.spec.Folds]
		zx := b[j].moments.x.mapped(zTo, xTo, size, len(xTo))
		f.systems[j] = b[j].moments.system(zx, nuisance, zTo, zTo, size)
		f.sums[j] = make([]float64, size)
		for z := range f.sums[j] {
			f.sums[j][z] = zx.Data[z*zx.Stride] // column 0 of x is the intercept
		}
		sets := f.m.axes.s.width * len(f.m.sets.list)
		f.masks[j] = maskSums{b[j].masks.l.mapped(zTo, identity(sets), size, sets), b[j].masks.total.mapped(identity(sets), sets)}
		addTimes(f.masks[j].l, -1, zx, nuisance.masks)
		f.taken[j] = b[j].taken.mapped(zTo, size)
		for i := range ls {
			ls[i][j] = b[j].policies[i].l.mapped(zTo, fTo, size, cols)
			addTimes(ls[i][j], -1, zx, nuisance.l[i])
			f.totals[i][j] = b[j].policies[i].total.mapped(fTo, cols)
		}
	}
	f.never, f.local = f.solve(nil, 0), f.solveFor(&f.squares)
	for i := range ls {
		f.policies = append(f.policies, f.solve(&ls[i], f.m.spec.Policies[i].Arm))
	}
}

// system is sum z (Z + F - q_F)' and sum z (Y - q_Y) of one bucket; zx is sum
// z x', mapped.
func (s *instrumented) system(zx dense, n *blipNuisance, rows, cols []int, width int) system {
	out := system{s.r.mapped(rows, cols, zx.Rows, width), newDense(zx.Rows, len(s.y))}
	addTimes(out.j, -1, zx, n.f)
	for o, v := range s.y {
		for i, x := range v {
			if rows[i] >= 0 {
				out.r.Data[rows[i]*len(s.y)+o] += x
			}
		}
	}
	addTimes(out.r, -1, zx, n.y)
	return out
}

// scales are 1/sqrt(sum Z^2) over all rows, by place.
func (f *blipFit) scales() []float64 {
	sums := make([]float64, f.size())
	for i := range sums {
		for j := range f.squares {
			sums[i] += f.squares[j][i*len(sums)+i]
		}
		sums[i] = 1 / math.Sqrt(sums[i])
	}
	return sums
}

// pooled is a symmetric matrix, dense, its places sent where to says; -1 leaves
// them out.
func (p *packed) pooled(to []int, size int) []float64 {
	d := make([]float64, size*size)
	for i := range p.count() {
		for j, x := range p.a[triangle(i) : triangle(i)+i+1] {
			if a, b := to[p.place(i)], to[p.place(j)]; a >= 0 && b >= 0 {
				d[a*size+b] += x
				if i != j {
					d[b*size+a] += x
				}
			}
		}
	}
	return d
}

// solve solves for a policy of an arm; l, unless nil, is taken from J of never
// intervening in the columns of the arm.
func (f *blipFit) solve(l *[Buckets]dense, arm int) *solved {
	size, arms := f.size(), f.m.axes.arms
	var js [Buckets][]float64
	for b := range js {
		js[b] = f.systems[b].j.Data
		if l != nil {
			js[b] = append([]float64(nil), js[b]...)
			for i := range size {
				for c := range l[b].Cols {
					js[b][i*size+c*arms+arm] -= l[b].Data[i*l[b].Stride+c]
				}
			}
		}
	}
	return f.solveFor(&js)
}

// solveFor solves J psi = r, J by bucket, on everything and without each
// bucket.
func (f *blipFit) solveFor(js *[Buckets][]float64) *solved {
	size, outcomes := f.size(), len(f.p.outcomes)
	total, r := make([]float64, size*size), newDense(size, outcomes)
	for b := range js {
		addScaled(total, 1, js[b])
		addScaled(r.Data, 1, f.systems[b].r.Data)
	}
	out, worst := &solved{rcond: math.Inf(1), j: total}, 0
	s := newLU(size)
	j := make([]float64, size*size)
	for b := range out.psi {
		copy(j, total)
		psi := newDense(size, outcomes)
		copy(psi.Data, r.Data)
		if b > 0 {
			addScaled(j, -1, js[b-1])
			addScaled(psi.Data, -1, f.systems[b-1].r.Data)
		}
		rcond := s.solve(j, psi, f.scale)
		if rcond == 0 {
			for i := range psi.Data {
				psi.Data[i] = math.NaN()
			}
		}
		out.psi[b] = psi
		if rcond < out.rcond {
			out.rcond, worst = rcond, b
		}
	}
	if out.rcond < leastCondition {
		narrow := append([]float64(nil), total...)
		if worst > 0 {
			addScaled(narrow, -1, js[worst-1])
		}
		out.columns = nearlyNull(narrow, f.scale)
	}
	return out
}

func identity(n int) []int {
	to := make([]int, n)
	for i := range to {
		to[i] = i
	}
	return to
}
