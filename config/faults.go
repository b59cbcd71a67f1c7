package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	Line, Column int    // from 1; 0 where the file as a whole is meant
	Path         string // of the key, like experiments[0].outcomes[0].range; "" at the top
	Message      string
}

// Faults is everything that is wrong with a file, in the order of its lines.
type Faults struct {
	Name string // of the file
	List []Fault
}

// Error prints one line for each fault.
func (f *Faults) Error() string {
	lines := make([]string, len(f.List))
	for i, fault := range f.List {
		place := f.Name
		if fault.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Name, fault.Line)
		}
		if fault.Path != "" {
			place += ": " + fault.Path
		}
		lines[i] = place + ": " + fault.Message
	}
	return strings.Join(lines, "\n")
}

// leastHidden is the length from which on a hidden value is also taken out of
// what messages say about other places, such as the names they suggest. A
// shorter one is too common a part of words and numbers.
const leastHidden = 4

// redact takes the hidden values out of the messages.
func redact(faults []Fault, hidden []string) {
	for _, value := range hidden {
		if len(value) < leastHidden {
			continue
		}
		quoted := strings.Trim(strconv.Quote(value), `"`)
		for i := range faults {
			for _, form := range []string{value, quoted} {
				faults[i].Message = strings.ReplaceAll(faults[i].Message, form, "(not shown)")
			}
		}
	}
}

// byPlace orders faults by line and column; those of one place stay in the
// order in which they were found.
func byPlace(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return faults
}

// suggest says which of the known names is meant, or what there is.
func suggest(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known here: " + listed(known)
}

// listed is the known names in order; "" is one that goes without saying.
func listed(known []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(known)))
	if len(sorted) > 0 && sorted[0] == "" {
		sorted = sorted[1:]
	}
	return strings.Join(sorted, ", ")
}

// nearest is the known name with the fewest edits to name, or "" when all are
// further than a third of its letters.
func nearest(name string, known []string) string {
	best, least := "", (len([]rune(name))+2)/3+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := edits(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// longestName bounds the names whose distance is computed: a key of a megabyte
// is near to nothing.
const longestName = 64

// edits counts the letters to insert, delete, replace, or swap with their
// neighbour to turn a into b (optimal string alignment).
func edits(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if len(x) > longestName || len(y) > longestName {
		return max(len(x), len(y))
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
