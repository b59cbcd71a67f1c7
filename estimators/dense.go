package estimators

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// dense is a matrix, row by row.
type dense = blas64.General

func newDense(rows, cols int) dense {
	return dense{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*cols)}
}

// mapped is a dense form of m, its places sent where rows and cols say; -1
// leaves them out.
func (m *matrix) mapped(rows, cols []int, height, width int) dense {
	d := newDense(height, width)
	for i := range m.rows {
		if rows[i] < 0 {
			continue
		}
		to := d.Data[rows[i]*width:][:width]
		for j, x := range m.row(i) {
			if cols[j] >= 0 {
				to[cols[j]] += x
			}
		}
	}
	return d
}

func (v vector) mapped(to []int, size int) []float64 {
	d := make([]float64, size)
	for i, x := range v {
		if to[i] >= 0 {
			d[to[i]] += x
		}
	}
	return d
}

// addTimes adds s a b to to.
func addTimes(to dense, s float64, a, b dense) {
	if a.Rows > 0 && a.Cols > 0 && b.Cols > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, s, a, b, 1, to)
	}
}

func addScaled(to []float64, s float64, x []float64) {
	for i, v := range x {
		to[i] += s * v
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// lu solves J psi = r after scaling row i and column i of J by scale[i], and
// tells the reciprocal condition of the scaled J in the 1-norm.
type lu struct {
	j     dense
	pivot []int
	work  []float64
	iwork []int
}

func newLU(n int) *lu {
	return &lu{newDense(n, n), make([]int, n), make([]float64, 4*n), make([]int, n)}
}

// solve overwrites r, and returns the reciprocal condition; 0 where J is
// singular, and r is then meaningless.
func (s *lu) solve(j []float64, r dense, scale []float64) (rcond float64) {
	n := s.j.Rows
	norm := 0.0
	for c := range n {
		sum := 0.0
		for i := range n {
			x := j[i*n+c] * scale[i] * scale[c]
			s.j.Data[i*n+c] = x
			sum += math.Abs(x)
		}
		norm = max(norm, sum)
	}
	if !lapack64.Getrf(s.j, s.pivot) || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0
	}
	rcond = lapack64.Gecon(lapack.MaxColumnSum, s.j, norm, s.work, s.iwork)
	for i := range n {
		for c := range r.Cols {
			r.Data[i*r.Stride+c] *= scale[i]
		}
	}
	lapack64.Getrs(blas.NoTrans, s.j, r, s.pivot)
	for i := range n {
		for c := range r.Cols {
			r.Data[i*r.Stride+c] *= scale[i]
		}
	}
	return rcond
}

// nearlyNull lists the columns of J, scaled, that make up the directions in
// which it is all but singular: those that cannot be told apart.
func nearlyNull(j, scale []float64) []int {
	n := len(scale)
	var empty []int
	for i, s := range scale {
		if math.IsInf(s, 0) || math.IsNaN(s) {
			empty = append(empty, i)
		}
	}
	if len(empty) > 0 {
		return empty // nothing was ever in them
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for c := range n {
			a.Set(i, c, j[i*n+c]*scale[i]*scale[c])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	sizes := svd.Values(nil) // falling
	var columns []int
	for c := range n {
		for k := range n {
			if (k == n-1 || sizes[k] < 10*leastCondition*sizes[0]) && math.Abs(v.At(c, k)) > 0.1 {
				columns = append(columns, c)
				break
			}
		}
	}
	return columns
}
