package validity

import (
	"math"

	"blipd/estimators"
)

// looked is what one repetition gave for one component.
type looked struct {
	ok         bool // there was a value
	value, se  float64
	in         bool // the interval for one look holds the truth
	inSequence bool // so does the sequence
}

func look(c *component, all []estimators.Estimate) looked {
	e := c.find(all)
	if e == nil || e.Status != estimators.OK {
		return looked{}
	}
	return looked{ok: true, value: e.Value, se: e.StdError,
		in: e.Low <= c.value && c.value <= e.Up, inSequence: e.SequenceLow <= c.value && c.value <= e.SequenceUp}
}

// summary is what repetitions say of one component.
type summary struct {
	component
	reps, without int     // repetitions, and those without a value
	coverage      float64 // of the interval for one look
	mean, sd, se  float64 // of the estimates; the mean of the standard errors
}

func summarize(c component, all []looked) summary {
	s := summary{component: c, reps: len(all)}
	var n, sum, squares, in float64
	for _, l := range all {
		if !l.ok {
			s.without++
			continue
		}
		n++
		d := l.value - c.value // small numbers: no cancellation
		sum += d
		squares += d * d
		s.se += l.se
		if l.in {
			in++
		}
	}
	s.coverage, s.se = in/n, s.se/n
	s.mean = c.value + sum/n
	s.sd = math.Sqrt((squares - sum*sum/n) / (n - 1))
	return s
}

// bias is in empirical standard deviations.
func (s *summary) bias() float64 { return (s.mean - s.value) / s.sd }

// error is the Monte Carlo standard error of the coverage.
func (s *summary) error() float64 {
	return math.Sqrt(s.coverage * (1 - s.coverage) / float64(s.reps-s.without))
}

// mean is the mean over a slice of what f gives.
func mean[T any](all []T, f func(*T) float64) float64 {
	sum := 0.0
	for i := range all {
		sum += f(&all[i])
	}
	return sum / float64(len(all))
}

// share is how many of a slice are so.
func share[T any](all []T, so func(*T) bool) float64 {
	return mean(all, func(x *T) float64 {
		if so(x) {
			return 1
		}
		return 0
	})
}
