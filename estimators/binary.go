package estimators

import (
	"fmt"
	"math"
	"slices"

	"blipd/event"
	"blipd/event/pack"
)

// momentsVersion is the version of the bytes of Moments.
const momentsVersion = 5

// AppendBinary appends the sums, bit for bit: the version, the hash of the
// Spec, its policies, columns, groups, panels. It never fails.
func (m *Moments) AppendBinary(b []byte) ([]byte, error) {
	w := &pack.Writer{B: append(b, momentsVersion)}
	w.Text(m.spec.Hash)
	packTexts(w, m.spec.PolicyKeys())
	w.Int(m.trajectories)
	w.Int(m.rows)
	w.Int(m.disagreeing)
	w.Int(int64(m.earliest))
	w.Int(int64(m.latest))
	w.Ints(m.missing)
	w.Ints(m.outOfBounds)
	w.Int(int64(len(m.columns.list)))
	for _, c := range m.columns.list {
		w.Int(int64(c.feature))
		w.Text(c.level)
	}
	for _, g := range m.groups {
		w.Int(int64(len(g.names)))
		for _, name := range g.names {
			w.Text(name)
		}
	}
	m.packNestings(w)
	m.packLevels(w)
	w.Int(int64(len(m.sets.list)))
	for _, set := range m.sets.list {
		w.Int(int64(len(set)))
		for _, level := range set {
			w.Int(int64(level))
		}
	}
	w.Bool(m.clusters.crowded)
	w.Int(int64(len(m.clusters.names)))
	for _, name := range m.clusters.names {
		w.Text(name)
	}
	for _, p := range m.panels {
		m.packPanel(w, p)
	}
	return w.B, nil
}

// UnmarshalBinary reads what AppendBinary wrote into empty moments of the same
// Spec, or one with more policies, whose sums are passed over; another Spec, a
// newer version and damaged bytes are errors.
func (m *Moments) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != momentsVersion {
		return fmt.Errorf("estimators: read moments: version %d, this program knows %d: run the version that wrote them", first(b), momentsVersion)
	}
	r := &pack.Reader{B: b[1:]}
	if hash := r.Text(); !r.Failed() && hash != m.spec.Hash {
		return fmt.Errorf("estimators: read moments: they are sums under definition %s, not %s", hash, m.spec.Hash)
	}
	written := readTexts(r)
	places := m.spec.placesOfPolicies(written)
	if slices.Contains(places, -1) {
		return fmt.Errorf("estimators: read moments: they are of policies %q, not of %q", written, m.spec.PolicyKeys())
	}
	m.trajectories, m.rows, m.disagreeing = r.Int(), r.Int(), r.Int()
	m.earliest, m.latest = event.Time(r.Int()), event.Time(r.Int())
	r.Ints(m.missing)
	r.Ints(m.outOfBounds)
	m.readColumns(r)
	for d := range m.groups {
		m.groups[d] = newGroups()
		for range r.Count() {
			m.groups[d].find(r.Text(), math.MaxInt)
		}
	}
	m.readNestings(r)
	m.readLevels(r)
	m.readSets(r)
	m.readClusters(r)
	for _, p := range m.panels {
		if p.blip == nil {
			m.readPanel(r, p)
			continue
		}
		p.blip = newBlipSums(m.spec.Folds, len(p.outcomes), len(written))
		m.readPanel(r, p)
		p.blip.keep(places)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("estimators: read moments: %w", err)
	}
	return nil
}

// placesOfPolicies is where each policy is among the keys that were written; -1
// where it is not.
func (s *Spec) placesOfPolicies(written []string) []int {
	places := make([]int, len(s.Policies))
	for i := range s.Policies {
		places[i] = slices.Index(written, s.Policies[i].Key())
	}
	return places
}

func packTexts(w *pack.Writer, texts []string) {
	w.Int(int64(len(texts)))
	for _, s := range texts {
		w.Text(s)
	}
}

func readTexts(r *pack.Reader) []string {
	texts := make([]string, r.Count())
	for i := range texts {
		texts[i] = r.Text()
	}
	return texts
}

func first(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	return int(b[0])
}

// readColumns restores the columns in their places.
func (m *Moments) readColumns(r *pack.Reader) {
	m.columns = newColumns(len(m.spec.Features) + m.spec.learned())
	m.columns.list = nil
	for range r.Count() {
		c := column{int(r.Int()), r.Text()}
		place := len(m.columns.list)
		m.columns.list = append(m.columns.list, c)
		if c.feature < 0 {
			continue
		}
		if c.feature >= len(m.columns.features) {
			r.Fail()
			return
		}
		s := &m.columns.features[c.feature]
		switch {
		case c.level == MissingLevel:
			s.missing = place
		case c.level == OtherLevel:
			s.other = place
		case !m.spec.category(c.feature):
			s.number = place
		default:
			s.levels[c.level] = place
			if len(s.levels) == m.spec.Features[c.feature].MaxLevels {
				s.last = largest(s.levels)
			}
		}
	}
}
