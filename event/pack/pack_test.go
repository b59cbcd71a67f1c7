package pack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
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

// TestNumber: every number comes back bit for bit, and short decimals are short.
func TestNumber(t *testing.T) {
	check := func(x float64, most int) {
		t.Helper()
		var w Writer
		w.Number(MaxTag, x)
		r := Reader{B: w.B}
		tag, got := r.Number()
		if tag != MaxTag || math.Float64bits(got) != math.Float64bits(x) || r.Err() != nil {
			t.Errorf("%v (%x) came back as %v, tag %d, %v", x, math.Float64bits(x), got, tag, r.Err())
		}
		if len(w.B) > most {
			t.Errorf("%v takes %d bytes, want at most %d", x, len(w.B), most)
		}
		for n := range w.B {
			r := Reader{B: w.B[:n]}
			if r.Number(); r.Err() == nil {
				t.Errorf("%v: the first %d of %d bytes were read without an error", x, n, len(w.B))
			}
		}
	}
	for _, x := range []float64{0, 1, -1, 63, -64} {
		check(x, 2)
	}
	for _, x := range []float64{0.5, 0.35, -0.123, 8191, 8.191} {
		check(x, 3)
	}
	check(0.123456, 4)
	special := []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64,
		1 << 49, 1<<49 - 1, 1 << 53, -1 << 63, 1.0 / 3, math.Nextafter(0.5, 1), math.Nextafter(1e6, 2e6)}
	for _, x := range special {
		check(x, 9)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		check(math.Float64frombits(rng.Uint64()), 9)
		check(float64(rng.Int64N(1<<40))/math.Pow10(rng.IntN(12)), 9)
	}
}

// TestNamesAreBounded: names are shared up to a number and a length; those beyond are
// read as well.
func TestNamesAreBounded(t *testing.T) {
	names := NewNames()
	for i := range 3 * mostNames {
		want := fmt.Sprint("name", i)
		if i%2 == 1 {
			want += strings.Repeat("x", longestName)
		}
		var w Writer
		w.Text(want)
		r := Reader{B: w.B, Names: names}
		if got := r.Name(); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if n := len(names.known); n != mostNames {
		t.Errorf("%d names are kept, want %d", n, mostNames)
	}
	for name := range names.known {
		if len(name) > longestName {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
}
