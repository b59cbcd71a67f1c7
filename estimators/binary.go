package estimators

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"blipd/event"
)

// momentsVersion is the version of the bytes of Moments.
const momentsVersion = 1

// errBytes is what a reader finds that runs out of bytes or reads nonsense.
var errBytes = errors.New("estimators: bytes of moments are cut short or damaged")

// AppendBinary appends the sums, bit for bit: the version, the hash of the
// Spec, columns, groups, panels. It never fails.
func (m *Moments) AppendBinary(b []byte) ([]byte, error) {
	w := writer{append(b, momentsVersion)}
	w.text(m.spec.Hash)
	w.int(m.trajectories)
	w.int(m.rows)
	w.int(int64(m.latest))
	w.ints(m.missing)
	w.ints(m.outOfBounds)
	w.int(int64(len(m.columns.list)))
	for _, c := range m.columns.list {
		w.int(int64(c.feature))
		w.text(c.level)
	}
	for _, g := range m.groups {
		w.int(int64(len(g.names)))
		for _, name := range g.names {
			w.text(name)
		}
	}
	for _, p := range m.panels {
		w.panel(p)
	}
	return w.b, nil
}

// UnmarshalBinary reads what AppendBinary wrote into empty moments of the same
// Spec; another Spec, a newer version and damaged bytes are errors.
func (m *Moments) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != momentsVersion {
		return fmt.Errorf("estimators: read moments: version %d, this program knows %d: run the version that wrote them", first(b), momentsVersion)
	}
	r := reader{b: b[1:]}
	if hash := r.text(); r.err == nil && hash != m.spec.Hash {
		return fmt.Errorf("estimators: read moments: they are sums under definition %s, not %s", hash, m.spec.Hash)
	}
	m.trajectories, m.rows, m.latest = r.int(), r.int(), event.Time(r.int())
	r.ints(m.missing)
	r.ints(m.outOfBounds)
	m.readColumns(&r)
	for d := range m.groups {
		m.groups[d] = newGroups()
		for range r.count() {
			m.groups[d].find(r.text(), math.MaxInt)
		}
	}
	for _, p := range m.panels {
		m.readPanel(&r, p)
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errBytes
	}
	return r.err
}

func first(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	return int(b[0])
}

// readColumns restores the columns in their places.
func (m *Moments) readColumns(r *reader) {
	m.columns = newColumns(len(m.spec.Features))
	m.columns.list = nil
	for range r.count() {
		c := column{int(r.int()), r.text()}
		place := len(m.columns.list)
		m.columns.list = append(m.columns.list, c)
		if c.feature < 0 {
			continue
		}
		if c.feature >= len(m.spec.Features) {
			r.err = errBytes
			return
		}
		s := &m.columns.features[c.feature]
		switch {
		case c.level == MissingLevel:
			s.missing = place
		case c.level == OtherLevel:
			s.other = place
		case !m.spec.Features[c.feature].Category:
			s.number = place
		default:
			s.levels[c.level] = place
			if len(s.levels) == m.spec.Features[c.feature].MaxLevels {
				s.last = largest(s.levels)
			}
		}
	}
}

func (w *writer) panel(p *panel) {
	for _, folds := range p.nuisance {
		for k := range folds {
			w.packed(&folds[k].gram)
			for _, v := range folds[k].cross {
				w.floats(v)
			}
		}
	}
	for _, cells := range p.cells {
		w.int(int64(len(cells)))
		for _, c := range cells {
			if c == nil {
				w.int(0)
				continue
			}
			w.int(1)
			w.ints(c.rows)
			w.int(c.trajectories)
			w.int(c.squares)
			for _, folds := range c.scores {
				for k := range folds {
					w.floats(folds[k].first)
					w.packed(&folds[k].second)
				}
			}
		}
	}
}

func (m *Moments) readPanel(r *reader, p *panel) {
	for _, folds := range p.nuisance {
		for k := range folds {
			folds[k].gram = r.packed()
			for o := range folds[k].cross {
				folds[k].cross[o] = r.floats()
			}
		}
	}
	for d := range p.cells {
		for g := range r.count() {
			if r.int() == 0 || r.err != nil {
				continue
			}
			c := m.cell(p, d, g)
			r.ints(c.rows)
			c.trajectories, c.squares = r.int(), r.int()
			for _, folds := range c.scores {
				for k := range folds {
					folds[k].first, folds[k].second = r.floats(), r.packed()
				}
			}
		}
	}
}

// writer appends numbers and texts.
type writer struct{ b []byte }

func (w *writer) int(x int64) { w.b = binary.AppendVarint(w.b, x) }

func (w *writer) text(s string) {
	w.int(int64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) ints(xs []int64) {
	for _, x := range xs {
		w.int(x)
	}
}

func (w *writer) floats(xs []float64) {
	w.int(int64(len(xs)))
	for _, x := range xs {
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
	}
}

func (w *writer) packed(p *packed) {
	w.int(int64(p.dim))
	for _, x := range p.a {
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
	}
}

// reader reads them again; after the first error all it reads is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) int() int64 {
	x, n := binary.Varint(r.b)
	if n <= 0 {
		r.err, r.b = errBytes, nil
		return 0
	}
	r.b = r.b[n:]
	return x
}

// count is a number of things of at least one byte each.
func (r *reader) count() int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)) {
		r.err, r.b = errBytes, nil
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) ints(into []int64) {
	for i := range into {
		into[i] = r.int()
	}
}

func (r *reader) floats() []float64 { return r.raw(int(r.int())) }

func (r *reader) packed() packed {
	dim := r.int()
	if dim < 0 || dim > 1<<20 {
		r.err, r.b = errBytes, nil
		return packed{}
	}
	return packed{dim: int(dim), a: r.raw(triangle(int(dim)))}
}

func (r *reader) raw(n int) []float64 {
	if n < 0 || n > len(r.b)/8 {
		r.err, r.b = errBytes, nil
		return nil
	}
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.b[8*i:]))
	}
	r.b = r.b[8*n:]
	return xs
}
