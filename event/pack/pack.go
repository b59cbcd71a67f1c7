// Package pack writes numbers and texts as bytes and reads them back, bit for
// bit, trusting nothing that it reads.
//
// A Writer never fails. A Reader stops at the first byte that makes no sense:
// all that it reads from then on is zero, and Err says so once at the end. No
// length it reads is believed beyond the bytes that are there.
package pack

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrBytes is what a Reader finds that runs out of bytes or reads nonsense.
var ErrBytes = errors.New("bytes are cut short or damaged")

// Writer appends to B.
type Writer struct{ B []byte }

// Byte appends one byte.
func (w *Writer) Byte(x byte) { w.B = append(w.B, x) }

// Bool appends a truth value.
func (w *Writer) Bool(x bool) {
	if x {
		w.Byte(1)
	} else {
		w.Byte(0)
	}
}

// Int appends a whole number; small ones take few bytes.
func (w *Writer) Int(x int64) { w.B = binary.AppendVarint(w.B, x) }

// Float appends a number in eight bytes.
func (w *Writer) Float(x float64) {
	w.B = binary.LittleEndian.AppendUint64(w.B, math.Float64bits(x))
}

// Text appends a length and the bytes of s.
func (w *Writer) Text(s string) {
	w.Int(int64(len(s)))
	w.B = append(w.B, s...)
}

// Bytes appends a length and b, and keeps nil apart from empty.
func (w *Writer) Bytes(b []byte) {
	if b == nil {
		w.Int(-1)
		return
	}
	w.Int(int64(len(b)))
	w.B = append(w.B, b...)
}

// Ints appends the numbers without their count.
func (w *Writer) Ints(xs []int64) {
	for _, x := range xs {
		w.Int(x)
	}
}

// Floats appends the numbers without their count.
func (w *Writer) Floats(xs []float64) {
	for _, x := range xs {
		w.Float(x)
	}
}

// Reader reads from B, which it shortens.
type Reader struct {
	B     []byte
	Names *Names // unless nil, shares the strings of Name
	err   error
}

// Names holds strings that are read again and again, so that reading one of
// them allocates nothing. It stops growing at a bound: what it does not hold is
// read like any text. Not safe for concurrent use.
type Names struct{ known map[string]string }

// The bounds of Names.
const (
	mostNames   = 4096
	longestName = 64
)

// NewNames holds nothing yet.
func NewNames() *Names { return &Names{known: map[string]string{}} }

func (n *Names) of(b []byte) string {
	if s, known := n.known[string(b)]; known {
		return s
	}
	s := string(b)
	if len(b) <= longestName && len(n.known) < mostNames {
		n.known[s] = s
	}
	return s
}

// Name reads a text that is likely to be read again.
func (r *Reader) Name() string {
	n := r.Count()
	b := r.B[:n]
	r.B = r.B[n:]
	if r.Names == nil {
		return string(b)
	}
	return r.Names.of(b)
}

// Raw reads a text as the bytes that it is, a part of B.
func (r *Reader) Raw() []byte {
	n := r.Count()
	b := r.B[:n]
	r.B = r.B[n:]
	return b
}

// Err is nil when everything was read, and nothing is left over.
func (r *Reader) Err() error {
	if r.err == nil && len(r.B) > 0 {
		return ErrBytes
	}
	return r.err
}

// Fail makes the Reader stop: what it read makes no sense to its caller.
func (r *Reader) Fail() { r.err, r.B = ErrBytes, nil }

// Failed tells whether the Reader has stopped.
func (r *Reader) Failed() bool { return r.err != nil }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.B) == 0 {
		r.Fail()
		return 0
	}
	x := r.B[0]
	r.B = r.B[1:]
	return x
}

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	x := r.Byte()
	if x > 1 {
		r.Fail()
	}
	return x == 1
}

// Int reads a whole number.
func (r *Reader) Int() int64 {
	x, n := binary.Varint(r.B)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return x
}

// Count reads the number of things that follow, each of at least one byte.
func (r *Reader) Count() int {
	n := r.Int()
	if n < 0 || n > int64(len(r.B)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Float reads a number.
func (r *Reader) Float() float64 {
	if len(r.B) < 8 {
		r.Fail()
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(r.B))
	r.B = r.B[8:]
	return x
}

// Text reads a text.
func (r *Reader) Text() string {
	n := r.Count()
	s := string(r.B[:n])
	r.B = r.B[n:]
	return s
}

// Bytes reads bytes, a copy.
func (r *Reader) Bytes() []byte {
	n := r.Int()
	if n == -1 || r.Failed() {
		return nil
	}
	if n < 0 || n > int64(len(r.B)) {
		r.Fail()
		return nil
	}
	b := append([]byte{}, r.B[:n]...)
	r.B = r.B[n:]
	return b
}

// Ints fills xs.
func (r *Reader) Ints(xs []int64) {
	for i := range xs {
		xs[i] = r.Int()
	}
}

// Floats reads n numbers; nil for none.
func (r *Reader) Floats(n int) []float64 {
	if n < 0 || n > len(r.B)/8 {
		r.Fail()
		return nil
	}
	if n == 0 {
		return nil
	}
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = r.Float()
	}
	return xs
}
