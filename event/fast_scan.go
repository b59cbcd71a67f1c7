package event

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// The steps of the pass. Each takes the bytes and a position, and gives the
// position behind what it read, or nowhere when that is not what it can read. A
// step from nowhere leads nowhere: the uint in every comparison with the length
// makes it one that is too large, so that only the end of a walk is looked at.
const nowhere = -1

// at tells whether s stands at a position.
func at(b []byte, i int, s string) bool {
	return uint(i) < uint(len(b)) && len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}

// space skips white space.
func space(b []byte, i int) int {
	for uint(i) < uint(len(b)) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// enter steps into an object or a list, to what it holds first; more is false
// when that is nothing, and the step goes behind it.
func enter(b []byte, i int, left, right byte) (next int, more bool) {
	if uint(i) >= uint(len(b)) || b[i] != left {
		return nowhere, false
	}
	i = space(b, i+1)
	switch {
	case i == len(b):
		return nowhere, false
	case b[i] == right:
		return i + 1, false
	}
	return i, true
}

// after steps from behind a value to the next one, or out of the object or list
// that right closes.
func after(b []byte, i int, right byte) (next int, more bool) {
	i = space(b, i)
	if uint(i) >= uint(len(b)) {
		return nowhere, false
	}
	switch b[i] {
	case ',':
		if i = space(b, i+1); i < len(b) {
			return i, true
		}
	case right:
		return i + 1, false
	}
	return nowhere, false
}

// colon steps from behind a name to its value.
func colon(b []byte, i int) int {
	i = space(b, i)
	if uint(i) >= uint(len(b)) || b[i] != ':' {
		return nowhere
	}
	return space(b, i+1)
}

// quoted steps behind a text that holds no escape and is valid.
func quoted(b []byte, i int) int {
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return nowhere
	}
	start := i + 1
	i, wide := plainly(b, start)
	if i >= len(b) || b[i] != '"' || wide && !utf8.Valid(b[start:i]) {
		return nowhere
	}
	return i + 1
}

const (
	ones  = 0x0101010101010101 // one in each byte
	highs = 0x8080808080808080 // the highest bit of each byte
)

// plainly is the place of the first quote, backslash or control character from
// i on, or the length. wide tells whether some byte before it may be no ASCII.
func plainly(b []byte, i int) (next int, wide bool) {
	var all uint64
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		// A byte below n is one whose highest bit is set by taking n away and is
		// not set in it. Borrowing makes others look so only above a true one.
		stop := ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3, (all|x)&highs != 0
		}
		all |= x
	}
	for ; i < len(b); i++ {
		c := b[i]
		if c < ' ' || c == '"' || c == '\\' {
			break
		}
		all |= uint64(c)
	}
	return i, all&highs != 0
}

// alias is a text over bytes, without a copy.
//
// Invariant: the bytes do not change as long as the text is used. They are those
// of a record. What Read gives lies over its value, and Read says so; all that the
// Reader keeps for itself is copied before.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// whole steps behind an integer in [low, high], written without a sign.
func whole(b []byte, i int, low, high int64) (n, next int) {
	start := i
	var x int64
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 && x <= high {
		x = 10*x + int64(b[i]-'0')
		i++
	}
	if i == start || b[start] == '0' && i > start+1 || x < low || x > high {
		return 0, nowhere
	}
	return int(x), i
}

// flag steps behind true or false.
func flag(b []byte, i int) (yes bool, next int) {
	switch {
	case at(b, i, "true"):
		return true, i + len("true")
	case at(b, i, "false"):
		return false, i + len("false")
	}
	return false, nowhere
}
