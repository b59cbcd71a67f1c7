package ingest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/event"
	"blipd/ingest/kafka"
)

// TestReports tries on group, fetch and workers, in fake time and with the paces of
// production, what broke other systems in public; the rest of it is in package daemon.
// Each name is the repository and number of the report.
func TestReports(t *testing.T) {
	for name, report := range map[string]func(*testing.T){
		"segmentio/kafka-go/1398": reportKafkaGo1398,
		"lovoo/goka/212":          reportGoka212,
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, report) })
	}
}

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
	lives    int // generations of all members
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

func (h *house) client(group string) *kafka.Client {
	h.t.Helper()
	c, err := kafka.New(kafka.Config{Brokers: h.broker.ListenAddrs(), Topic: "events", Group: group, Dial: h.wires.DialContext, MaxBytes: 4096})
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

// join is a member until leave is called.
func (h *house) join() (leave func()) {
	client := h.client("readers")
	consumer := &Consumer{Client: client, Schema: schema, Manual: true,
		Open:   h.open,
		Began:  func(map[int]*Worker) { h.count(func() { h.lives++ }) },
		Ended:  func() {},
		Held:   func(int) bool { return false },
		Failed: func(partition int, err kafka.Stopped) { h.fault("partition %d: %v", partition, err) },
		WentBack: func(partition int, was, is kafka.Bounds) {
			h.fault("partition %d went back from %v to %v", partition, was, is)
		},
		Nameless: func() {},
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- consumer.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			h.fault("a member ended with %v", err)
		}
		_ = client.Close()
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

// A member that is slow, and others that come and go: no record that was queued
// before a rebalance is counted after it by the wrong one, and all are counted once.
func reportKafkaGo1398(t *testing.T) {
	h := newHouse(t, 4)
	h.apply = 20 * time.Millisecond
	producer := h.client("")
	defer producer.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	stay := h.join()
	n, rounds := 0, 20
	for range rounds {
		h.produce(producer, 1000)
		n += 1000
		var leave []func()
		for range 1 + rng.IntN(2) {
			leave = append(leave, h.join())
			time.Sleep(time.Duration(rng.IntN(15_000)) * time.Millisecond)
		}
		for _, one := range leave {
			one()
			time.Sleep(time.Duration(rng.IntN(8_000)) * time.Millisecond)
		}
	}
	h.counted(n)
	stay()
	h.end()
	if h.lives < 3*rounds {
		t.Errorf("%d generations in %d rounds: some came and never got in", h.lives, rounds)
	}
}

// A restore that takes longer than the session and the rebalance may: alone, the
// member stays; when another comes meanwhile it is thrown out, but what it has
// restored it need not restore again, and so it gets there.
func reportGoka212(t *testing.T) {
	for _, other := range []bool{false, true} {
		h := newHouse(t, 3)
		h.restore = 2 * time.Minute
		producer := h.client("")
		h.produce(producer, 300)
		stay := h.join()
		time.Sleep(time.Minute)
		if other {
			h.visit(35 * time.Second)
		}
		time.Sleep(time.Minute) // one partition is restored, the second not yet
		if members := len(h.broker.GroupInfo("readers").Members); members != 1 {
			t.Errorf("with another one %v: %d members while it restores, want 1", other, members)
		}
		h.counted(300)
		if lives := h.lives; !other && lives != 1 || lives > 3 {
			t.Errorf("with another one %v: %d generations counted", other, lives)
		}
		stay()
		_ = producer.Close()
		h.end()
	}
}
