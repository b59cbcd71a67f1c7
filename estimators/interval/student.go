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
	if df >= manyDegrees {
		return expansion(df), true
	}
	width = distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - Alpha/2)
	return width, !math.IsInf(width, 0) && !math.IsNaN(width) && width > 0
}

// manyDegrees is the number from which on expansion is exact to 1e-13, and a
// good deal faster than the inverse of the incomplete beta function.
const manyDegrees = 1000

// normal is the standard normal quantile of 1 - Alpha/2.
var normal = distuv.UnitNormal.Quantile(1 - Alpha/2)

// expansion is Student's quantile for many degrees of freedom, from the normal
// one: the first five terms in 1/df of Fisher and Cornish (1960), formula
// 26.7.5 of Abramowitz and Stegun (1964).
func expansion(df float64) float64 {
	z := normal
	z2 := z * z
	g1 := z * (z2 + 1) / 4
	g2 := z * ((5*z2+16)*z2 + 3) / 96
	g3 := z * (((3*z2+19)*z2+17)*z2 - 15) / 384
	g4 := z * ((((79*z2+776)*z2+1482)*z2-1920)*z2 - 945) / 92160
	return z + (g1+(g2+(g3+g4/df)/df)/df)/df
}
