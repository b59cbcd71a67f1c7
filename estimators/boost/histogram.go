package boost

import "math"

// sums are those of some rows with weights w and residuals r.
type sums struct{ wr, w, ww float64 }

func (s sums) plus(t sums) sums  { return sums{s.wr + t.wr, s.w + t.w, s.ww + t.ww} }
func (s sums) minus(t sums) sums { return sums{s.wr - t.wr, s.w - t.w, s.ww - t.ww} }

// histogram holds the sums of a node's rows for every bin of every column.
type histogram []sums

// fill sets h to the sums of the rows; each is given once more in the same order.
func (h histogram) fill(columns []binned, rows []int32, of []sums) {
	clear(h)
	for c := range columns {
		b := &columns[c]
		own, bin := h[b.first:b.first+b.bins()], b.bin
		for k, i := range rows {
			s, add := &own[bin[i]], &of[k]
			s.wr += add.wr
			s.w += add.w
			s.ww += add.ww
		}
	}
}

// subtract takes the sums of one child from those of its parent: the other's.
func (h histogram) subtract(child histogram) {
	for i := range h {
		h[i] = h[i].minus(child[i])
	}
}

// What is no more than rounding, relative to what is compared.
const (
	tie    = 1e-10 // two scores
	no     = 1e-9  // a weight, beside that of all rows
	noGain = 1e-12 // a gain, beside the sum of squares of all rows
)

// rules are what a split must satisfy.
type rules struct {
	l2          float64
	minRows     float64
	leastWeight float64 // a side that has less has none
	leastGain   float64
}

// allow tells whether s has enough rows for a leaf.
func (r *rules) allow(s sums) bool {
	return s.w > r.leastWeight && s.ww > 0 && s.w*s.w >= r.minRows*s.ww*(1-tie)
}

// score is what a leaf of s takes from the loss.
func (r *rules) score(s sums) float64 { return s.wr * s.wr / (s.w + r.l2) }

// split is a way to divide a node: bins up to bin go left, missing if it says so.
type split struct {
	column      int // of the binned columns
	bin         int // the last that goes left
	missingLeft bool
	score       float64
}

// best is the best split of a node with the given histogram and sums. There is
// none if no split is allowed, or none gains anything.
func (r *rules) best(columns []binned, h histogram, node sums) (s split, ok bool) {
	s.score = 0
	for c := range columns {
		b := &columns[c]
		own := h[b.first : b.first+b.bins()]
		missing := own[b.missing()]
		none := missing.w <= r.leastWeight
		values := b.missing()
		if none {
			values-- // with all values left, nothing would go right
		}
		left := sums{}
		for bin := range values {
			left = left.plus(own[bin])
			if none {
				right := node.minus(left)
				r.consider(&s, split{column: c, bin: bin, missingLeft: left.w >= right.w*(1-tie)}, left, right)
				continue
			}
			with := left.plus(missing)
			r.consider(&s, split{column: c, bin: bin, missingLeft: true}, with, node.minus(with))
			r.consider(&s, split{column: c, bin: bin}, left, node.minus(left))
		}
	}
	return s, s.score > 0 && s.score-r.score(node) > math.Max(r.leastGain, tie*s.score)
}

// consider replaces the best split by one that is allowed and better.
func (r *rules) consider(best *split, s split, left, right sums) {
	if !r.allow(left) || !r.allow(right) {
		return
	}
	if s.score = r.score(left) + r.score(right); s.score > best.score*(1+tie) {
		*best = s
	}
}
