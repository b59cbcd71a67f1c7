package estimators

import "slices"

// batch is the rows of one trajectory at hand: read one by one, then laid out
// as small dense matrices, row by row, over the columns that the trajectory
// touches. Rows are padded with zeros to a multiple of four.
type batch struct {
	rows []*row // their room is kept from trajectory to trajectory
	n    int    // rows in use

	bucket, fold int
	hash         uint64 // of the cluster key
	cluster      int    // place among the clusters; -1 without a cluster expression

	padded int
	cols   []int     // the columns of x touched, ascending
	x      []float64 // padded × cols
	wx     []float64 // padded × cols, weighted rows of x
	marks  []int     // by column of x: 1 + place in cols

	blip       blipBatch
	candidates []laid // Z of each candidate
	levels     []int
	visited    []gathered // what is added to each group

	// Scratch of one addition.
	places       []int
	values       []float64
	sum, sumX, s []float64
}

// next is room for one more row.
func (b *batch) next(m *Moments) *row {
	if b.n == len(b.rows) {
		arms := len(m.spec.Experiment.Interventions)
		r := &row{p: make([]float64, 1+arms), weights: make([]float64, arms), channels: make([]float64, m.channels()), groups: make([][]int, len(m.groups)), levels: make([][]int, len(m.groups))}
		r.groups[0], r.levels[0] = []int{0}, []int{0}
		if blip := m.spec.Blip; blip != nil {
			r.moderators = make([]float64, len(blip.Moderators))
			r.checks = make([]float64, m.axes.fixedChecks)
			r.policies = make([]float64, len(m.spec.Policies))
			r.numbers = make([]float64, m.numbers)
		}
		b.rows = append(b.rows, r)
	}
	b.n++
	return b.rows[b.n-1]
}

// lay lays out what was read.
func (b *batch) lay(m *Moments) {
	b.padded = (b.n + 3) &^ 3
	if b.n == 0 {
		return
	}
	b.layX(len(m.columns.list))
	b.sumX = columnSums(zeros(b.sumX, len(b.cols)), b.x, b.n)
	if m.spec.Blip != nil {
		b.layBlip(m)
	}
	b.layCandidates(m)
	b.gather(m)
}

func (b *batch) layX(columns int) {
	if len(b.marks) < columns {
		b.marks = append(b.marks, make([]int, columns-len(b.marks))...)
	}
	for _, r := range b.rows[:b.n] {
		for _, place := range r.places {
			b.marks[place] = 1
		}
	}
	b.cols = b.cols[:0]
	for place, mark := range b.marks[:columns] {
		if mark != 0 {
			b.cols = append(b.cols, place)
			b.marks[place] = len(b.cols)
		}
	}
	w := len(b.cols)
	b.x = zeros(b.x, b.padded*w)
	for t, r := range b.rows[:b.n] {
		to := b.x[t*w : (t+1)*w]
		r.local = r.local[:0]
		for i, place := range r.places {
			at := b.marks[place] - 1
			to[at] = r.x[i]
			r.local = append(r.local, at)
		}
	}
	for _, place := range b.cols {
		b.marks[place] = 0
	}
}

// zeros is n zeros in the room of v.
func zeros(v []float64, n int) []float64 {
	v = slices.Grow(v[:0], n)[:n]
	clear(v)
	return v
}

// weigh is w x for a weight of each row.
func (b *batch) weigh(weight func(*row) float64) []float64 {
	w := len(b.cols)
	b.wx = zeros(b.wx, b.padded*w)
	for t, r := range b.rows[:b.n] {
		if ww := weight(r); ww != 0 {
			from, to := b.x[t*w:(t+1)*w], b.wx[t*w:(t+1)*w]
			for i, x := range from {
				to[i] = ww * x
			}
		}
	}
	return b.wx
}

// columnSums is the sum over the rows of a, n × len(sum).
func columnSums(sum, a []float64, n int) []float64 {
	w := len(sum)
	clear(sum)
	for t := range n {
		for i, x := range a[t*w : (t+1)*w] {
			sum[i] += x
		}
	}
	return sum
}

// collapse follows a column that was added into another.
func (b *batch) collapse(from, into int) {
	for _, r := range b.rows[:b.n] {
		r.collapse(from, into)
	}
}
