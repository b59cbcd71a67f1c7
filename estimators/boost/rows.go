package boost

import (
	"fmt"
	"math"
)

// The bounds of Rows.
const (
	MostColumns = 1 << 14
	MostRows    = 1 << 24
	Largest     = 1e100 // of |y|
)

// Rows are n rows to learn from. A row of weight 0 is as if it were not there.
type Rows struct {
	Columns int       // features of a row, 0 to MostColumns
	X       []float64 // n*Columns features, row by row; NaN is missing, infinities are refused
	Y       []float64 // n outcomes, finite, at most Largest from 0
	W       []float64 // n weights, finite, 0 or more; only their ratios matter; nil is 1 each
	// Held marks the n rows that choose the number of trees; nil is none. Rows that
	// depend on each other, as those of one trajectory do, belong on the same side.
	Held []bool
}

// row is the features of row i.
func (r *Rows) row(i int32) []float64 {
	return r.X[int(i)*r.Columns : (int(i)+1)*r.Columns]
}

// check says what is wrong with the rows.
func (r *Rows) check() error {
	n := len(r.Y)
	switch {
	case r.Columns < 0 || r.Columns > MostColumns:
		return fmt.Errorf("boost: rows of %d columns, want 0 to %d", r.Columns, MostColumns)
	case n > MostRows:
		return fmt.Errorf("boost: %d rows, want at most %d", n, MostRows)
	case len(r.X) != n*r.Columns:
		return fmt.Errorf("boost: %d features for %d rows of %d columns, want %d", len(r.X), n, r.Columns, n*r.Columns)
	case r.W != nil && len(r.W) != n:
		return fmt.Errorf("boost: %d weights for %d rows", len(r.W), n)
	case r.Held != nil && len(r.Held) != n:
		return fmt.Errorf("boost: %d marks of held-out rows for %d rows", len(r.Held), n)
	}
	for i, y := range r.Y {
		if !(math.Abs(y) <= Largest) {
			return fmt.Errorf("boost: the outcome of row %d is %v, want a number at most %v from 0", i, y, Largest)
		}
	}
	for i, w := range r.W {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("boost: the weight of row %d is %v, want a number of 0 or more", i, w)
		}
	}
	for i, x := range r.X {
		if math.IsInf(x, 0) {
			return fmt.Errorf("boost: column %d of row %d is %v, want a number or NaN", i%r.Columns, i/r.Columns, x)
		}
	}
	return nil
}

// weigh gives the rows of positive weight, in their order, and the weights of all
// rows in units of the mean of those.
func (r *Rows) weigh() (weights []float64, all []int32) {
	weights = make([]float64, len(r.Y))
	largest := 1.0
	if r.W != nil {
		largest = 0
		for _, w := range r.W {
			largest = max(largest, w)
		}
	}
	sum := 0.0
	for i := range weights {
		weights[i] = 1
		if r.W != nil && largest > 0 {
			weights[i] = r.W[i] / largest // neither the sum nor a square can overflow
		} else if r.W != nil {
			weights[i] = 0
		}
		if weights[i] > 0 {
			all = append(all, int32(i))
			sum += weights[i]
		}
	}
	for _, i := range all {
		weights[i] /= sum / float64(len(all))
	}
	return weights, all
}
