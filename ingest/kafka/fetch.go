package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Sink takes what Fetch brings. Fetch calls it from one goroutine.
type Sink interface {
	// Ready says whether there is room for one more batch of a partition. If not,
	// the partition is left out of requests until Wake.
	Ready(partition int) bool

	// Deliver takes a batch of a partition that was Ready when it was asked for. It
	// must not block. The first batch of each partition comes even if it is empty,
	// so that its start and its marks are known.
	Deliver(Batch)

	// Fail says that a partition has stopped for good.
	Fail(partition int, err Stopped)
}

// A Start is where a partition is to be read from.
type Start struct {
	Offset int64 // or Earliest
	Log    Log   // that Offset belongs to; zero: whatever the topic is now
	Term   int32 // of what lies before Offset, see Batch; 0: not known
}

const (
	// restAfterNothing keeps an empty answer that came early from being asked for
	// again at once.
	restAfterNothing = 100 * time.Millisecond

	// idleCheck bounds every sleep, so a lost Wake costs no more than that.
	idleCheck = time.Second
)

// Fetch reads the partitions of start until ctx ends; then it returns nil. A
// partition that failed is left alone; Fetch goes on even when all have. The only
// error is an impossible start.
//
// Nothing is read before the cluster has said which topic this is. From Kafka 3.1 on
// each request names the topic by its id; from 2.8 on the id is asked for again
// after records have come and before they are delivered. Before that there are no
// ids, and Batch.Log says so.
//
// There is one request at a time to each broker. While all its partitions are
// ready the broker holds the answer until there is news. While one is left out it
// answers at once, so that this one is not kept waiting by the others.
func (c *Client) Fetch(ctx context.Context, start map[int]Start, sink Sink) error {
	f := &fetcher{
		client:  c,
		sink:    sink,
		decoder: newDecoder(c.config.Topic, c.config.ReadCommitted),
		links:   map[int32]*link{},
		answers: make(chan answer),
		looks:   make(chan look),
	}
	for partition, at := range start {
		if partition < 0 || at.Offset < 0 && at.Offset != Earliest {
			return fmt.Errorf("fetch topic %q partition %d: offset %d is no start", c.config.Topic, partition, at.Offset)
		}
		f.cursors = append(f.cursors, &cursor{partition: partition, next: at.Offset, log: at.Log, term: at.Term, high: -1, start: -1})
	}
	slices.SortFunc(f.cursors, func(a, b *cursor) int { return a.partition - b.partition })
	f.run(ctx)
	return nil
}

// Wake tells Fetch that a partition of its sink is ready again.
func (c *Client) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// fetcher is one Fetch. All fields belong to its goroutine; the requests get copies
// of what they need and send an answer.
type fetcher struct {
	client  *Client
	sink    Sink
	decoder *decoder
	cursors []*cursor // still read, by partition
	links   map[int32]*link
	layout  backoff
	answers chan answer
	looks   chan look
	watch   watch
	polls   sync.WaitGroup
}

// cursor is where one partition stands.
type cursor struct {
	backoff
	partition   int
	next        int64   // or Earliest
	log         Log     // that next belongs to
	term        int32   // of what lies before next; 0: not known
	high, start int64   // marks last delivered, -1 before the first batch
	busy        bool    // part of a request under way
	doubt       Stopped // why the topic may be another one; it is not read meanwhile
}

// link is one broker.
type link struct {
	backoff
	busy bool      // a request is under way
	due  time.Time // when it must have ended, whatever brokers do
	rest time.Time // no request before
	turn int       // which partition comes first, see ask
}

func (f *fetcher) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer f.client.moved.Store(nil)
	defer f.forget()
	defer f.polls.Wait()
	defer cancel()

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		f.moves(time.Now())
		timer.Reset(time.Until(f.dispatch(ctx)))
		select {
		case <-ctx.Done():
			return
		case a := <-f.answers:
			f.take(a)
		case l := <-f.looks:
			f.see(l)
		case <-f.client.wake:
			for _, l := range f.links {
				l.rest = time.Time{}
			}
		case <-timer.C:
		}
	}
}

// Moved is when the loop of Fetch last went round, which it does every second or so
// also when there is nothing new, no room or no broker: then less than a minute
// passes. It is zero while there is no Fetch. A request that outlives all its
// deadlines makes the loop count as one that stands still.
func (c *Client) Moved() time.Time {
	if at := c.moved.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// moves notes that the loop goes round.
func (f *fetcher) moves(now time.Time) {
	for _, l := range f.links {
		if l.busy && now.After(l.due) {
			return
		}
	}
	f.client.moved.Store(&now)
}

// longestPoll is more than a request for n partitions takes with every deadline in
// it: for each start that is looked for alone, for all of them, and for itself.
func longestPoll(n int, wait time.Duration) time.Duration {
	return wait + time.Duration(2+2*n)*requestTimeout
}

// take moves the cursors by what a request brought.
func (f *fetcher) take(a answer) {
	l := f.links[a.leader]
	l.busy = false
	for _, w := range a.wants {
		if cur := f.cursor(w.partition); cur != nil {
			cur.busy = false
		}
	}
	if a.err != nil {
		f.client.failed(brokerSource(a.leader), &l.backoff, a.err)
		return
	}
	l.ok()
	f.client.health.clear(brokerSource(a.leader))
	moved := false
	for _, o := range a.outcomes {
		cur := f.cursor(o.Partition)
		if cur == nil || cur.doubt != nil {
			continue
		}
		if o.err != nil {
			f.trouble(cur, o.err)
			continue
		}
		cur.ok()
		f.client.health.clear(partitionSource(cur.partition))
		moved = moved || cur.next != o.Next
		if cur.next != o.Next || cur.high != o.HighWatermark || cur.start != o.LogStart {
			cur.next, cur.term, cur.high, cur.start = o.Next, o.Term, o.HighWatermark, o.LogStart
			o.Log = cur.log
			f.sink.Deliver(o.Batch)
		}
	}
	if !moved {
		l.rest = a.sent.Add(restAfterNothing)
	}
}

// trouble stops a partition whose log cannot be read on, and pauses it otherwise.
func (f *fetcher) trouble(cur *cursor, err error) {
	if stopped := Stopped(nil); errors.As(err, &stopped) {
		f.stop(cur, stopped)
		return
	}
	switch {
	case errors.Is(err, errOtherTopic):
		f.watch.due = time.Time{}
	case errors.Is(err, errWithin):
		cur.term = 0 // too old for the broker to know
	}
	f.client.failed(partitionSource(cur.partition), &cur.backoff, err)
}

// stop leaves a partition alone from now on.
func (f *fetcher) stop(cur *cursor, err Stopped) {
	f.cursors = slices.DeleteFunc(f.cursors, func(c *cursor) bool { return c == cur })
	f.client.health.clear(partitionSource(cur.partition))
	f.sink.Fail(cur.partition, err)
}

// cursor finds a partition that is still read, or nil.
func (f *fetcher) cursor(partition int) *cursor {
	i, ok := slices.BinarySearchFunc(f.cursors, partition, func(c *cursor, p int) int { return c.partition - p })
	if !ok {
		return nil
	}
	return f.cursors[i]
}

// forget takes what this Fetch knows of troubles out of health.
func (f *fetcher) forget() {
	f.client.health.forget("layout")
	f.client.health.forget(watchSource)
	for leader := range f.links {
		f.client.health.forget(brokerSource(leader))
	}
	for _, cur := range f.cursors {
		f.client.health.forget(partitionSource(cur.partition))
	}
}

func brokerSource(id int32) string         { return fmt.Sprint("broker ", id) }
func partitionSource(partition int) string { return fmt.Sprint("partition ", partition) }
