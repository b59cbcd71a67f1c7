package estimators

import "blipd/event/pack"

func (m *Moments) readSets(r *pack.Reader) {
	m.sets = newLevelSets(m.spec)
	for i := range r.Count() {
		set := make([]int, r.Count())
		for j := range set {
			set[j] = int(r.Int())
			if m.spec.Blip == nil || set[j] < 0 || set[j] >= len(m.levels[m.spec.Blip.Dimension].list) {
				r.Fail()
				return
			}
		}
		if m.sets.find(set) != i {
			r.Fail()
			return
		}
	}
}

func (m *Moments) readClusters(r *pack.Reader) {
	m.clusters = newClusters()
	m.clusters.crowded = r.Bool()
	count := r.Count()
	if m.clusters.crowded && count != Buckets {
		r.Fail()
		return
	}
	for i := range count {
		name := r.Text()
		bucket := BucketOf(name)
		if m.clusters.crowded {
			bucket = i
		}
		m.clusters.add(name, bucket)
	}
}

func (m *Moments) packPanel(w *pack.Writer, p *panel) {
	to := &packing{w: w}
	w.Int(p.alone)
	for k := range p.squares {
		w.Floats(p.squares[k])
	}
	w.Int(int64(len(p.present)))
	w.Ints(p.present)
	if p.blip != nil {
		for j := range p.blip.buckets {
			w.Int(p.blip.buckets[j].trajectories)
			for i := range p.blip.buckets[j].cross {
				w.Float(p.blip.buckets[j].cross[i].rho)
				w.Floats(p.blip.buckets[j].cross[i].y)
			}
		}
		for _, s := range p.blip.support {
			w.Int(s.agreeing)
			w.Floats([]float64{s.rho, s.squares, s.differing})
		}
	}
	for a := range p.moderated {
		p.moderated[a].packClusters(w)
	}
	p.each(p, &m.axes, to)
	for _, cells := range p.cells {
		w.Int(int64(len(cells)))
		for _, c := range cells {
			w.Bool(c != nil)
			if c != nil {
				c.pack(w)
				c.each(c, p.v, &m.axes, to)
			}
		}
	}
}

func (m *Moments) readPanel(r *pack.Reader, p *panel) {
	from := &unpacking{r, m}
	p.alone = r.Int()
	for _, squares := range p.squares {
		for o := range squares {
			squares[o] = r.Float()
		}
	}
	p.present = make([]int64, r.Count())
	r.Ints(p.present)
	if p.blip != nil {
		for j := range p.blip.buckets {
			p.blip.buckets[j].trajectories = r.Int()
			for i := range p.blip.buckets[j].cross {
				s := &p.blip.buckets[j].cross[i]
				s.rho = r.Float()
				for o := range s.y {
					s.y[o] = r.Float()
				}
			}
		}
		for i := range p.blip.support {
			p.blip.support[i] = supportSums{r.Int(), r.Float(), r.Float(), r.Float()}
		}
	}
	for a := range p.moderated {
		p.moderated[a].readClusters(r, len(m.clusters.names))
	}
	p.each(p, &m.axes, from)
	for d := range p.cells {
		for g := range r.Count() {
			if !r.Bool() || r.Failed() {
				continue
			}
			c := m.cell(p, d, g)
			c.unpack(r, len(m.clusters.names))
			c.each(c, p.v, &m.axes, from)
		}
	}
}

// pack writes what a cell holds beside its sums.
func (c *cell) pack(w *pack.Writer) {
	w.Ints(c.rows)
	w.Int(c.trajectories)
	w.Int(c.squares)
	w.Bool(c.members.many)
	w.Int(int64(len(c.members.list)))
	for _, m := range c.members.list {
		w.Int(int64(m.hash))
		w.Int(m.trajectories)
	}
	for j := range c.means {
		w.Int(c.means[j].rows)
	}
	for a := range c.scores {
		c.scores[a].packClusters(w)
	}
}

func (c *cell) unpack(r *pack.Reader, clusters int) {
	r.Ints(c.rows)
	c.trajectories, c.squares = r.Int(), r.Int()
	c.members.many = r.Bool()
	for range r.Count() {
		c.members.list = append(c.members.list, member{uint64(r.Int()), r.Int()})
	}
	for j := range c.means {
		c.means[j].rows = r.Int()
	}
	for a := range c.scores {
		c.scores[a].readClusters(r, clusters)
	}
}

// packClusters writes which clusters have a vector, and in which order.
func (s *scores) packClusters(w *pack.Writer) {
	w.Int(int64(len(s.clusters)))
	for i := range s.clusters {
		w.Int(int64(s.clusters[i].cluster))
	}
}

func (s *scores) readClusters(r *pack.Reader, clusters int) {
	for range r.Count() {
		c := int(r.Int())
		if c < 0 || c >= clusters || s.places == nil {
			r.Fail()
			return
		}
		s.of(c)
	}
}

// packing writes every sum.
type packing struct{ w *pack.Writer }

func (p *packing) vector(own, _ *vector, _ axis) {
	p.w.Int(int64(len(*own)))
	p.w.Floats(*own)
}

func (p *packing) packed(own, _ *packed, _ axis) {
	p.w.Int(int64(own.dim))
	p.w.Bool(own.places != nil)
	if own.places != nil {
		p.w.Int(int64(len(own.places)))
		before := 0
		for _, at := range own.places {
			p.w.Int(int64(at - before))
			before = at + 1
		}
	}
	p.w.Floats(own.a)
}

func (p *packing) matrix(own, _ *matrix, _, _ axis) {
	p.w.Int(int64(own.rows))
	p.w.Int(int64(own.cols))
	for i := range own.rows {
		p.w.Floats(own.row(i))
	}
}

// unpacking reads them in the same order. None may be longer than its axis.
type unpacking struct {
	r *pack.Reader
	m *Moments
}

// count reads how many places of an axis a sum has.
func (p *unpacking) count(a axis) int {
	most := a.lead
	switch a.along {
	case columnsOfX:
		most += a.width * len(p.m.columns.list)
	case setsOfLevels:
		most += a.width * len(p.m.sets.list)
	case levelsOfF:
		most += a.width * len(p.m.levels[p.m.spec.Blip.Dimension].list)
	}
	if a.along >= candidateLevels {
		most += a.width * len(p.m.levels[p.m.candidates[a.along-candidateLevels].model.Dimension].list)
	}
	n := p.r.Int()
	if n < 0 || n > int64(most) {
		p.r.Fail()
		return 0
	}
	return int(n)
}

func (p *unpacking) vector(own, _ *vector, a axis) { *own = p.r.Floats(p.count(a)) }

func (p *unpacking) packed(own, _ *packed, a axis) {
	dim := p.count(a)
	*own = packed{dim: dim}
	if p.r.Bool() {
		own.places = make([]int, p.r.Count())
		before := 0
		for i := range own.places {
			gap := p.r.Int()
			if gap < 0 || gap >= int64(dim-before) {
				p.r.Fail()
				break
			}
			own.places[i] = before + int(gap)
			before = own.places[i] + 1
		}
	}
	if !p.r.Failed() {
		own.a = p.r.Floats(triangle(own.count()))
	}
	if p.r.Failed() {
		*own = packed{}
	}
}

func (p *unpacking) matrix(own, _ *matrix, r, c axis) {
	rows, cols := p.count(r), p.count(c)
	*own = matrix{rows, cols, cols, p.r.Floats(rows * cols)}
	if p.r.Failed() {
		*own = matrix{}
	}
}
