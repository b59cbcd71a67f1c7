package config

import (
	"strconv"
	"strings"
	"time"
)

// duration is a span of time of at least low.
func (n node) duration(usual, low time.Duration) time.Duration {
	s, ok := n.scalar("a duration such as 90s, 15m or 720h")
	if !ok {
		return usual
	}
	d, err := time.ParseDuration(s.text)
	switch {
	case err != nil && s.plain && isNumber(s.text):
		n.fault("%s has no unit; write a duration such as 90s, 15m or 720h", s.shown())
	case err != nil:
		n.fault("%s is no duration; write one such as 90s, 15m or 720h (units ns, us, ms, s, m, h)", s.shown())
	case d < low && low == 0:
		n.fault("%s is negative; write a duration of 0s or more", s.shown())
	case d < low:
		n.fault("%s is less than %v; write a longer duration", s.shown(), low)
	default:
		return d
	}
	return usual
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// units of bytes, longest names first.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

// bytes is a number of bytes in [1, high].
func (n node) bytes(usual, high int64) int64 {
	s, ok := n.scalar("a size such as 500MB or 2GiB")
	if !ok {
		return usual
	}
	for _, unit := range units {
		digits, found := strings.CutSuffix(s.text, unit.name)
		if !found {
			continue
		}
		i, err := strconv.ParseInt(strings.TrimSpace(strings.ReplaceAll(digits, "_", "")), 10, 64)
		switch {
		case err != nil:
			n.fault("%s is no size; write an integer with a unit, such as 500MB or 2GiB", s.shown())
			return usual
		case i < 1 || i > high/unit.bytes:
			n.fault("%s is outside 1B..%s; write a size within", s.shown(), sized(high))
			return usual
		}
		return i * unit.bytes
	}
	return usual
}

// sized is a number of bytes in the largest binary unit that divides it.
func sized(bytes int64) string {
	for i := 3; i >= 0; i-- {
		if u := units[i]; bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + "B"
}
