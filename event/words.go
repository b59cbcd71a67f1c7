package event

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a fault shows of what it found; enough to find it again, and never so
// much that a log line or a header of a dead letter grows without bound.
const (
	maxShown = 40 // bytes of a text or a name
	maxNames = 8  // names in a list of known ones
)

// describe is a node in the words of a fault.
func (n *node) describe() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindFalse:
		return "false"
	case kindTrue:
		return "true"
	case kindText:
		return "the text " + quote(n.text)
	case kindNumber:
		return "the number " + shorten(n.text)
	case kindObject:
		return "an object"
	}
	return "a list"
}

// shorten keeps the beginning of a long text and marks the cut.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

// plain is a member's name within a path: bare where it is a word, else quoted.
func plain(name string) string {
	word := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !word(r) }) {
		return quote(name)
	}
	return shorten(name)
}

// list is a few names in a row, each quoted.
func list(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxNames {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
	}
	return b.String()
}

// instead says what to send for a name that is not among the known ones: the
// nearest of them, or some of them where none is near.
func instead(name string, known []string) string {
	if near, ok := nearest(name, known); ok {
		return "send " + quote(near) + ", the nearest name"
	}
	if len(known) == 1 {
		return "send " + quote(known[0])
	}
	return "send one of " + list(known)
}

// nearest is the name that fewest changes of one character make out of name,
// where case counts nothing and a third of the characters may change. Among
// equals the first stands.
func nearest(name string, known []string) (string, bool) {
	best, found := len(name)/3+1, ""
	from := []rune(strings.ToLower(name))
	for _, k := range known {
		if d := distance(from, []rune(strings.ToLower(k))); d < best {
			best, found = d, k
		}
	}
	return found, found != ""
}

// distance counts insertions, deletions and replacements of one character, and
// exchanges of two neighbours (optimal string alignment).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// differsInCase finds the known name that name equals but for case. A name
// that is known itself differs from none.
func differsInCase(name string, known []string) (string, bool) {
	if slices.Contains(known, name) {
		return "", false
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	if i < 0 {
		return "", false
	}
	return known[i], true
}
