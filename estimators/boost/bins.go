package boost

import (
	"math"
	"slices"
)

// binned is one column in bins: bin b holds the values above edges[b-1] and at
// most edges[b]; the last bin has no upper edge. The bin after it is for missing.
type binned struct {
	column int
	edges  []float64 // ascending, one fewer than there are bins
	bin    []uint8   // of every row of Rows; 0 where the weight is 0
	first  int       // place of bin 0 in a histogram
}

// missing is the bin of missing values.
func (b *binned) missing() int { return len(b.edges) + 1 }

// bins is how many bins there are, that of missing values included.
func (b *binned) bins() int { return len(b.edges) + 2 }

// binColumns bins the columns that can be split at all, at most most bins each,
// by the rows in all.
func binColumns(rows *Rows, all []int32, most int) (columns []binned, size int) {
	column, values := make([]float64, len(all)), make([]float64, 0, len(all))
	for c := range rows.Columns {
		values = values[:0]
		for k, i := range all {
			x := rows.row(i)[c]
			if column[k] = x; !math.IsNaN(x) {
				values = append(values, x)
			}
		}
		slices.Sort(values)
		b := binned{column: c, edges: edges(values, most), first: size}
		if len(values) == 0 || len(b.edges) == 0 && len(values) == len(all) {
			continue // one value everywhere, or none
		}
		b.bin = make([]uint8, len(rows.Y))
		for k, i := range all {
			bin := b.missing()
			if x := column[k]; !math.IsNaN(x) {
				bin, _ = slices.BinarySearch(b.edges, x) // the first edge that is not below x
			}
			b.bin[i] = uint8(bin)
		}
		size += b.bins()
		columns = append(columns, b)
	}
	return columns, size
}

// edges are those between at most most bins of about equally many of the sorted
// values: all midpoints if there are few enough different values. A value that
// fills a bin has one to itself.
func edges(sorted []float64, most int) []float64 {
	if distinct(sorted) <= most {
		return midpoints(sorted)
	}
	var edges []float64
	inBin := 0
	for at := 0; at < len(sorted) && len(edges) < most-1; {
		end := at + 1
		for end < len(sorted) && sorted[end] == sorted[at] {
			end++
		}
		full := float64(len(sorted)-at+inBin) / float64(most-len(edges))
		if inBin > 0 && float64(end-at) >= full {
			edges = append(edges, between(sorted[at-1], sorted[at]))
			inBin = 0
			continue // look again: the bins that are left may be larger
		}
		inBin += end - at
		if float64(inBin) >= full && end < len(sorted) {
			edges = append(edges, between(sorted[end-1], sorted[end]))
			inBin = 0
		}
		at = end
	}
	return edges
}

// distinct is how many different values there are.
func distinct(sorted []float64) int {
	n := 0
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			n++
		}
	}
	return n
}

// midpoints are the edges between all different values.
func midpoints(sorted []float64) []float64 {
	var edges []float64
	for i := 1; i < len(sorted); i++ {
		if sorted[i] != sorted[i-1] {
			edges = append(edges, between(sorted[i-1], sorted[i]))
		}
	}
	return edges
}

// between is a number at least a and below b, for finite a < b: the midpoint, if
// rounding leaves it there.
func between(a, b float64) float64 {
	if mid := float64(a/2) + float64(b/2); a <= mid && mid < b {
		return mid
	}
	return a
}
