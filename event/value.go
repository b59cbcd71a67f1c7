package event

import (
	"strconv"
	"time"
)

// Kind is what a Value holds.
type Kind uint8

// The kinds of values; the zero Kind is an absent member or a failed expression.
const (
	Missing Kind = iota
	Number
	Bool
	Text
)

// Value is a finite number, a truth value, a text, or missing.
type Value struct {
	Kind Kind
	Num  float64 // the number; 0 or 1 for a Bool
	Str  string  // the text
}

// NumberOf is the value of a finite number.
func NumberOf(x float64) Value { return Value{Kind: Number, Num: x} }

// TextOf is the value of a text.
func TextOf(s string) Value { return Value{Kind: Text, Str: s} }

// BoolOf is the value of a truth value.
func BoolOf(b bool) Value {
	if b {
		return Value{Kind: Bool, Num: 1}
	}
	return Value{Kind: Bool}
}

// Float is the value as a number: true and false count as 1 and 0; a text or
// a missing value has none.
func (v Value) Float() (float64, bool) { return v.Num, v.Kind == Number || v.Kind == Bool }

// Level is the value as the name of a group or a category: the text itself,
// true or false, or the number in its shortest form; a missing value has none.
func (v Value) Level() (string, bool) {
	switch v.Kind {
	case Text:
		return v.Str, true
	case Bool:
		return strconv.FormatBool(v.Num != 0), true
	case Number:
		return shortest(v.Num), true
	}
	return "", false
}

// shortest is the number as JSON writes it with the fewest digits (ECMA-262,
// Number::toString): plain between 1e-6 and 1e21, else with an exponent.
func shortest(x float64) string {
	if x == 0 {
		return "0" // also for -0
	}
	if abs := max(x, -x); abs < 1e-6 || abs >= 1e21 {
		b := strconv.AppendFloat(nil, x, 'e', -1, 64)
		if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-2] == '0' { // e-09 is written e-9
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
		return string(b)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Time is nanoseconds since 1970 in UTC, between the years 1678 and 2262.
type Time int64

// NoTime is the time of what has none. It lies before every other.
const NoTime Time = -1 << 63

// TimeOf converts t, which must lie in the range of Time.
func TimeOf(t time.Time) Time { return Time(t.UnixNano()) }

// Std is the time as the standard library has it, in UTC.
func (t Time) Std() time.Time { return time.Unix(0, int64(t)).UTC() }

// String is the time in RFC 3339, or "" for NoTime.
func (t Time) String() string {
	if t == NoTime {
		return ""
	}
	return t.Std().Format(time.RFC3339Nano)
}

// Add is t moved by d; it stops at the ends of the range, and NoTime stays.
func (t Time) Add(d time.Duration) Time {
	if t == NoTime {
		return t
	}
	s := t + Time(d)
	switch {
	case d > 0 && s < t:
		return 1<<63 - 1
	case d < 0 && s > t:
		return NoTime + 1
	}
	return s
}

// IsZero tells whether there is no time; JSON then leaves it out.
func (t Time) IsZero() bool { return t == NoTime }

// MarshalText is the time in RFC 3339.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Time) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*t = NoTime
		return nil
	}
	std, err := time.Parse(time.RFC3339Nano, string(b))
	*t = TimeOf(std)
	return err
}
