package event

import "strconv"

// Numbers by Clinger's fast path (How to Read Floating Point Numbers Accurately,
// 1990, section 2): digits that make an integer below 2^53, times or through a
// power of ten up to 22, are two exact doubles and one rounding, so the result
// is the nearest double. The others go to strconv, which is as exact.
const (
	maxExact  = 1 << 53
	maxDigits = 19 // always fit a uint64
)

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number steps behind a JSON number that a double can hold. -0 is 0.
func number(b []byte, i int) (x float64, next int) {
	start := i
	minus := uint(i) < uint(len(b)) && b[i] == '-'
	if minus {
		i++
	}
	first := i
	n, i := digits(b, i, 0)
	count := i - first
	if count <= 0 || b[first] == '0' && count > 1 {
		return 0, nowhere
	}
	scale := 0
	if i < len(b) && b[i] == '.' {
		point := i + 1
		n, i = digits(b, point, n)
		if i == point {
			return 0, nowhere
		}
		scale = point - i
		count -= scale
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		var power int
		if power, i = exponent(b, i+1); i < 0 {
			return 0, nowhere
		}
		scale += power
	}
	if count > maxDigits || n >= maxExact || scale < -22 || scale > 22 {
		return rounded(b[start:i], i)
	}
	x = float64(n)
	if scale < 0 {
		x /= powersOfTen[-scale]
	} else {
		x *= powersOfTen[scale]
	}
	if minus && x != 0 {
		x = -x
	}
	return x, i
}

// digits appends decimal digits to n, which is wrong beyond maxDigits of them.
func digits(b []byte, i int, n uint64) (uint64, int) {
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		n = 10*n + uint64(b[i]-'0')
		i++
	}
	return n, i
}

// farPower is where reading an exponent stops: with at most maxDigits behind the
// point it is beyond every power of ten above.
const farPower = 1000

// exponent reads what stands behind the e of a number.
func exponent(b []byte, i int) (power, next int) {
	minus := uint(i) < uint(len(b)) && b[i] == '-'
	if minus || uint(i) < uint(len(b)) && b[i] == '+' {
		i++
	}
	start := i
	for ; uint(i) < uint(len(b)) && b[i]-'0' <= 9; i++ {
		power = min(10*power+int(b[i]-'0'), farPower)
	}
	if i == start {
		return 0, nowhere
	}
	if minus {
		power = -power
	}
	return power, i
}

// rounded is the double that is nearest to a number in JSON, where there is one.
func rounded(text []byte, next int) (float64, int) {
	// strconv keeps no text, and copies it into an error.
	x, err := strconv.ParseFloat(alias(text), 64)
	switch {
	case err != nil:
		return 0, nowhere
	case x == 0:
		return 0, next
	}
	return x, next
}
