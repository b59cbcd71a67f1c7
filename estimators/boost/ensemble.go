package boost

import "math"

// Ensemble is a constant and trees. The zero value says 0 of a row without
// columns. It does not change, and any number may ask it at once.
type Ensemble struct {
	columns  int
	constant float64
	roots    []int32
	nodes    []node // tree after tree; a left child follows its parent
}

// node is a split or a leaf.
type node struct {
	value       float64 // the largest that goes left, or what the leaf says
	right       int32   // place of the right child in its tree, 0 in a leaf
	column      int16
	missingLeft bool
}

func newLeaf(value float64) node { return node{value: value} }

func newSplit(column int, threshold float64, missingLeft bool) node {
	return node{value: threshold, column: int16(column), missingLeft: missingLeft}
}

// Constant is an ensemble without trees, for rows of so many columns.
func Constant(columns int, value float64) *Ensemble {
	return &Ensemble{columns: columns, constant: value}
}

// Columns is how many features a row has.
func (e *Ensemble) Columns() int { return e.columns }

// Trees is how many trees there are, 0 for a constant.
func (e *Ensemble) Trees() int { return len(e.roots) }

// Predict is what e says of a row of Columns features, NaN if missing; always
// finite, in the unit of y. It panics on a shorter row, and does not allocate.
func (e *Ensemble) Predict(row []float64) float64 {
	row = row[:e.columns]
	sum := e.constant
	for t, root := range e.roots {
		end := len(e.nodes)
		if t+1 < len(e.roots) {
			end = int(e.roots[t+1])
		}
		sum += ask(e.nodes[root:end], row)
	}
	return sum
}

// ask is what one tree says.
func ask(tree []node, row []float64) float64 {
	at := 0
	for {
		n := &tree[at]
		if n.right == 0 {
			return n.value
		}
		x := row[n.column]
		if x <= n.value || n.missingLeft && math.IsNaN(x) {
			at++
		} else {
			at = int(n.right)
		}
	}
}

// add appends a tree, of which it keeps a copy.
func (e *Ensemble) add(tree []node) {
	e.roots = append(e.roots, int32(len(e.nodes)))
	e.nodes = append(e.nodes, tree...)
}

// cut leaves the first trees.
func (e *Ensemble) cut(trees int) {
	if trees < len(e.roots) {
		e.nodes = e.nodes[:e.roots[trees]]
		e.roots = e.roots[:trees]
	}
}
