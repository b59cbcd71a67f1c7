package boost

import (
	"math"
	"math/rand/v2"
)

// world draws n rows: the outcome is the truth of the row and normal noise.
func world(seed uint64, n, columns int, noise float64, truth func(x []float64) float64) Rows {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := Rows{Columns: columns, X: make([]float64, n*columns), Y: make([]float64, n)}
	for i := range r.X {
		r.X[i] = rng.Float64()
	}
	for i := range r.Y {
		r.Y[i] = truth(r.row(int32(i))) + noise*rng.NormFloat64()
	}
	return r
}

// friedman is the first function of Friedman (1991), "Multivariate adaptive
// regression splines": ten uniform features, of which five matter, standard deviation
// about 4.9, to which he adds noise of standard deviation 1.
func friedman(x []float64) float64 {
	return 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-0.5)*(x[2]-0.5) + 10*x[3] + 5*x[4]
}

func nothing([]float64) float64 { return 0 }

// holdFifth holds every fifth row out.
func holdFifth(r Rows) Rows {
	r.Held = make([]bool, len(r.Y))
	for i := range r.Held {
		r.Held[i] = i%5 == 4
	}
	return r
}

// squaredError is the mean squared error of what is said of the rows.
func squaredError(r Rows, say func(row []float64) float64) float64 {
	sum := 0.0
	for i, y := range r.Y {
		d := y - say(r.row(int32(i)))
		sum += d * d
	}
	return sum / float64(len(r.Y))
}
