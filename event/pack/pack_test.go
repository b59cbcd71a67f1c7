package pack

import (
	"math"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	var w Writer
	w.Byte(7)
	w.Bool(true)
	w.Int(math.MinInt64)
	w.Float(math.Copysign(0, -1))
	w.Text("tool\x00")
	w.Bytes(nil)
	w.Bytes([]byte{})
	w.Floats([]float64{1.5, math.MaxFloat64})
	r := Reader{B: w.B}
	if r.Byte() != 7 || !r.Bool() || r.Int() != math.MinInt64 || math.Float64bits(r.Float()) != 1<<63 || r.Text() != "tool\x00" {
		t.Error("scalars differ")
	}
	if b := r.Bytes(); b != nil {
		t.Errorf("nil came back as %v", b)
	}
	if b := r.Bytes(); b == nil || len(b) != 0 {
		t.Errorf("empty came back as %v", b)
	}
	if f := r.Floats(2); f[0] != 1.5 || f[1] != math.MaxFloat64 {
		t.Errorf("floats: %v", f)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

// TestCutShort: every proper prefix of written bytes is an error, never a panic.
func TestCutShort(t *testing.T) {
	var w Writer
	w.Text("abc")
	w.Float(1)
	w.Bytes([]byte("xyz"))
	w.Int(1 << 40)
	for n := range w.B {
		r := Reader{B: w.B[:n]}
		_, _, _, _ = r.Text(), r.Float(), r.Bytes(), r.Int()
		if r.Err() == nil {
			t.Errorf("the first %d of %d bytes were read without an error", n, len(w.B))
		}
	}
	r := Reader{B: append(w.B, 0)}
	_, _, _, _ = r.Text(), r.Float(), r.Bytes(), r.Int()
	if r.Err() == nil {
		t.Error("a byte left over is no error")
	}
}
