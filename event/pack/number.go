package pack

import (
	"encoding/binary"
	"math"
)

// Most numbers that people send are short decimals. Number writes one as a whole
// number of units where that gives back the same bits, else in eight bytes.

// units of the forms 0, 1 and 2, as divisors.
var units = [...]float64{1, 1e3, 1e6}

// formFloat is the form of a number in eight bytes.
const formFloat = byte(len(units))

// formBits is how many bits a form takes beside a tag.
const formBits = 2

// MaxTag is the largest tag of a Number.
const MaxTag = 1<<(8-formBits) - 1

// Number appends a number and a tag of up to MaxTag, which costs nothing.
func (w *Writer) Number(tag byte, x float64) {
	for form, unit := range units {
		if y := x * unit; -1<<49 < y && y < 1<<49 { // more would take eight bytes too
			n := int64(y + math.Copysign(0.5, y))
			if math.Float64bits(float64(n)/unit) == math.Float64bits(x) {
				w.B = append(w.B, tag<<formBits|byte(form))
				w.B = binary.AppendVarint(w.B, n)
				return
			}
		}
	}
	w.B = append(w.B, tag<<formBits|formFloat)
	w.Float(x)
}

// Number reads what Number wrote.
func (r *Reader) Number() (tag byte, x float64) {
	b := r.Byte()
	form := b & (1<<formBits - 1)
	if form == formFloat {
		return b >> formBits, r.Float()
	}
	return b >> formBits, float64(r.Int()) / units[form]
}
