package ingest

import (
	"context"
	"fmt"
	"iter"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/event"
	"blipd/ingest/kafka"
)

// house is a topic and what all members have counted of it: the state of a partition
// goes with the partition.
type house struct {
	t       *testing.T
	wires   kfake.VirtualNetwork
	broker  *kfake.Cluster
	restore time.Duration // what opening a partition takes for the first time
	apply   time.Duration // what a record takes

	mu       sync.Mutex // guards the fields below
	offsets  map[int][]int64
	owner    map[int]*room
	restored map[int]bool
	lives    int // generations of all members that read
	shared   int // that did not, for others had a part
	wrong    []string
}

func newHouse(t *testing.T, partitions int) *house {
	t.Helper()
	h := &house{t: t, offsets: map[int][]int64{}, owner: map[int]*room{}, restored: map[int]bool{}}
	var err error
	h.broker, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(partitions), "events"), kfake.ListenFn(h.wires.Listen))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) client(group string) *kafka.Client { return h.clientOver(h.wires.DialContext, group) }

// clientOver is a client whose connections are made by dial.
func (h *house) clientOver(dial func(context.Context, string, string) (net.Conn, error), group string) *kafka.Client {
	h.t.Helper()
	c, err := kafka.New(kafka.Config{Brokers: h.broker.ListenAddrs(), Topic: "events", Group: group, Dial: dial, MaxBytes: 4096})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// produce adds n records to the topic.
func (h *house) produce(c *kafka.Client, n int) {
	h.t.Helper()
	messages := make([]kafka.Message, n)
	for i := range messages {
		messages[i] = kafka.Message{Key: fmt.Appendf(nil, "t%d", i), Value: []byte(line(i))}
	}
	if err := c.Produce(h.t.Context(), "events", messages); err != nil {
		h.t.Fatal(err)
	}
}

// join is a member until leave is called, which gives what it ended with. Unless it may
// share it wants all partitions.
func (h *house) join(share bool) (leave func() error) {
	client := h.client("readers")
	consumer := &Consumer{Client: client, Schema: schema, Manual: share,
		Open:      h.open,
		Began:     func(map[int]*Worker) { h.count(func() { h.lives++ }) },
		Ended:     func() {},
		Held:      func(int) bool { return false },
		Paused:    func() bool { return false },
		Failed:    func(partition int, err kafka.Stopped) { h.fault("partition %d: %v", partition, err) },
		BeganLate: func(partition int, start int64) { h.fault("partition %d begins at %d", partition, start) },
		WentBack: func(partition int, was, is kafka.Bounds) {
			h.fault("partition %d went back from %v to %v", partition, was, is)
		},
		Nameless: func() {},
		Shared:   func(int, int) { h.count(func() { h.shared++ }) },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- consumer.Run(ctx) }()
	return func() error {
		cancel()
		defer func() { _ = client.Close() }()
		return <-done
	}
}

// visit is a member for a while that reads nothing.
func (h *house) visit(stay time.Duration) {
	client := h.client("readers")
	ctx, cancel := context.WithTimeout(context.Background(), stay)
	defer cancel()
	if err := client.Join(ctx, func(ctx context.Context, _ kafka.Generation) error { <-ctx.Done(); return ctx.Err() }); err != nil {
		h.fault("a visitor ended with %v", err)
	}
	_ = client.Close()
}

func (h *house) count(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func (h *house) fault(format string, args ...any) {
	h.count(func() { h.wrong = append(h.wrong, fmt.Sprintf(format, args...)) })
}

// open gives a partition to whoever asks. What it was restored to stays, as it does
// in the daemon.
func (h *house) open(number int) (Partition, error) {
	var first bool
	h.count(func() { first = !h.restored[number] })
	if first {
		time.Sleep(h.restore)
	}
	r := &room{house: h, number: number}
	h.count(func() {
		h.restored[number], h.owner[number] = true, r
		r.next = int64(len(h.offsets[number]))
	})
	return r, nil
}

// counted waits until the partitions hold n records.
func (h *house) counted(n int) {
	h.t.Helper()
	for range 600 {
		time.Sleep(time.Second)
		sum := 0
		h.count(func() {
			for _, offsets := range h.offsets {
				sum += len(offsets)
			}
		})
		if sum >= n {
			return
		}
	}
	h.t.Errorf("not all of %d records are counted after 10 minutes", n)
}

// end holds that each record was counted once, in its order, by who owned it.
func (h *house) end() {
	h.t.Helper()
	h.broker.Close()
	for number, offsets := range h.offsets {
		for i, offset := range offsets {
			if offset != int64(i) {
				h.t.Fatalf("partition %d has counted offset %d after %d of them", number, offset, i)
			}
		}
	}
	for _, w := range h.wrong {
		h.t.Error(w)
	}
}

// room is a partition in the hands of one member.
type room struct {
	house  *house
	number int
	next   int64
}

func (r *room) Next() int64    { return r.next }
func (r *room) Commit() error  { return nil }
func (r *room) Log() event.Log { return event.Log{} }
func (r *room) From(event.Log) {}

// Apply is slow, and passes over what was applied before, as state does.
func (r *room) Apply(batch iter.Seq[*event.Entry], next int64) error {
	h := r.house
	for e := range batch {
		time.Sleep(h.apply)
		h.count(func() {
			switch {
			case h.owner[r.number] != r:
				h.wrong = append(h.wrong, fmt.Sprintf("offset %d of partition %d is applied by one who gave it away", e.Record.Offset, r.number))
			case e.Record.Offset >= r.next:
				h.offsets[r.number] = append(h.offsets[r.number], e.Record.Offset)
			}
		})
	}
	r.next = next
	return nil
}
