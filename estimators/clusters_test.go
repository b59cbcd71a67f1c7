package estimators

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// TestClusteredErrorOfRewards: 200 runs of 50 tasks, each with N = 1. The error
// of their mean by task is half as large again as by run.
func TestClusteredErrorOfRewards(t *testing.T) {
	file, err := os.Open("testdata/taubench_airline_rewards.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) != 201 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	for _, c := range []struct {
		clustered bool
		clusters  float64
		want      float64
	}{{false, 200, 0.03499}, {true, 50, 0.05222}} {
		spec := blipSpec(1, c.clustered, false)
		m := New(spec)
		s := newScores(spec, Buckets)
		for i, line := range lines[1:] {
			y, err := strconv.ParseFloat(line[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			key := line[0]
			if !c.clustered {
				key = fmt.Sprint(i)
			}
			var b batch
			b.setKey(m, key)
			if c.clustered {
				b.cluster = m.cluster(key)
			}
			s.add(1, &b, []int{0, 1}, []float64{1, y})
		}
		q := make([][]float64, spec.Folds)
		for k := range q {
			q[k] = []float64{0, 1}
		}
		theta := s.total(q, m.clusters.buckets) / 200
		for k := range q {
			q[k][0] = -theta
		}
		squares, _ := s.squares(q, m.clusters.buckets)
		se := math.Sqrt(c.clusters/(c.clusters-1)*squares) / 200
		if math.Abs(theta-0.42) > 1e-12 || math.Abs(se-c.want) > 5e-6 {
			t.Errorf("clustered %v: mean %v, error %v; want .42, %v", c.clustered, theta, se, c.want)
		}
	}
}

// TestCrowdedClusters: above the limit the clusters are the buckets, whatever
// the order in which they came and how they were divided.
func TestCrowdedClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	crowded := blipSpec(1, true, false)
	crowded.MaxClusters = 40
	ts := drawPanel(rng, crowded, 230)
	buckets := *crowded // where the expression itself gives the bucket
	buckets.MaxClusters = 10_000
	one, few := New(crowded), []*Moments{New(crowded), New(crowded), New(crowded)}
	for i, tr := range ts {
		one.Add(tr)
		few[i%3].Add(tr)
	}
	merged := New(crowded)
	for _, m := range few {
		merged.Merge(restored(t, m))
	}
	for _, m := range []*Moments{one, merged} {
		if !m.clusters.crowded || len(m.clusters.names) != Buckets {
			t.Fatalf("%d clusters, not crowded", len(m.clusters.names))
		}
	}
	compare(t, merged.Report().Estimates, one.Report().Estimates, 1e-10)

	apart := New(&buckets)
	for _, tr := range ts {
		apart.Add(tr)
	}
	got, want := one.Randomized()[0], apart.Randomized()[0]
	if got.Value != want.Value && math.Abs(got.Value-want.Value) > 1e-10*want.StdError {
		t.Errorf("value %v, want that of clusters kept apart, %v", got.Value, want.Value)
	}
	held := map[uint64]bool{}
	for _, name := range apart.clusters.names {
		if c, known := apart.clusters.places[name]; known && apart.panels[0].present[c] > 0 {
			held[xxhash.Sum64String(name)%Buckets] = true
		}
	}
	for _, tr := range ts { // taken out again, nothing is left
		one.Remove(tr)
	}
	if n := len(one.Randomized()); n != 0 {
		t.Errorf("%d estimates of nothing", n)
	}
	if c, _ := merged.panels[0].cells[0][0].scores[0].effective(); int(c) > len(held) {
		t.Errorf("%d clusters, and %d buckets hold any", c, len(held))
	}
}

// TestDisagreeingClusters: the first decision decides, and later ones that say
// otherwise are counted.
func TestDisagreeingClusters(t *testing.T) {
	spec := blipSpec(1, true, false)
	rng := rand.New(rand.NewPCG(5, 5))
	ts := drawPanel(rng, spec, 300)
	m := New(spec)
	want := int64(0)
	for _, tr := range ts {
		m.Add(tr)
		first, at := "", 0
		walk(tr, &spec.Experiment, func(p *Point) {
			name, ok := spec.Cluster.Eval(p).Level()
			switch at++; {
			case at == 1 && ok:
				first = name
			case at == 1:
				first = tr.ID
			case ok && name != first:
				want++
			}
		})
	}
	if got := m.Report().Disagreeing; got != want || want == 0 {
		t.Errorf("%d decisions disagree, want %d, more than none", got, want)
	}
}
