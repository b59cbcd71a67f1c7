package kafka

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

const topic = "events"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster starts a broker in memory that ends with the test.
func cluster(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	for tries := 0; err != nil && tries < 100; tries++ { // a port that is to be taken again may be somebody's for a moment
		time.Sleep(100 * time.Millisecond)
		c, err = kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// client is a Client of the cluster in a hurry.
func client(t testing.TB, c *kfake.Cluster, change ...func(*Config)) *Client {
	t.Helper()
	config := Config{Brokers: c.ListenAddrs(), Topic: topic, MaxWait: 200 * time.Millisecond}
	for _, f := range change {
		f(&config)
	}
	made, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	made.pace = pace{
		refresh:   200 * time.Millisecond,
		heartbeat: 50 * time.Millisecond,
		watch:     100 * time.Millisecond,
		pause:     20 * time.Millisecond,
	}
	t.Cleanup(func() { made.Close() })
	return made
}

// franz is an independent client whose records go to the partition they name.
func franz(t testing.TB, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	opts = append([]kgo.Opt{
		kgo.SeedBrokers(c.ListenAddrs()...),
		kgo.DefaultProduceTopic(topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	}, opts...)
	made, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

func send(t testing.TB, c *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	if err := c.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// values makes n records of one partition, each naming itself.
func values(partition int32, from, n int) []*kgo.Record {
	var records []*kgo.Record
	for i := range n {
		records = append(records, &kgo.Record{Partition: partition, Value: fmt.Appendf(nil, "%d-%d", partition, from+i)})
	}
	return records
}

// shelf is a Sink that keeps everything.
type shelf struct {
	mu       sync.Mutex // guards the fields below
	records  map[int][]Record
	next     map[int]int64
	high     map[int]int64
	logs     map[int]Log
	batches  map[int]int
	failures map[int]error
	closed   map[int]bool
}

func newShelf() *shelf {
	return &shelf{
		records: map[int][]Record{}, next: map[int]int64{}, high: map[int]int64{},
		logs: map[int]Log{}, batches: map[int]int{}, failures: map[int]error{}, closed: map[int]bool{},
	}
}

func (s *shelf) Ready(partition int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed[partition]
}

func (s *shelf) Deliver(b Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[b.Partition] = append(s.records[b.Partition], b.Records...)
	s.next[b.Partition] = b.Next
	s.high[b.Partition] = b.HighWatermark
	s.logs[b.Partition] = b.Log
	s.batches[b.Partition]++
}

func (s *shelf) Fail(partition int, err Stopped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[partition] = err
}

func (s *shelf) setClosed(partition int, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed[partition] = closed
}

func (s *shelf) at(partition int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, ok := s.next[partition]
	if !ok {
		return -1
	}
	return next
}

func (s *shelf) log(partition int) Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logs[partition]
}

func (s *shelf) failure(partition int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures[partition]
}

func (s *shelf) read(partition int) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records[partition])
}

func (s *shelf) texts(partition int) []string {
	var texts []string
	for _, r := range s.read(partition) {
		texts = append(texts, string(r.Value))
	}
	return texts
}

// fetch runs Fetch until the test ends or stop is called.
func fetch(t testing.TB, c *Client, start map[int]int64) (s *shelf, stop func()) {
	t.Helper()
	s = newShelf()
	return s, fetchInto(t, c, start, s)
}

func fetchInto(t testing.TB, c *Client, start map[int]int64, sink Sink) (stop func()) {
	t.Helper()
	return startInto(t, c, from(start), sink)
}

func startInto(t testing.TB, c *Client, start map[int]Start, sink Sink) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Fetch(ctx, start, sink) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("fetch returned %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// from starts at offsets of whatever the topic is.
func from(offsets map[int]int64) map[int]Start {
	start := map[int]Start{}
	for partition, offset := range offsets {
		start[partition] = Start{Offset: offset}
	}
	return start
}

// eventually waits for a condition that other goroutines bring about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited 10s in vain: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func reaches(t testing.TB, s *shelf, partition int, next int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("partition %d at %d", partition, next), func() bool { return s.at(partition) >= next })
	if got := s.at(partition); got != next {
		t.Fatalf("partition %d is at %d, want %d", partition, got, next)
	}
}

// changes collects what Config.Changed is told.
type changes struct {
	mu   sync.Mutex // guards told
	told []error
}

func (c *changes) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, err)
}

func (c *changes) all() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.told)
}

func portOf(t testing.TB, c *kfake.Cluster) int {
	t.Helper()
	_, text, err := net.SplitHostPort(c.ListenAddrs()[0])
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
