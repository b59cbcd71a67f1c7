package estimators

import (
	"slices"

	"blipd/event/pack"
)

// nested says of a group in which groups of the other dimensions every one of
// its rows was. What was taken out again counts: it can only say less.
type nested struct {
	seen   bool
	within [][]int // by dimension, the groups that all rows have in common
}

// nest tells the groups of a row of each other.
func (m *Moments) nest(r *row) {
	for d := 1; d < len(r.groups); d++ {
		for _, g := range r.groups[d] {
			m.nestings[d] = grown(m.nestings[d], max(len(m.nestings[d]), g+1))
			n := &m.nestings[d][g]
			for e := 1; e < len(r.groups); e++ {
				if e != d {
					n.meet(len(r.groups), e, r.groups[e])
				}
			}
			n.seen = true
		}
	}
}

// meet leaves of dimension e only what is in groups too.
func (n *nested) meet(dimensions, e int, groups []int) {
	if n.within == nil {
		n.within = make([][]int, dimensions)
	}
	switch own := n.within[e]; {
	case !n.seen:
		n.within[e] = slices.Clone(groups)
	case len(own) == 0:
	case len(own) == 1 && len(groups) == 1 && own[0] == groups[0]: // by far the most
	default:
		n.within[e] = slices.DeleteFunc(own, func(g int) bool { return !slices.Contains(groups, g) })
	}
}

// isWithin tells whether all rows of a group are in another one's, of any
// dimension.
func (m *Moments) isWithin(d, g, e, h int) bool {
	switch {
	case e == 0:
		return true
	case d == 0:
		return false
	case d == e:
		return g == h
	}
	return g < len(m.nestings[d]) && m.nestings[d][g].seen && slices.Contains(m.nestings[d][g].within[e], h)
}

func (m *Moments) mergeNestings(o *Moments) {
	to := make([][]int, len(o.groups))
	for d := range o.groups {
		to[d] = m.matchGroups(o, d)
	}
	for d := range o.nestings {
		for g := range o.nestings[d] {
			from := &o.nestings[d][g]
			if !from.seen {
				continue
			}
			at := to[d][g]
			m.nestings[d] = grown(m.nestings[d], max(len(m.nestings[d]), at+1))
			n := &m.nestings[d][at]
			for e := 1; e < len(to); e++ {
				if e == d {
					continue
				}
				mapped := make([]int, len(from.within[e]))
				for i, h := range from.within[e] {
					mapped[i] = to[e][h]
				}
				n.meet(len(to), e, mapped)
			}
			n.seen = true
		}
	}
}

func (m *Moments) packNestings(w *pack.Writer) {
	for d := range m.nestings {
		w.Int(int64(len(m.nestings[d])))
		for g := range m.nestings[d] {
			n := &m.nestings[d][g]
			w.Bool(n.seen)
			for e := 1; n.seen && e < len(m.groups); e++ {
				if e == d {
					continue
				}
				w.Int(int64(len(n.within[e])))
				for _, h := range n.within[e] {
					w.Int(int64(h))
				}
			}
		}
	}
}

func (m *Moments) readNestings(r *pack.Reader) {
	for d := range m.nestings {
		m.nestings[d] = make([]nested, r.Count())
		for g := range m.nestings[d] {
			n := &m.nestings[d][g]
			if n.seen = r.Bool(); !n.seen || r.Failed() {
				continue
			}
			n.within = make([][]int, len(m.groups))
			for e := 1; e < len(m.groups); e++ {
				if e == d {
					continue
				}
				n.within[e] = make([]int, r.Count())
				for i := range n.within[e] {
					h := int(r.Int())
					if h < 0 || h >= len(m.groups[e].names) {
						r.Fail()
						return
					}
					n.within[e][i] = h
				}
			}
		}
		if len(m.nestings[d]) > len(m.groups[d].names) {
			r.Fail()
			return
		}
	}
}
