package boost

import "math"

// grower grows trees on the residuals of its rows and lessens the residuals by
// what the trees say.
type grower struct {
	rules
	depth    int
	rate     float64
	columns  []binned
	size     int       // of a histogram
	weight   []float64 // of every row of Rows
	residual []float64 // of every row of Rows
	rows     []int32   // those to learn from; trees put them in another order
	nodes    []node    // of the tree that grows

	of    []sums      // of the rows of a node, for a moment
	right []int32     // the rows that go right, for a moment
	free  []histogram // not in use
}

// grow grows one tree: its nodes, root first, each left child next to its parent.
// A tree of one leaf is none.
func (g *grower) grow() []node {
	g.nodes = g.nodes[:0]
	var h histogram
	if g.mayDivide(g.rows, 0) {
		h = g.take()
		h.fill(g.columns, g.rows, g.sums(g.rows))
	}
	g.node(g.rows, h, 0)
	if len(g.nodes) == 1 {
		return nil
	}
	return g.nodes
}

// node appends the tree below a node of the given rows and histogram, which it
// gives back; without a histogram it is a leaf.
func (g *grower) node(rows []int32, h histogram, depth int) {
	node, at := g.total(rows), len(g.nodes)
	if h == nil {
		g.leaf(rows, node)
		return
	}
	s, ok := g.best(g.columns, h, node)
	if !ok {
		g.free = append(g.free, h)
		g.leaf(rows, node)
		return
	}
	b := &g.columns[s.column]
	threshold := math.Inf(1) // all but missing
	if s.bin < len(b.edges) {
		threshold = b.edges[s.bin]
	}
	g.nodes = append(g.nodes, newSplit(b.column, threshold, s.missingLeft))
	left, right := g.divide(rows, b, s)
	hLeft, hRight := g.children(left, right, h, depth+1)
	g.node(left, hLeft, depth+1)
	g.nodes[at].right = int32(len(g.nodes))
	g.node(right, hRight, depth+1)
}

// leaf appends a leaf and lessens the residuals of its rows. That of another node
// has none of these rows, so this changes nothing else in the tree.
func (g *grower) leaf(rows []int32, s sums) {
	value := 0.0
	if h := s.w + g.l2; h > 0 {
		value = float64(g.rate * (s.wr / h))
	}
	g.nodes = append(g.nodes, newLeaf(value))
	for _, i := range rows {
		g.residual[i] -= value
	}
}

// mayDivide tells whether the rows could be divided at all.
func (g *grower) mayDivide(rows []int32, depth int) bool {
	return depth < g.depth && float64(len(rows)) >= 2*g.minRows && len(g.columns) > 0
}

// children makes the histograms of two siblings of their parent's, which is used
// up; nil for one that is a leaf.
func (g *grower) children(left, right []int32, parent histogram, depth int) (hLeft, hRight histogram) {
	small, large := left, right
	if len(right) < len(left) {
		small, large = right, left
	}
	if !g.mayDivide(large, depth) { // nor is the small one
		g.free = append(g.free, parent)
		return nil, nil
	}
	h := g.take()
	h.fill(g.columns, small, g.sums(small))
	parent.subtract(h)
	hLeft, hRight = h, parent
	if len(right) < len(left) {
		hLeft, hRight = parent, h
	}
	if !g.mayDivide(small, depth) {
		g.free = append(g.free, h)
		if len(right) < len(left) {
			return hLeft, nil
		}
		return nil, hRight
	}
	return hLeft, hRight
}

// divide puts the rows that go left before those that go right, each side in the
// order that it had.
func (g *grower) divide(rows []int32, b *binned, s split) (left, right []int32) {
	missing, n := uint8(b.missing()), 0
	g.right = g.right[:0]
	for _, i := range rows {
		if bin := b.bin[i]; bin == missing && s.missingLeft || bin != missing && int(bin) <= s.bin {
			rows[n] = i
			n++
		} else {
			g.right = append(g.right, i)
		}
	}
	copy(rows[n:], g.right)
	return rows[:n], rows[n:]
}

// sums of each row, valid until the next call.
func (g *grower) sums(rows []int32) []sums {
	g.of = g.of[:0]
	for _, i := range rows {
		w := g.weight[i]
		g.of = append(g.of, sums{float64(w * g.residual[i]), w, float64(w * w)})
	}
	return g.of
}

// total is the sums of all the rows.
func (g *grower) total(rows []int32) (s sums) {
	for _, i := range rows {
		w := g.weight[i]
		s.wr += float64(w * g.residual[i])
		s.w += w
		s.ww += float64(w * w)
	}
	return s
}

// take is a histogram to fill.
func (g *grower) take() histogram {
	if n := len(g.free); n > 0 {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	return make(histogram, g.size)
}
