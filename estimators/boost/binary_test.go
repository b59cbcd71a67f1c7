package boost

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"blipd/event/pack"
)

func TestRoundTrip(t *testing.T) {
	deep := Defaults()
	deep.Depth, deep.MinRows, deep.Trees = MostDepth, 1, 30
	for _, e := range []*Ensemble{{}, Constant(3, math.Copysign(0, -1)), fit(t, messy(1), Defaults()), fit(t, messy(2), deep)} {
		b := encode(e)
		back := *Constant(9, 9)
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if again := encode(&back); !bytes.Equal(again, b) || back.Trees() != e.Trees() || back.Columns() != e.Columns() {
			t.Errorf("%d trees of %d columns came back as %d of %d", e.Trees(), e.Columns(), back.Trees(), back.Columns())
		}
		r := messy(3)
		for i := range r.Y {
			row := r.row(int32(i))[:e.Columns()]
			if a, b := e.Predict(row), back.Predict(row); math.Float64bits(a) != math.Float64bits(b) {
				t.Fatalf("row %d: %v came back as %v", i, a, b)
			}
		}
		if prefixed, _ := e.AppendBinary([]byte("x")); string(prefixed) != "x"+string(b) {
			t.Error("AppendBinary does not append")
		}
	}
}

// TestDamaged: what Fit could not have given is refused, and changes nothing.
func TestDamaged(t *testing.T) {
	whole := encode(fit(t, messy(1), Defaults()))
	damaged := map[string][]byte{
		"nothing":        nil,
		"a version":      append([]byte{version + 1}, whole[1:]...),
		"a byte is left": append(bytes.Clone(whole), 0),
	}
	for name, write := range map[string]func(w *pack.Writer){
		"columns":            func(w *pack.Writer) { w.Int(-1); w.Number(0, 1); w.Int(0) },
		"too many columns":   func(w *pack.Writer) { w.Int(MostColumns + 1); w.Number(0, 1); w.Int(0) },
		"a constant":         func(w *pack.Writer) { w.Int(1); w.Number(0, nan); w.Int(0) },
		"many trees":         func(w *pack.Writer) { w.Int(1); w.Number(0, 1); w.Int(1 << 40) },
		"a leaf":             func(w *pack.Writer) { w.Int(1); w.Number(0, 1); w.Int(1); w.Number(tagLeaf, math.Inf(1)) },
		"a tag":              func(w *pack.Writer) { tree(w, 3, 0, 0) },
		"a column":           func(w *pack.Writer) { tree(w, tagMissingLeft, 0, 1) },
		"a column below 0":   func(w *pack.Writer) { tree(w, tagMissingLeft, 0, -1) },
		"a threshold":        func(w *pack.Writer) { tree(w, tagMissingLeft, nan, 0) },
		"a tree that is cut": func(w *pack.Writer) { w.Int(1); w.Number(0, 1); w.Int(1); w.Number(tagMissingLeft, 1); w.Int(0) },
		"a tree too deep": func(w *pack.Writer) {
			w.Int(1)
			w.Number(0, 1)
			w.Int(1)
			for range MostDepth + 1 {
				w.Number(tagMissingLeft, 0)
				w.Int(0)
			}
			for range MostDepth + 2 {
				w.Number(tagLeaf, 0)
			}
		},
	} {
		w := &pack.Writer{B: []byte{version}}
		write(w)
		damaged[name] = w.B
	}
	for n := range whole {
		damaged[fmt.Sprint("the first ", n)] = whole[:n]
	}
	for name, b := range damaged {
		e := Constant(2, 5)
		if err := e.UnmarshalBinary(b); err == nil || e.Columns() != 2 || e.Predict([]float64{0, 0}) != 5 {
			t.Fatalf("%s: %v, %+v", name, err, e)
		}
	}
	w := &pack.Writer{B: []byte{version}}
	tree(w, tagMissingRight, 2, 0)
	var e Ensemble
	if err := e.UnmarshalBinary(w.B); err != nil || e.Predict([]float64{2}) != 11 || e.Predict([]float64{nan}) != 21 {
		t.Errorf("a sound tree: %v, %+v", err, e)
	}
}

// tree writes a split into 10 and 20, over a constant of 1.
func tree(w *pack.Writer, tag byte, threshold float64, column int64) {
	w.Int(1)
	w.Number(0, 1)
	w.Int(1)
	w.Number(tag, threshold)
	w.Int(column)
	w.Number(tagLeaf, 10)
	w.Number(tagLeaf, 20)
}

// FuzzUnmarshal: any bytes are an error or an ensemble with finite answers that
// comes back bit for bit.
func FuzzUnmarshal(f *testing.F) {
	p := Defaults()
	p.Trees = 3
	f.Add(encode(fit(f, messy(1), p)))
	f.Add(encode(&Ensemble{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e, back Ensemble
		if err := e.UnmarshalBinary(b); err != nil {
			return
		}
		if len(e.nodes) > len(b) || len(e.roots) > len(b) {
			t.Fatalf("%d nodes of %d bytes", len(e.nodes), len(b))
		}
		row := make([]float64, e.Columns())
		for _, x := range []float64{0, nan, math.Inf(1), math.Inf(-1)} {
			for i := range row {
				row[i] = x
			}
			if got := e.Predict(row); math.IsNaN(got) || math.IsInf(got, 0) {
				t.Fatalf("%v everywhere says %v", x, got)
			}
		}
		written := encode(&e)
		if err := back.UnmarshalBinary(written); err != nil || !bytes.Equal(encode(&back), written) {
			t.Fatalf("does not come back: %v", err)
		}
	})
}

// FuzzFit: any rows are an error or an ensemble with finite answers that comes back.
func FuzzFit(f *testing.F) {
	f.Add([]byte{2, 0, 0, 1, 2, 3}, byte(2), byte(3))
	f.Fuzz(func(t *testing.T, b []byte, columns, params byte) {
		r := Rows{Columns: int(columns % 4)}
		next := func() float64 { // two bytes are the head of a number: all sizes, now and then NaN
			x := math.Float64frombits(uint64(binary.BigEndian.Uint16(b)) << 48)
			b = b[2:]
			if math.IsInf(x, 0) {
				return 1
			}
			return x
		}
		known := func() float64 { // of the size that outcomes and weights may have
			if x := next(); math.Abs(x) <= Largest {
				return x
			}
			return Largest
		}
		for len(b) >= 2*(r.Columns+2)+1 && len(r.Y) < 200 {
			for range r.Columns {
				r.X = append(r.X, next())
			}
			r.Y, r.W = append(r.Y, known()), append(r.W, math.Abs(known()))
			r.Held, b = append(r.Held, b[0]%4 == 0), b[1:]
		}
		p := Params{Trees: 20, Patience: 3, Depth: 1 + int(params%8), LearningRate: 1, MinRows: 1 + int(params/64), L2: float64(params / 32 % 2), Bins: 2 + int(params)%250}
		e, err := Fit(r, p)
		if err != nil {
			return
		}
		for i := range r.Y {
			if got := e.Predict(r.row(int32(i))); math.IsNaN(got) || math.IsInf(got, 0) {
				t.Fatalf("row %d says %v", i, got)
			}
		}
		var back Ensemble
		if err := back.UnmarshalBinary(encode(e)); err != nil || !bytes.Equal(encode(&back), encode(e)) {
			t.Fatalf("does not come back: %v", err)
		}
	})
}
