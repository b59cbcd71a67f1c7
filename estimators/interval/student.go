package interval

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every interval: 1 - Alpha.
const (
	Alpha = 0.05
	Level = 1 - Alpha
)

// Student is the half-width, in standard errors, of the two-sided interval of
// confidence Level for an estimate with df degrees of freedom (df > 0, need
// not be whole): the quantile t(1-Alpha/2, df). ok is false where the quantile
// is no finite number, which takes fewer than about a hundredth of a degree.
func Student(df float64) (width float64, ok bool) {
	if !(df > 0) {
		return 0, false
	}
	width = distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - Alpha/2)
	return width, !math.IsInf(width, 0) && !math.IsNaN(width) && width > 0
}
