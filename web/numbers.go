package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// count is a whole number with its thousands set apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// The bounds of plain decimals; outside them a number has an exponent.
const (
	maxDecimals = 6
	maxPlain    = 1e7
)

// signed is an effect with its sign.
func signed(v float64, decimals int) string {
	if text := unsigned(v, decimals); v <= 0 || strings.HasPrefix(text, "−") || strings.Trim(text, "0.") == "" {
		return text
	}
	return "+" + unsigned(v, decimals)
}

// unsigned is a number with a true minus where it is below zero.
func unsigned(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > maxDecimals || math.Abs(v) >= maxPlain {
		text = strconv.FormatFloat(v, 'g', 3, 64)
	}
	if text[0] != '-' {
		return text
	}
	if strings.Trim(text[1:], "0.") == "" {
		return text[1:] // no minus before a zero
	}
	return "−" + text[1:]
}

// span is an interval.
func span(low, up float64, decimals int) string {
	return signed(low, decimals) + " to " + signed(up, decimals)
}

// decimalsFor is the number of decimals that suits a set of standard errors:
// two digits of the one in the middle, and at least one of the smallest. More
// than maxDecimals stands for an exponent.
func decimalsFor(errs []float64) int {
	sizes := slices.DeleteFunc(slices.Clone(errs), func(e float64) bool { return !(e > 0) })
	if len(sizes) == 0 {
		return 3
	}
	slices.Sort(sizes)
	first := func(x float64) int { return int(-math.Floor(math.Log10(x))) } // the decimal of its first digit
	return max(0, first(sizes[len(sizes)/2])+1, first(sizes[0]))
}

// ago is how long something is past, in words.
func ago(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return lasting(d) + " ago"
}

// lasting is a time of a second or more, in words.
func lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}
