package boost

import (
	"fmt"
	"math"
)

// The bounds of Params.
const (
	MostTrees = 10_000
	MostDepth = 8
	MostBins  = 255
)

// Params say how to learn. The zero value is refused: begin with Defaults.
type Params struct {
	// Trees is how many there are at most, 1 to MostTrees: as many as there are
	// without held-out rows, fewer where those say that more do harm.
	Trees int
	// Patience is how many trees in a row may fail to lessen the loss of the
	// held-out rows before no more are tried, 1 or more.
	Patience int
	// Depth is how many splits lie between the root and a leaf at most, 1 to
	// MostDepth; a tree of depth d finds interactions of d features.
	Depth int
	// LearningRate is the part of a leaf's value that is taken, above 0, at most 1.
	LearningRate float64
	// MinRows is how many rows a leaf has at least, 1 or more. Where weights differ
	// it is the effective number of Kish (1965), (sum w)^2 / sum w^2, so that no
	// leaf hangs on one heavy row.
	MinRows int
	// L2 pulls the value of a leaf to 0 as that many more rows of the mean weight
	// and a residual of 0 would, 0 or more, finite.
	L2 float64
	// Bins is how many bins a column has at most, 2 to MostBins; missing values
	// have one more.
	Bins int
}

// Defaults are sound for noisy outcomes and a thousand to twenty thousand rows:
// shallow trees, slow learning, large leaves, and as many trees as the held-out
// rows allow.
func Defaults() Params {
	return Params{Trees: 300, Patience: 20, Depth: 3, LearningRate: 0.1, MinRows: 20, L2: 1, Bins: 64}
}

// Check says what is wrong with p, nil if nothing is.
func (p Params) Check() error {
	switch {
	case p.Trees < 1 || p.Trees > MostTrees:
		return fmt.Errorf("boost: %d trees, want 1 to %d", p.Trees, MostTrees)
	case p.Patience < 1:
		return fmt.Errorf("boost: a patience of %d trees, want 1 or more", p.Patience)
	case p.Depth < 1 || p.Depth > MostDepth:
		return fmt.Errorf("boost: trees of depth %d, want 1 to %d", p.Depth, MostDepth)
	case !(p.LearningRate > 0 && p.LearningRate <= 1):
		return fmt.Errorf("boost: a learning rate of %v, want more than 0 and at most 1", p.LearningRate)
	case p.MinRows < 1:
		return fmt.Errorf("boost: leaves of %d rows, want 1 or more", p.MinRows)
	case !(p.L2 >= 0) || math.IsInf(p.L2, 1):
		return fmt.Errorf("boost: an L2 of %v, want a number of 0 or more", p.L2)
	case p.Bins < 2 || p.Bins > MostBins:
		return fmt.Errorf("boost: %d bins, want 2 to %d", p.Bins, MostBins)
	}
	return nil
}
