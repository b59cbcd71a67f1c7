package event

import "slices"

// shape is the names of an object that the producer chooses (state, scores,
// arms, outcomes), in the order in which they came, all different. Objects of
// one shape need neither a look-up of names nor sorting.
type shape struct {
	quoted []string // as they are compared, `"name":`
	names  []string
	from   []int // sorted, the name at i is number from[i] of the document
}

// starts tells whether the name number n stands at i, and steps to its value.
func (s *shape) starts(n int, b []byte, i int) (next int, ok bool) {
	if n >= len(s.quoted) || !at(b, i, s.quoted[n]) {
		return nowhere, false
	}
	return space(b, i+len(s.quoted[n])), true
}

// shapes are those met of late.
type shapes struct {
	all  []*shape
	last *shape // the first guess
	turn int    // the one that gives way to a new one
	met  sightings
}

const (
	maxShapes     = 8
	maxShapeNames = 64
)

var shapeless shape

// first is the shape to begin with.
func (s *shapes) first() *shape {
	if s.last == nil {
		return &shapeless
	}
	return s.last
}

// other finds a shape that is as now up to the name number n, which stands at i.
func (s *shapes) other(now *shape, n int, b []byte, i int) (*shape, int) {
	for _, t := range s.all {
		if next, ok := t.starts(n, b, i); ok && slices.Equal(t.names[:n], now.names[:n]) {
			return t, next
		}
	}
	return nil, nowhere
}

// whole finds the shape that is now up to the name number n, and ends there; it
// is nil as now is.
func (s *shapes) whole(now *shape, n int) *shape {
	if now == nil || len(now.names) == n {
		return now
	}
	for _, t := range s.all {
		if slices.Equal(t.names, now.names[:n]) {
			return t
		}
	}
	return nil
}

// learn keeps the shape of an object that came in the order of row, when it was
// met before; sorted holds the same names, which are all different.
func (s *shapes) learn(row, sorted []Member) {
	if len(row) == 0 || len(row) > maxShapeNames {
		return
	}
	var met uint64
	for i := range row {
		if len(row[i].Name) > maxKeptText {
			return
		}
		met = hash(hash(met, row[i].Name), `"`)
	}
	same := func(m Member, name string) bool { return m.Name == name }
	if !s.met.twice(met) || slices.ContainsFunc(s.all, func(t *shape) bool { return slices.EqualFunc(row, t.names, same) }) {
		return // the same is known, and was not compared for white space before a colon
	}
	t := &shape{}
	for i := range row {
		quoted := `"` + row[i].Name + `":` // a copy: names may lie over a record
		t.quoted = append(t.quoted, quoted)
		t.names = append(t.names, quoted[1:len(quoted)-2])
	}
	for i := range sorted {
		t.from = append(t.from, slices.Index(t.names, sorted[i].Name))
	}
	if len(s.all) < maxShapes {
		s.all = append(s.all, t)
	} else {
		s.all[s.turn] = t
		s.turn = (s.turn + 1) % maxShapes
	}
	s.last = t
}
