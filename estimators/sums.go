package estimators

// along says what the places of one side of a sum stand for.
type along uint8

const (
	fixedPlaces along = iota // the same in all moments of a Spec
	columnsOfX
	levelsOfF
	setsOfLevels
	candidateLevels // of the first candidate; those of the others follow
)

// axis is one side of a sum: lead fixed places, then width places for each
// column of x, or for each level of the blip model. Everything that grows does
// so along an axis, and so growth, merges, collapses and bytes need to know no
// more of a sum than its axes.
type axis struct {
	along       along
	lead, width int
}

// sums is what is done to every sum of moments, in one order: to own alone, or
// with the same sum of other moments.
type sums interface {
	vector(own, other *vector, a axis)
	packed(own, other *packed, a axis)
	matrix(own, other *matrix, rows, cols axis)
}

// collapse adds one column of x, level or set of levels into another.
type collapse struct {
	along      along
	from, into int
}

// places lists the pairs of places that the two take on an axis.
func (c collapse) places(a axis, each func(from, into int)) {
	if a.along == c.along {
		for w := range a.width {
			each(a.lead+c.from*a.width+w, a.lead+c.into*a.width+w)
		}
	}
}

func (c collapse) vector(own, _ *vector, a axis) { c.places(a, own.collapse) }
func (c collapse) packed(own, _ *packed, a axis) { c.places(a, own.collapse) }
func (c collapse) matrix(own, _ *matrix, rows, cols axis) {
	c.places(rows, own.collapseRow)
	c.places(cols, own.collapseCol)
}

// mapping says where the columns, levels and clusters of other moments go.
type mapping struct {
	columns, levels, sets, clusters []int

	candidates [][]int // levels, by candidate
	known      []mappedAxis
}

type mappedAxis struct {
	axis axis
	to   []int
}

// of is where the places of an axis go, for at least the first n of them.
func (m *mapping) of(a axis, n int) []int {
	for i := range m.known {
		if m.known[i].axis == a && len(m.known[i].to) >= n {
			return m.known[i].to
		}
	}
	base := m.columns
	switch a.along {
	case levelsOfF:
		base = m.levels
	case setsOfLevels:
		base = m.sets
	case fixedPlaces:
		base = nil
	}
	if a.along >= candidateLevels {
		base = m.candidates[a.along-candidateLevels]
	}
	to := make([]int, max(n, a.lead+a.width*len(base)))
	for i := range to {
		to[i] = i
		if i >= a.lead && len(base) > 0 {
			at := i - a.lead
			to[i] = a.lead + base[at/a.width]*a.width + at%a.width
		}
	}
	m.known = append(m.known, mappedAxis{a, to})
	return to
}

func (m *mapping) vector(own, other *vector, a axis) { own.addMapped(*other, m.of(a, len(*other))) }
func (m *mapping) packed(own, other *packed, a axis) { own.addMapped(other, m.of(a, other.dim)) }
func (m *mapping) matrix(own, other *matrix, rows, cols axis) {
	own.addMapped(other, m.of(rows, other.rows), m.of(cols, other.cols))
}
