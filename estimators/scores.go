package estimators

// scores are the first and second moments over clusters of vectors v_i, each
// the sum over the rows of cluster i, that a score is linear in. Where every
// trajectory is its own cluster they are sums: the first by bucket, so that each
// can be left out, the second by fold. With a cluster expression the vector of
// each cluster is kept instead: a cost that grows with the clusters.
type scores struct {
	first    []vector // by bucket, or by fold
	second   []packed // by fold
	clusters []clusterSum
	places   map[int]int // of a cluster in clusters
}

type clusterSum struct {
	cluster int
	v       vector
}

// newScores makes empty ones whose first moments are kept in so many parts: the
// buckets, or the folds where none is ever left out.
func newScores(spec *Spec, parts int) scores {
	if spec.clustered() {
		return scores{places: map[int]int{}}
	}
	return scores{first: make([]vector, parts), second: make([]packed, spec.Folds)}
}

// add adds what one trajectory adds to its cluster's vector: values at places,
// ascending.
func (s *scores) add(sign float64, b *batch, places []int, values []float64) {
	if s.places != nil {
		s.of(b.cluster).addSparse(sign, places, values)
		return
	}
	s.first[b.bucket%len(s.first)].addSparse(sign, places, values)
	s.second[b.fold].addOuter(sign, places, values)
}

// of is the vector of a cluster, made if it is new.
func (s *scores) of(cluster int) *vector {
	i, known := s.places[cluster]
	if !known {
		i = len(s.clusters)
		s.places[cluster] = i
		s.clusters = append(s.clusters, clusterSum{cluster: cluster})
	}
	return &s.clusters[i].v
}

// total is the sum over clusters of q'v, q by fold.
func (s *scores) total(q [][]float64, bucketOf []int) float64 {
	sum := 0.0
	for j := range s.first {
		sum += s.first[j].dot(q[j%len(q)])
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		sum += c.v.dot(q[bucketOf[c.cluster]%len(q)])
	}
	return sum
}

// byBucket adds to each bucket the sum of q'v over its clusters.
func (s *scores) byBucket(to *[Buckets]float64, sign float64, q [][]float64, bucketOf []int) {
	for j := range s.first {
		to[j] += sign * s.first[j].dot(q[j%len(q)])
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		j := bucketOf[c.cluster]
		to[j] += sign * c.v.dot(q[j%len(q)])
	}
}

// squares is the sum over clusters of (q'v)^2, and its size before
// cancellation.
func (s *scores) squares(q [][]float64, bucketOf []int) (squares, size float64) {
	for k := range s.second {
		v, abs := s.second[k].form(q[k])
		squares, size = squares+v, size+abs
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		at := q[bucketOf[c.cluster]%len(q)]
		v, abs := 0.0, 0.0
		for j, x := range c.v {
			v += x * at[j]
			abs += max(x*at[j], -x*at[j])
		}
		squares, size = squares+v*v, size+abs*abs
	}
	return squares, size
}

// effective is, over clusters that have rows, their number c and the sum of
// N_i^2; the first entry of v is N.
func (s *scores) effective() (c int64, squares float64) {
	for i := range s.clusters {
		if n := s.clusters[i].v.at(0); n != 0 {
			c++
			squares += n * n
		}
	}
	return c, squares
}

func (s *scores) each(o *scores, a axis, v sums) {
	for j := range s.first {
		v.vector(&s.first[j], &o.first[j], a)
	}
	for k := range s.second {
		v.packed(&s.second[k], &o.second[k], a)
	}
	for i := range o.clusters {
		own := &o.clusters[i].v
		if s != o {
			c := o.clusters[i].cluster
			if m, merging := v.(*mapping); merging {
				c = m.clusters[c]
			}
			own = s.of(c)
		}
		v.vector(own, &o.clusters[i].v, a)
	}
}

// dot is q'v.
func (v vector) dot(q []float64) float64 {
	sum := 0.0
	for i, x := range v {
		sum += x * q[i]
	}
	return sum
}
