package estimators

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
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

// nearlyNull lists the places that make up the direction in which the J last
// factorized is smallest: the columns that cannot be told apart.
func (s *lu) nearlyNull() []int {
	n := s.j.Rows
	at := 0
	for i := range n {
		if math.Abs(s.j.Data[i*n+i]) < math.Abs(s.j.Data[at*n+at]) {
			at = i
		}
	}
	null := make([]float64, n)
	null[at] = 1
	for i := at - 1; i >= 0; i-- {
		sum := 0.0
		for c := i + 1; c <= at; c++ {
			sum += s.j.Data[i*n+c] * null[c]
		}
		null[i] = -sum / s.j.Data[i*n+i]
	}
	var places []int
	for i, x := range null {
		if math.Abs(x) > 0.1 {
			places = append(places, i)
		}
	}
	return places
}
