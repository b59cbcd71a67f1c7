package event

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const exampleTime = `"2026-11-29T10:00:07Z"`

// asTime is a time as RFC 3339 writes it, in UTC and to the nanosecond (what is
// finer is cut off). Small t and z are letters of RFC 3339 too; a second 60 has
// no place on the line of Unix time and is refused.
func (o object) asTime(name string, n *node) Time {
	switch n.kind {
	case kindText:
	case kindNumber:
		o.refuse(BadTime, "%s is the number %s; send RFC 3339, %s", o.at(name), shorten(n.text), counted(n.text))
		return NoTime
	default:
		o.wrong(name, n, "a text", "send RFC 3339, for example "+exampleTime)
		return NoTime
	}
	s := o.fitting(name, n.text)
	if s == "" {
		o.refuse(MissingMember, "%s is empty; send RFC 3339, for example %s", o.at(name), exampleTime)
		return NoTime
	}
	t, ok := parseTime(s)
	switch {
	case !ok:
		o.refuse(BadTime, "%s is %s, which is not RFC 3339; send for example %s", o.at(name), quote(s), exampleTime)
		return NoTime
	case t.Before(earliest) || t.After(latest):
		o.refuse(BadTime, "%s is %s, outside the years 1678 to 2262; send the time of the event", o.at(name), quote(s))
		return NoTime
	}
	return TimeOf(t)
}

// The range of Time, less the first months of it.
var (
	earliest = time.Date(1678, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = Time(math.MaxInt64).Std()
)

// parseTime is stricter than time.Parse, which takes a comma for the decimal
// point, hours of one digit, and offsets that no clock has.
func parseTime(s string) (time.Time, bool) {
	const date = "0000-00-00T00:00:00"
	s = strings.ToUpper(s)
	if len(s) < len(date) || !shaped(s[:len(date)], date) {
		return time.Time{}, false
	}
	zone := s[len(date):]
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		zone = strings.TrimLeft(fraction, "0123456789")
		if zone == fraction {
			return time.Time{}, false
		}
	}
	if zone != "Z" && (!shaped(zone, "+00:00") || zone[1:3] > "23" || zone[4:6] > "59") {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// shaped compares a text with a shape, where 0 is any digit and + either sign.
func shaped(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		switch shape[i] {
		case '0':
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		case '+':
			if s[i] != '+' && s[i] != '-' {
				return false
			}
		default:
			if s[i] != shape[i] {
				return false
			}
		}
	}
	return true
}

// counted says which time a number may have meant. Each unit is told from the
// others by the size that it has in our days.
func counted(number string) string {
	x, err := strconv.ParseFloat(number, 64)
	units := []struct {
		below float64
		milli float64 // of a millisecond
		name  string
	}{{1e11, 1e3, "seconds"}, {1e14, 1, "milliseconds"}, {1e17, 1e-3, "microseconds"}, {9e18, 1e-6, "nanoseconds"}}
	for _, u := range units {
		if err == nil && x > 0 && x < u.below {
			t := time.UnixMilli(int64(math.Round(x * u.milli))).UTC()
			return strconv.Quote(t.Format(time.RFC3339Nano)) + " if it counts " + u.name + " since 1970"
		}
	}
	return "for example " + exampleTime
}
