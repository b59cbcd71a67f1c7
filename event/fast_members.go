package event

import (
	"slices"
	"strings"
)

// kinds is a set of the kinds of values; Missing stands for null.
type kinds uint8

const (
	numbers kinds = 1 << Number
	nulls   kinds = 1 << Missing
)

// members reads the members of an object whose names the producer chooses into
// all, sorted by name and without those that are null; found are the kinds that
// were there. before is what all held the last time.
func (r *Reader) members(s *shapes, i int, before []Member) (all []Member, found kinds, next int) {
	now := s.first()
	row := r.row[:0]
	i, more := enter(r.value, i, '{', '}')
	for more && len(row) < maxMembers {
		n := len(row)
		if n == cap(row) {
			row = slices.Grow(row, 1)
		}
		row = row[:n+1]
		row[n].Name, now, i = r.memberName(s, now, n, i)
		row[n].Value, i = r.memberValue(i)
		found |= 1 << row[n].Value.Kind
		i, more = after(r.value, i, '}')
	}
	r.row = shorter(r.row, row)
	if i < 0 || more {
		return before, 0, nowhere
	}
	all, ok := r.sorted(s, s.whole(now, len(row)), before)
	switch {
	case !ok:
		i = nowhere
	case found&nulls != 0:
		all = slices.DeleteFunc(all, func(m Member) bool { return m.Value.Kind == Missing })
	}
	return all, found, i
}

// memberName reads the name number n and steps to its value. now is the shape
// that fits so far, or nil.
func (r *Reader) memberName(s *shapes, now *shape, n, i int) (string, *shape, int) {
	if now != nil {
		if next, ok := now.starts(n, r.value, i); ok {
			return now.names[n], now, next
		}
		if t, next := s.other(now, n, r.value, i); t != nil {
			return t.names[n], t, next
		}
	}
	name, i := r.text(i)
	return name, nil, colon(r.value, i)
}

// memberValue reads what may stand in state.
func (r *Reader) memberValue(i int) (Value, int) {
	if uint(i) >= uint(len(r.value)) {
		return Value{}, nowhere
	}
	switch r.value[i] {
	case '"':
		s, i := r.text(i)
		return TextOf(s), i
	case 't', 'f':
		yes, i := flag(r.value, i)
		return BoolOf(yes), i
	case 'n':
		return Value{}, null(r.value, i)
	}
	x, i := number(r.value, i)
	return NumberOf(x), i
}

// sorted puts the row in the order of the names; not ok is a name twice. shape
// is that of the row, or nil.
func (r *Reader) sorted(s *shapes, shape *shape, before []Member) (all []Member, ok bool) {
	row := r.row
	all = shorter(before, slices.Grow(before[:0], len(row))[:len(row)])
	if shape != nil {
		s.last = shape
		for i, from := range shape.from {
			all[i] = row[from]
		}
		return all, true
	}
	copy(all, row)
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(all); i++ {
		if all[i-1].Name == all[i].Name {
			return all, false
		}
	}
	s.learn(row, all)
	return all, true
}

// probabilities are the members of an object of numbers, as those of arms.
func (r *Reader) probabilities(i int) ([]Probability, int) {
	var found kinds
	r.pairs, found, i = r.members(&r.armShapes, i, r.pairs)
	if i < 0 || found&^numbers != 0 {
		return nil, nowhere
	}
	all := r.odds[:0]
	for j := range r.pairs {
		all = append(all, Probability{Arm: r.pairs[j].Name, P: r.pairs[j].Value.Num})
	}
	r.odds = shorter(r.odds, all)
	return orNil(all), i
}

// values are the members of an object of numbers, as those of outcomes.
func (r *Reader) values(i int) ([]Measured, int) {
	var found kinds
	r.pairs, found, i = r.members(&r.outcomeShapes, i, r.pairs)
	if i < 0 || found&^numbers != 0 {
		return nil, nowhere
	}
	all := r.measured[:0]
	for j := range r.pairs {
		all = append(all, Measured{Name: r.pairs[j].Name, Value: r.pairs[j].Value.Num})
	}
	r.measured = shorter(r.measured, all)
	return orNil(all), i
}

// orNil is a list as events hold it: without any item it is nil.
func orNil[T any](all []T) []T {
	if len(all) == 0 {
		return nil
	}
	return all
}
