package event

import "unicode/utf8"

// maxNested bounds what an unknown member may nest; deeper values are rare, and
// the Decoder takes them.
const maxNested = 32

// skip steps behind a value that is not used, which must all the same be strict
// JSON: valid, and without a name twice in one object.
func (r *Reader) skip(i, depth int) int {
	b := r.value
	if uint(i) >= uint(len(b)) || depth == maxNested {
		return nowhere
	}
	switch b[i] {
	case '"':
		return escaped(b, i)
	case '{':
		base := len(r.strays)
		i, more := enter(b, i, '{', '}')
		for more {
			end := quoted(b, i)
			if end < 0 || !r.stray(base, i+1, end-1) {
				return nowhere
			}
			i = r.skip(colon(b, end), depth+1)
			i, more = after(b, i, '}')
		}
		r.strays = r.strays[:base]
		return i
	case '[':
		i, more := enter(b, i, '[', ']')
		for more {
			i = r.skip(i, depth+1)
			i, more = after(b, i, ']')
		}
		return i
	case 't', 'f':
		_, i = flag(b, i)
		return i
	case 'n':
		return null(b, i)
	}
	_, i = number(b, i)
	return i
}

func null(b []byte, i int) int {
	if at(b, i, "null") {
		return i + len("null")
	}
	return nowhere
}

// escaped steps behind a text, which may hold escapes but those of surrogates.
func escaped(b []byte, i int) int {
	i++
	for {
		start := i
		var wide bool
		i, wide = plainly(b, i)
		if i >= len(b) || wide && !utf8.Valid(b[start:i]) { // a backslash is no part of a rune
			return nowhere
		}
		switch {
		case b[i] == '"':
			return i + 1
		case b[i] != '\\' || i+1 >= len(b):
			return nowhere
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			if !basicPlane(b, i+2) {
				return nowhere
			}
			i += 6
		default:
			return nowhere
		}
	}
}

// basicPlane tells whether four hexadecimal digits stand at i, and no surrogate.
func basicPlane(b []byte, i int) bool {
	if len(b)-i < 4 {
		return false
	}
	for _, c := range b[i : i+4] {
		if letter := c | 0x20; c-'0' > 9 && letter-'a' > 5 {
			return false
		}
	}
	return b[i]|0x20 != 'd' || b[i+1] < '8'
}
