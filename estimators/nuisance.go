package estimators

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// outcomeModels are the coefficients of the outcome model of one intervention,
// [fold][outcome of the panel][column of x]: those of fold k are fitted on all
// other folds, so a row never sees a model that has seen its own outcome.
type outcomeModels [][][]float64

// outcomeModels solves, for every fold k,
//
//	b = (G - G_k + L)^-1 (r - r_k),   G = sum W^2 x x',  r = sum W^2 x Y,
//
// L = Ridge on every diagonal entry but the intercept's, by Cholesky on the
// matrix scaled to unit diagonal. The sum over the other folds is formed by
// adding them, not by subtracting one from the total, which would cancel.
func (m *Moments) outcomeModels(folds []nuisance) outcomeModels {
	order := m.columns.canonical()
	models := make(outcomeModels, len(folds))
	for k := range folds {
		models[k] = make([][]float64, len(folds[k].cross))
		s := newNormal(len(order))
		for j := range folds {
			if j != k {
				s.add(&folds[j].gram, order)
			}
		}
		s.penalize(m.spec.Ridge)
		foreign := m.foreign(order, k)
		s.leaveOut(foreign)
		ok := s.factorize()
		for o := range models[k] {
			models[k][o] = make([]float64, len(order))
			if !ok {
				continue // no row outside this fold: nothing to learn from, and 0 is as valid
			}
			r := make([]float64, len(order))
			for j := range folds {
				if j != k {
					for i, place := range order {
						r[i] += folds[j].cross[o].at(place)
					}
				}
			}
			for _, i := range foreign {
				r[i] = 0
			}
			for i, b := range s.solve(r) {
				models[k][o][order[i]] = b
			}
		}
	}
	return models
}

// normal is a penalized system of normal equations, scaled to unit diagonal.
type normal struct {
	a     *mat.SymDense
	scale []float64 // 1/sqrt of the diagonal
	chol  mat.Cholesky
}

func newNormal(dim int) *normal {
	return &normal{a: mat.NewSymDense(dim, nil), scale: make([]float64, dim)}
}

// add adds the Gram matrix of a fold, its columns in the given order.
func (s *normal) add(gram *packed, order []int) {
	for i, p := range order {
		for j := i; j < len(order); j++ {
			if x := gram.at(p, order[j]); x != 0 {
				s.a.SetSym(i, j, s.a.At(i, j)+x)
			}
		}
	}
}

// penalize adds the ridge; the intercept is column 0 of the canonical order.
func (s *normal) penalize(ridge float64) {
	for i := 1; i < s.a.SymmetricDim(); i++ {
		s.a.SetSym(i, i, s.a.At(i, i)+ridge)
	}
}

// leaveOut takes columns out of the system: with a right-hand side of zero their
// coefficients are zero.
func (s *normal) leaveOut(columns []int) {
	for _, i := range columns {
		for j := range s.scale {
			s.a.SetSym(i, j, 0)
		}
		s.a.SetSym(i, i, 1)
	}
}

// factorize reports false when there is no row at all to learn from, or the
// matrix is not positive definite in double precision.
func (s *normal) factorize() bool {
	for i := range s.scale {
		d := s.a.At(i, i)
		if !(d > 0) {
			return false
		}
		s.scale[i] = 1 / math.Sqrt(d)
	}
	for i := range s.scale {
		for j := i; j < len(s.scale); j++ {
			s.a.SetSym(i, j, s.a.At(i, j)*s.scale[i]*s.scale[j])
		}
	}
	return s.chol.Factorize(s.a)
}

func (s *normal) solve(r []float64) []float64 {
	x := mat.NewVecDense(len(r), nil)
	for i := range r {
		x.SetVec(i, r[i]*s.scale[i])
	}
	// SolveVecTo warns of a large condition; the model needs no exact solution,
	// any coefficients give a valid estimate, and these are within rounding.
	_ = s.chol.SolveVecTo(x, x)
	b := make([]float64, len(r))
	for i := range b {
		b[i] = x.AtVec(i) * s.scale[i]
	}
	return b
}
