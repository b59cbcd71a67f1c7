package estimators

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"blipd/event"
)

// clusters numbers the clusters in their order of appearance. Above MaxClusters
// they are crowded: every cluster is its bucket from then on, and errors come
// from the buckets.
type clusters struct {
	names   []string
	places  map[string]int
	buckets []int // of each cluster
	crowded bool
}

func newClusters() clusters { return clusters{places: map[string]int{}} }

// clustered tells whether there is a cluster expression.
func (s *Spec) clustered() bool { return s.Cluster.Eval != nil }

func (c *clusters) add(name string, bucket int) int {
	c.names, c.buckets = append(c.names, name), append(c.buckets, bucket)
	c.places[name] = len(c.names) - 1
	return len(c.names) - 1
}

// cluster is the number of a key, which may crowd the clusters.
func (m *Moments) cluster(key string) int {
	c := &m.clusters
	if c.crowded {
		return BucketOf(key)
	}
	if i, known := c.places[key]; known {
		return i
	}
	if len(c.names) >= m.spec.MaxClusters {
		m.crowd()
		return BucketOf(key)
	}
	return c.add(key, BucketOf(key))
}

// crowd turns every cluster into its bucket, a linear map of all sums.
func (m *Moments) crowd() {
	to := make([]int, len(m.clusters.names))
	for i, name := range m.clusters.names {
		to[i] = BucketOf(name)
	}
	m.clusters = newClusters()
	m.clusters.crowded = true
	for j := range Buckets {
		m.clusters.add(fmt.Sprintf("(bucket %d)", j), j)
	}
	for _, p := range m.panels {
		p.present = remapped(p.present, to)
		p.eachScores(func(s *scores) { s.remap(to) })
	}
}

// remapped adds counts by cluster into the clusters that they became.
func remapped(counts []int64, to []int) []int64 {
	var out []int64
	for i, n := range counts {
		out = grown(out, to[i]+1)
		out[to[i]] += n
	}
	return out
}

func (s *scores) remap(to []int) {
	old := s.clusters
	s.clusters, s.places = nil, map[int]int{}
	for i := range old {
		into := s.of(to[old[i].cluster])
		for j, x := range old[i].v {
			into.add(j, x)
		}
	}
}

// matchClusters says where the clusters of o go.
func (m *Moments) matchClusters(o *Moments) []int {
	if o.clusters.crowded && !m.clusters.crowded {
		m.crowd()
	}
	to := make([]int, len(o.clusters.names))
	for range 2 { // once more, should the first pass have crowded them
		for i, name := range o.clusters.names {
			if o.clusters.crowded {
				to[i] = i
			} else {
				to[i] = m.cluster(name)
			}
		}
	}
	return to
}

// setKey gives the batch the bucket and the fold of its cluster key.
func (b *batch) setKey(m *Moments, key string) {
	b.hash = xxhash.Sum64String(key)
	b.bucket = int(b.hash % Buckets)
	b.fold = b.bucket % m.spec.Folds
	b.cluster = -1
}

// clusterAt is what the cluster expression says at a point; known is false
// where it is missing.
func (s *Spec) clusterAt(p *Point, scratch *[]event.Value) (key string, known bool) {
	*scratch = values(&s.Cluster, p, (*scratch)[:0])
	return (*scratch)[0].Level()
}

// members lists the clusters that have rows in a level, as long as they were
// never more than mostMembers: the pooling of small levels needs to know how
// many clusters several levels have together.
type members struct {
	list []member
	many bool // more were there once: the list is given up, and empty
}

type member struct {
	hash         uint64
	trajectories int64
}

// mostMembers is ten times what a level must have not to be pooled: a level
// loses nine tenths of its clusters before it can be wrongly taken for large.
const mostMembers = 10 * minTrajectories

func (s *members) add(hash uint64, n int64) {
	if s.many {
		return
	}
	for i := range s.list {
		if s.list[i].hash == hash {
			if s.list[i].trajectories += n; s.list[i].trajectories == 0 {
				s.list = append(s.list[:i], s.list[i+1:]...)
			}
			return
		}
	}
	s.list = append(s.list, member{hash, n})
	if len(s.list) > mostMembers {
		s.list, s.many = nil, true
	}
}

func (s *members) merge(o *members) {
	if o.many {
		s.list, s.many = nil, true
	}
	for _, m := range o.list {
		s.add(m.hash, m.trajectories)
	}
}
