package estimators

import "slices"

// visit gathers what one trajectory adds to one panel, before its square is
// taken: the sums over its rows of W and W x, for each group it is in.
type visit struct {
	m    *Moments
	p    *panel
	y    []float64 // scaled outcomes of the panel
	fold int
	in   []gathered // in order of first visit
}

// gathered is the part of one group.
type gathered struct {
	dimension, group int
	rows             int64
	arms             []int64  // rows by arm
	wx               []vector // per intervention, sum W x (its first entry is sum W)
	places           []int    // columns touched, ascending
}

// visit starts gathering for panel number i, reusing the room of the last.
func (m *Moments) visit(i int, p *panel, y []float64, fold int) *visit {
	for len(m.visits) <= i {
		m.visits = append(m.visits, &visit{})
	}
	v := m.visits[i]
	v.m, v.p, v.y, v.fold = m, p, y, fold
	return v
}

// add gathers one row, and adds it to the normal equations of its fold.
func (v *visit) add(r *row, sign int64) {
	for a, w := range r.weights {
		if w == 0 {
			continue
		}
		n := &v.p.nuisance[a][v.fold]
		ww := float64(sign) * w * w
		n.gram.addOuter(ww, r.places, r.x)
		for o, y := range v.y {
			n.cross[o].addSparse(ww*y, r.places, r.x)
		}
	}
	for d, groups := range r.groups {
		for _, g := range groups {
			v.gather(d, g).add(r)
		}
	}
}

func (v *visit) gather(dimension, group int) *gathered {
	for i := range v.in {
		if v.in[i].dimension == dimension && v.in[i].group == group {
			return &v.in[i]
		}
	}
	v.in = slices.Grow(v.in, 1)[:len(v.in)+1]
	g := &v.in[len(v.in)-1]
	if g.arms == nil { // room never used before
		arms := len(v.m.spec.Experiment.Interventions)
		g.arms, g.wx = make([]int64, 1+arms), make([]vector, arms)
	}
	g.dimension, g.group = dimension, group
	return g
}

func (g *gathered) add(r *row) {
	g.rows++
	g.arms[r.arm]++
	for _, place := range r.places {
		if i, known := slices.BinarySearch(g.places, place); !known {
			g.places = slices.Insert(g.places, i, place)
		}
	}
	for a, w := range r.weights {
		g.wx[a].grow(g.places[len(g.places)-1] + 1)
		if w != 0 {
			g.wx[a].addSparse(w, r.places, r.x)
		}
	}
}

// close adds what was gathered to the cells, and leaves the visit empty.
func (v *visit) close(sign int64) {
	s := float64(sign)
	lead := v.p.lead()
	var places []int
	var values []float64
	for i := range v.in {
		g := &v.in[i]
		c := v.m.cell(v.p, g.dimension, g.group)
		c.trajectories += sign
		c.squares += sign * g.rows * g.rows
		for a, n := range g.arms {
			c.rows[a] += sign * n
		}
		for a := range g.wx {
			sumW := g.wx[a].at(0)
			places, values = append(places[:0], 0), append(values[:0], float64(g.rows))
			for o, y := range v.y {
				places, values = append(places, 1+o), append(values, sumW*y)
			}
			for _, place := range g.places {
				places, values = append(places, lead+place), append(values, g.wx[a].at(place))
			}
			to := &c.scores[a][v.fold]
			to.first.addSparse(s, places, values)
			to.second.addOuter(s, places, values)
		}
		g.reset()
	}
	v.in = v.in[:0]
}

func (g *gathered) reset() {
	g.rows = 0
	clear(g.arms)
	for a := range g.wx {
		for _, place := range g.places {
			g.wx[a][place] = 0
		}
	}
	g.places = g.places[:0]
}

// collapse follows a column that was added into another.
func (v *visit) collapse(from, into int) {
	for i := range v.in {
		g := &v.in[i]
		at, known := slices.BinarySearch(g.places, from)
		if !known {
			continue
		}
		g.places = slices.Delete(g.places, at, at+1)
		if i, known := slices.BinarySearch(g.places, into); !known {
			g.places = slices.Insert(g.places, i, into)
		}
		for a := range g.wx {
			g.wx[a].grow(into + 1)
			g.wx[a].collapse(from, into)
		}
	}
}

// collapse follows a column that was added into another while r was read.
func (r *row) collapse(from, into int) {
	for i, place := range r.places {
		if place == from {
			x := r.x[i]
			r.places, r.x = slices.Delete(r.places, i, i+1), slices.Delete(r.x, i, i+1)
			r.put(into, x)
			return
		}
	}
}
