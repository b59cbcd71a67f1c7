package estimators

import "gonum.org/v1/gonum/mat"

// blipNuisance are the coefficients of q_Y, q_F and, by policy, q_L of one
// fold, fitted on all others: columns of x × what is predicted.
type blipNuisance struct {
	y, f, taken, masks dense
	l                  []dense
}

// fitNuisances solves the unweighted ridges of all folds.
func (f *blipFit) fitNuisances() {
	order := f.m.columns.canonical()
	sums := f.p.blip.folds
	zTo, fTo := f.pooling.places(f.m.axes.z), f.pooling.places(f.m.axes.f)
	xTo := make([]int, len(order))
	for i, place := range order {
		xTo[place] = i
	}
	outcomes, size, cols := len(f.p.outcomes), f.size(), f.pooling.size(f.m.axes.f)
	sets := f.m.axes.s.width * len(f.m.sets.list)
	sTo := identity(sets)
	width := outcomes + size + cols*len(f.m.spec.Policies) + sets + size
	f.folds = make([]blipNuisance, len(sums))
	for k := range f.folds {
		s := newNormal(len(order))
		r := newDense(len(order), width)
		for j := range sums {
			if j == k {
				continue
			}
			s.add(&sums[j].gram, order)
			for o, v := range sums[j].cross {
				for i, x := range v {
					r.Data[xTo[i]*width+o] += x
				}
			}
			sums[j].f.addInto(r, xTo, zTo, outcomes)
			for i := range sums[j].l {
				sums[j].l[i].addInto(r, xTo, fTo, outcomes+size+i*cols)
			}
			sums[j].masks.addInto(r, xTo, sTo, width-sets-size)
			sums[j].taken.addInto(r, xTo, zTo, width-size)
		}
		s.penalize(f.m.spec.Ridge)
		foreign := f.m.foreign(order, k)
		s.leaveOut(foreign)
		for _, i := range foreign {
			clear(r.Data[i*width : (i+1)*width])
		}
		if s.factorize() {
			s.solveAll(r)
		} else {
			clear(r.Data) // no row outside this fold: nothing to learn from, and 0 is as valid
		}
		n := &f.folds[k]
		n.y, n.f, n.masks = part(r, xTo, 0, outcomes), part(r, xTo, outcomes, size), part(r, xTo, width-sets-size, sets)
		n.taken = part(r, xTo, width-size, size)
		for i := range f.m.spec.Policies {
			n.l = append(n.l, part(r, xTo, outcomes+size+i*cols, cols))
		}
	}
}

// addInto adds m to columns of r from at on.
func (m *matrix) addInto(r dense, rows, cols []int, at int) {
	for i := range m.rows {
		to := r.Data[rows[i]*r.Stride+at:]
		for j, x := range m.row(i) {
			if cols[j] >= 0 {
				to[cols[j]] += x
			}
		}
	}
}

// part is width columns of r from at on, its rows in the order of the places.
func part(r dense, rows []int, at, width int) dense {
	d := newDense(r.Rows, width)
	for i, row := range rows {
		copy(d.Data[i*width:(i+1)*width], r.Data[row*r.Stride+at:])
	}
	return d
}

// solveAll overwrites r, a right-hand side in each column.
func (s *normal) solveAll(r dense) {
	if r.Cols == 0 {
		return
	}
	for i := range r.Rows {
		for j := range r.Cols {
			r.Data[i*r.Stride+j] *= s.scale[i]
		}
	}
	x := mat.NewDense(r.Rows, r.Cols, r.Data)
	_ = s.chol.SolveTo(x, x) // see solve
	for i := range r.Rows {
		for j := range r.Cols {
			r.Data[i*r.Stride+j] *= s.scale[i]
		}
	}
}
