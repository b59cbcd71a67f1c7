package boost

import (
	"fmt"
	"math"

	"blipd/event/pack"
)

// version is the version of the bytes of an Ensemble.
const version = 1

// Tags of a node.
const (
	tagLeaf = byte(iota)
	tagMissingLeft
	tagMissingRight
)

// AppendBinary appends e, bit for bit: the version, the columns, the constant, the
// trees, each with its root first and its left before its right side, so that no
// node has to say where another is. It never fails.
func (e *Ensemble) AppendBinary(b []byte) ([]byte, error) {
	w := &pack.Writer{B: append(b, version)}
	w.Int(int64(e.columns))
	w.Number(0, e.constant)
	w.Int(int64(len(e.roots)))
	for _, n := range e.nodes {
		switch {
		case n.right == 0:
			w.Number(tagLeaf, n.value)
			continue
		case n.missingLeft:
			w.Number(tagMissingLeft, n.value)
		default:
			w.Number(tagMissingRight, n.value)
		}
		w.Int(int64(n.column))
	}
	return w.B, nil
}

// UnmarshalBinary reads what AppendBinary wrote. A newer version and damaged bytes
// are errors, and leave e as it was. What it takes in memory is bounded by a small
// multiple of the bytes that are there.
func (e *Ensemble) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != version {
		return fmt.Errorf("boost: read an ensemble: version %d, this program knows %d: run the version that wrote it", first(b), version)
	}
	r := &pack.Reader{B: b[1:]}
	var read Ensemble
	columns := r.Int()
	if columns < 0 || columns > MostColumns {
		r.Fail()
	}
	read.columns = int(columns)
	if _, read.constant = r.Number(); !(math.Abs(read.constant) <= Largest) {
		r.Fail()
	}
	trees := r.Count()
	if trees > MostTrees {
		r.Fail()
	}
	for range trees {
		if r.Failed() {
			break
		}
		root := len(read.nodes)
		read.roots = append(read.roots, int32(root))
		read.readNode(r, root, 0)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("boost: read an ensemble: %w", err)
	}
	*e = read
	return nil
}

func first(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	return int(b[0])
}

// readNode reads a node of the tree that begins at root, and all below it.
func (e *Ensemble) readNode(r *pack.Reader, root, depth int) {
	tag, value := r.Number()
	if tag == tagLeaf {
		if !(math.Abs(value) <= mostLeaf) {
			r.Fail()
		}
		e.nodes = append(e.nodes, newLeaf(value))
		return
	}
	column := r.Int()
	if tag > tagMissingRight || depth == MostDepth || column < 0 || column >= int64(e.columns) || math.IsNaN(value) {
		r.Fail()
	}
	if r.Failed() {
		return
	}
	at := len(e.nodes)
	e.nodes = append(e.nodes, newSplit(int(column), value, tag == tagMissingLeft))
	e.readNode(r, root, depth+1)
	e.nodes[at].right = int32(len(e.nodes) - root)
	e.readNode(r, root, depth+1)
}
