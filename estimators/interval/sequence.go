package interval

import "math"

// optimum is the number of clusters at which the sequence is tightest.
const optimum = 1000

// rhoSquared is the mixing variance of the sequence, in units of one cluster:
// rho^2 = (-W_{-1}(-Alpha^2/e) - 1) / optimum, W_{-1} the lower branch of
// Lambert's function. About 8.212/1000.
var rhoSquared = (-lambertLower(-Alpha*Alpha/math.E) - 1) / optimum

// Sequence is the half-width, in standard errors, of the asymptotic confidence
// sequence after c clusters (c >= 1):
//
//	b(c) = sqrt(2 (1 + 1/(c rho^2)) log(sqrt(c rho^2 + 1) / Alpha))
//
// An interval of this width may be looked at after every cluster, for ever:
// the chance that it ever excludes the truth stays below Alpha.
// Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Annals of
// Statistics, theorem 2.2.
func Sequence(c int64) float64 {
	v := float64(c) * rhoSquared
	return math.Sqrt(2 * (1 + 1/v) * math.Log(math.Sqrt(v+1)/Alpha))
}

// lambertLower is W_{-1}(x), the solution w <= -1 of w exp(w) = x, for x in
// (-1/e, 0): Newton's iteration on log(-w) + w = log(-x), where it is concave
// and converges from any start below -1.
func lambertLower(x float64) float64 {
	target := math.Log(-x)
	w := target - math.Log(-target) // the first two terms of the expansion at 0
	for range 50 {
		next := w - (math.Log(-w)+w-target)/(1/w+1)
		if next == w {
			break
		}
		w = next
	}
	return w
}
