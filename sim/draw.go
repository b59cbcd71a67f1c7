package sim

import (
	"math"
	"math/rand/v2"
)

// source is a stream of variates. It uses nothing of rand but the 64 bits of
// PCG, and nothing of math but what IEEE 754 rounds correctly: rand's ziggurat
// and math's logarithm may differ between architectures in the last bit, and a
// fused multiply-add does. A product is therefore converted before it is added
// to something: a conversion rounds, and is never fused.
type source struct {
	bits   *rand.PCG
	spare  float64 // the second normal variate of a pair
	spared bool
}

// Purposes of streams: those of one seed are unrelated.
const (
	runStream   = iota // what happens
	clockStream        // when
	faultStream        // what goes wrong on the way
)

// newSource is the stream of a seed for a purpose. Seeds that lie close
// together are driven apart first, since PCG itself does not do it.
func newSource(seed, purpose uint64) *source {
	s := seed + purpose*0xd1342543de82ef95 // an odd constant: seeds of two purposes meet only far apart
	return &source{bits: rand.NewPCG(splitmix(&s), splitmix(&s))}
}

// splitmix is SplitMix64 (Steele, Lea and Flood, 2014).
func splitmix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is in [0, 1), a multiple of 2^-53.
func (s *source) uniform() float64 { return float64(s.bits.Uint64()>>11) / (1 << 53) }

// between is uniform in [low, high).
func (s *source) between(low, high float64) float64 { return low + float64((high-low)*s.uniform()) }

// chance is true with probability p.
func (s *source) chance(p float64) bool { return s.uniform() < p }

// pick is i with probability weights[i]; they sum to 1.
func (s *source) pick(weights []float64) int {
	u, sum := s.uniform(), 0.0
	for i, w := range weights {
		if sum += w; u < sum {
			return i
		}
	}
	return len(weights) - 1
}

// exponential has mean 1.
func (s *source) exponential() float64 { return -logarithm(1 - s.uniform()) }

// normal has mean 0 and variance 1 (Marsaglia's polar method, 1964).
func (s *source) normal() float64 {
	if s.spared {
		s.spared = false
		return s.spare
	}
	for {
		x, y := 2*s.uniform()-1, 2*s.uniform()-1
		r := float64(x*x) + float64(y*y)
		if r > 0 && r < 1 {
			f := math.Sqrt(-2 * logarithm(r) / r)
			s.spare, s.spared = y*f, true
			return x * f
		}
	}
}

// logarithm is ln x for x in (0, 1], to a few units in the last place: with
// x = f·2^k, f in [√½, √2), and z = (f-1)/(f+1), it is k·ln 2 + 2·artanh z, and
// artanh z = z(1 + z²/3 + z⁴/5 + …), where |z| < 0.172 and the first term left
// out, z²⁴/25, is below 2^-64.
func logarithm(x float64) float64 {
	f, k := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, k = 2*f, k-1
	}
	z := (f - 1) / (f + 1)
	square, sum := float64(z*z), 0.0
	for i := len(artanh) - 1; i >= 0; i-- {
		sum = artanh[i] + float64(square*sum)
	}
	return float64(float64(k)*math.Ln2) + float64(2*z*sum)
}

var artanh = [...]float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23}

// round is x to a number of decimals, as it is written.
func round(x float64, decimals int) float64 {
	unit := 1.0
	for range decimals {
		unit *= 10
	}
	return math.Round(x*unit) / unit
}
