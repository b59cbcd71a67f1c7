package estimators

// cell holds the sums of one group.
type cell struct {
	rows         []int64  // by arm drawn
	trajectories int64    // with a row here
	squares      int64    // sum over trajectories of N_i^2
	scores       []scores // per intervention
	members      members  // of a level of the blip model; without a cluster expression
	means        []mean   // per bucket; nil without a blip model
}

// mean holds the mean of f over the rows of a group in one bucket.
type mean struct {
	rows int64
	f    vector // sum f
}

func newCell(spec *Spec) *cell {
	c := &cell{rows: make([]int64, 1+len(spec.Experiment.Interventions))}
	c.scores = make([]scores, len(spec.Experiment.Interventions))
	for a := range c.scores {
		c.scores[a] = newScores(spec, Buckets)
	}
	if spec.Blip != nil {
		c.means = make([]mean, Buckets)
	}
	return c
}

func (c *cell) decisions() int64 {
	n := int64(0)
	for _, rows := range c.rows {
		n += rows
	}
	return n
}

func (c *cell) each(o *cell, v axis, x *axes, s sums) {
	for a := range c.scores {
		c.scores[a].each(&o.scores[a], v, s)
	}
	for j := range c.means {
		s.vector(&c.means[j].f, &o.means[j].f, x.f)
	}
}

// gathered is what one trajectory adds to one group, before its square is
// taken.
type gathered struct {
	dimension, group int
	rows             int64
	arms             []int64   // rows by arm
	wx               []float64 // per channel, the sum over rows of w x, over the columns of the batch
	f                []float64 // sum f, over the columns of the batch
}

// gather lists what the rows add to each group that they are in.
func (b *batch) gather(m *Moments) []gathered {
	b.visited = b.visited[:0]
	arms, w := len(m.spec.Experiment.Interventions), len(b.cols)
	for d := range m.groups {
		first := len(b.visited) // groups of this dimension
		for t, r := range b.rows[:b.n] {
			for _, group := range r.groups[d] {
				g := b.visit(first, d, group, arms, m.channels()*w)
				g.rows++
				g.arms[r.arm]++
				for a, weight := range r.channels {
					if weight != 0 {
						to := g.wx[a*w : (a+1)*w]
						for i, at := range r.local {
							to[at] += weight * r.x[i]
						}
					}
				}
				if m.spec.Blip != nil {
					for i, v := range b.blip.f.row(t) {
						g.f[i] += v
					}
				}
			}
		}
	}
	return b.visited
}

func (b *batch) visit(first, dimension, group, arms, wx int) *gathered {
	for i := first; i < len(b.visited); i++ {
		if b.visited[i].group == group {
			return &b.visited[i]
		}
	}
	b.visited = grownOnce(b.visited)
	g := &b.visited[len(b.visited)-1]
	if g.arms == nil {
		g.arms = make([]int64, 1+arms)
	}
	clear(g.arms)
	g.dimension, g.group, g.rows = dimension, group, 0
	g.wx, g.f = zeros(g.wx, wx), zeros(g.f, len(b.blip.f.places))
	return g
}

// grownOnce is list with one element more, in the room that it has.
func grownOnce[T any](list []T) []T {
	if len(list) < cap(list) {
		return list[:len(list)+1]
	}
	var none T
	return append(list, none)
}

// add adds what was gathered to the cell.
func (c *cell) add(p *panel, b *batch, g *gathered, y []float64, sign int64) {
	c.trajectories += sign
	c.squares += sign * g.rows * g.rows
	for a, n := range g.arms {
		c.rows[a] += sign * n
	}
	for a := range c.scores {
		p.vector(b, g, a, y)
		c.scores[a].add(float64(sign), b, b.places, b.values)
	}
	if c.means != nil {
		to := &c.means[b.bucket]
		to.rows += sign * g.rows
		to.f.addSparse(float64(sign), b.blip.f.places, g.f)
	}
}

// vector is v_i of one intervention in b.places and b.values, without zeros:
//
//	(N, sum W Y_1 .. sum W Y_O, sum W x)
//
// or, with an outcome model for each arm, u_a = 1 - 1{A=a}/p_a,
//
//	(N, .. sum 1{A=m}/p_m Y .., .. sum 1{A=0}/p_0 Y .., sum (u_m, u_0) for each column of x).
func (p *panel) vector(b *batch, g *gathered, a int, y []float64) {
	n := float64(g.rows)
	places, values := append(b.places[:0], 0), append(b.values[:0], n)
	w := len(b.cols)
	if !p.perArm {
		wx := g.wx[a*w : (a+1)*w]
		for o, v := range y {
			places, values = append(places, 1+o), append(values, wx[0]*v)
		}
		for i, x := range wx {
			if x != 0 {
				places, values = append(places, p.v.lead+b.cols[i]), append(values, x)
			}
		}
		b.places, b.values = places, values
		return
	}
	own, control := g.wx[(1+a)*w:(2+a)*w], g.wx[:w]
	for o, v := range y {
		places, values = append(places, 1+o), append(values, (n-own[0])*v)
	}
	for o, v := range y {
		places, values = append(places, 1+len(y)+o), append(values, (n-control[0])*v)
	}
	for i, x := range own {
		at := p.v.lead + 2*b.cols[i]
		if x != 0 {
			places, values = append(places, at), append(values, x)
		}
		if control[i] != 0 {
			places, values = append(places, at+1), append(values, control[i])
		}
	}
	b.places, b.values = places, values
}
