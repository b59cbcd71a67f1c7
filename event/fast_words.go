package event

// interner keeps one copy of each text that comes again and again: tools, arms,
// versions, names in state. What it keeps is bounded: a text that is too long is
// not kept, nor one that was not met twice within a short while (an id of a
// user), and when it is full it begins anew.
type interner struct {
	kept map[string]string // texts in their quotes, to themselves
	met  sightings
}

const (
	maxKept     = 4096 // texts
	maxKeptText = 64   // bytes of one
)

// of gives a text in its quotes: the copy that is kept, or one over the bytes.
func (t *interner) of(b []byte) (text string, kept bool) {
	if s, ok := t.kept[string(b)]; ok { // the compiler makes no text for a look-up
		return s, true
	}
	if len(b) > maxKeptText+len(`""`) || !t.met.twice(hash(0, b)) {
		return alias(b), false
	}
	if len(t.kept) == maxKept {
		clear(t.kept)
	}
	s := string(b)
	t.kept[s] = s
	return s, true
}

// sightings tells what was met before from what is new, as long as not too much
// else was met in between. It may err in both ways.
type sightings [256]uint64

func (s *sightings) twice(hash uint64) bool {
	place := &s[hash>>56]
	before := *place
	*place = hash
	return before == hash
}

// hash goes on from h over b (FNV-1a, 64 bits).
func hash[T []byte | string](h uint64, b T) uint64 {
	const prime = 1_099_511_628_211
	if h == 0 {
		h = 14_695_981_039_346_656_037
	}
	for i := range len(b) {
		h = (h ^ uint64(b[i])) * prime
	}
	return h
}

// word is a text of few values. guess is the one that stood there before.
func (r *Reader) word(guess *string, i int) (string, int) {
	if s := *guess; s != "" && at(r.value, i, s) {
		return s[1 : len(s)-1], i + len(s)
	}
	end := quoted(r.value, i)
	if end < 0 || end-i > r.limits.Text+len(`""`) {
		return "", nowhere
	}
	s, kept := r.texts.of(r.value[i:end])
	if kept {
		*guess = s
	}
	return s[1 : len(s)-1], end
}

// text is one of state, or a name in it.
func (r *Reader) text(i int) (string, int) {
	var none string
	return r.word(&none, i)
}

// id is a text of many values.
func (r *Reader) id(i int) (string, int) {
	end := quoted(r.value, i)
	if end < 0 || end-i > r.limits.Text+len(`""`) {
		return "", nowhere
	}
	return alias(r.value[i+1 : end-1]), end
}

// when is a time in its quotes.
func (r *Reader) when(i int) (Time, int) {
	if !at(r.value, i, `"`) {
		return 0, nowhere
	}
	t, end := instant(r.value, i+1)
	if end-i-1 > r.limits.Text || !at(r.value, end, `"`) {
		return 0, nowhere
	}
	return t, end + 1
}
