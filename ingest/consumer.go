package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"blipd/event"
	"blipd/ingest/kafka"
)

// ErrShared is the error of a process that is given fewer than all partitions for long.
var ErrShared = errors.New("sharing a topic between several processes comes with a later version: run one process, or split the topic by hand with kafka.partitions")

// Consumer reads the partitions that this process is given, each with a worker.
type Consumer struct {
	Client *kafka.Client
	Schema *event.Schema
	Manual bool // partitions are split by hand: some of the topic is enough

	// Open gives the state of a partition, and is told of its worker.
	Open func(partition int) (Partition, error)
	// Began is told of the workers of a generation before they run; Ended when
	// all of them have stopped.
	Began func(workers map[int]*Worker)
	Ended func()
	// Held says whether a partition should not be fed for now.
	Held func(partition int) bool
	// Paused says whether no partition should work for now, not even on what was
	// fetched before.
	Paused func() bool
	// Failed is told of a partition that has stopped for good.
	Failed func(partition int, err kafka.Stopped)
	// WentBack is told that a log starts or ends before where it did: a new leader that
	// lags, one that lost records, or, where topics have no ids, another topic.
	WentBack func(partition int, was, is kafka.Bounds)
	// BeganLate is told of a partition that has no state when the first batch of its log
	// arrives and the log begins above offset 0.
	BeganLate func(partition int, start int64)
	// Nameless is told, once a generation, that the cluster tells no topic ids.
	Nameless func()
	// Shared is told, once a generation, that the group has given others a part.
	Shared func(mine, of int)

	whole bool      // the last generation that read had all partitions
	since time.Time // since when it has not; zero while it has

	pause pause
}

const (
	// A member that has a part of the partitions may be the ghost of a process that was
	// killed, or of an own try to join that the network cut off: it is gone when its
	// session is. One that had all waits longer than one that comes, so that of two
	// processes the first goes on.
	newcomerWaits = 30 * time.Second
	ownerWaits    = 90 * time.Second

	reportEvery = 5 * time.Second // offsets are told to the group, for lag displays
	lastReport  = 3 * time.Second // how long the last time may take
)

// Run consumes until ctx ends, then returns nil. A generation that ends stops
// all workers, each behind the batch in hand.
func (c *Consumer) Run(ctx context.Context) error {
	return c.Client.Join(ctx, c.generation)
}

// generation works as long as this process owns a set of partitions, with
// pauses where somebody asks for one.
func (c *Consumer) generation(ctx context.Context, g kafka.Generation) error {
	for {
		asked, stop := context.WithCancel(ctx)
		c.pause.begin(stop)
		err := c.work(asked, g)
		c.pause.end()
		stop()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// work opens the partitions of a generation and reads them until ctx ends.
func (c *Consumer) work(ctx context.Context, g kafka.Generation) error {
	count, err := c.Client.Partitions(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	mine := g.Partitions()
	if !c.Manual && len(mine) < count {
		return c.wait(ctx, len(mine), count)
	}
	c.whole, c.since = true, time.Time{}
	s := &session{consumer: c, workers: map[int]*Worker{}, marks: map[int]kafka.Bounds{}, fresh: map[int]bool{}}
	start := map[int]kafka.Start{}
	var log kafka.Log // of the topic, as state knows it
	for _, number := range mine {
		partition, err := c.Open(number)
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // opening took long, and others wait; what is open stays so
			return nil
		}
		decoder := event.Decoder{Schema: c.Schema, Keyless: count == 1}
		s.workers[number] = NewWorker(decoder, partition, c.Client.Wake, c.Paused)
		at, known := partition.Next(), partition.Log()
		s.marks[number] = kafka.Bounds{Start: known.Start, End: known.End}
		if s.fresh[number] = at < 0; at < 0 {
			at = kafka.Earliest
		}
		start[number] = kafka.Start{Offset: at, Log: kafka.Log{Topic: known.Topic, Partitions: known.Partitions}, Term: known.Term}
		if log == (kafka.Log{}) {
			log = start[number].Log
		}
	}
	for number, at := range start { // one that is new belongs to the topic of the others
		if at.Log == (kafka.Log{}) {
			start[number] = kafka.Start{Offset: at.Offset, Log: log}
		}
	}
	return s.run(ctx, g, start)
}

// wait reads nothing until the generation ends or others have had a part for too long.
func (c *Consumer) wait(ctx context.Context, mine, count int) error {
	if c.since.IsZero() {
		c.since = time.Now()
	}
	c.Shared(mine, count)
	patience := newcomerWaits
	if c.whole {
		patience = ownerWaits
	}
	late := time.NewTimer(time.Until(c.since.Add(patience)))
	defer late.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-late.C:
		return fmt.Errorf("assigned %d of %d partitions for %v: %w", mine, count, patience, ErrShared)
	}
}

// session is a generation at work.
type session struct {
	consumer *Consumer
	workers  map[int]*Worker
	nameless bool                 // it was told
	fresh    map[int]bool         // that have no state, and nothing was heard of yet
	marks    map[int]kafka.Bounds // of each log, when last heard of; of the goroutine of Fetch
}

func (s *session) run(ctx context.Context, g kafka.Generation, start map[int]kafka.Start) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	broken := make(chan error, len(s.workers)) // what Apply could not do
	var working sync.WaitGroup
	s.consumer.Began(s.workers)
	for _, w := range s.workers {
		working.Go(func() {
			if err := w.Run(ctx); err != nil {
				broken <- err
				stop()
			}
		})
	}
	working.Go(func() { s.report(ctx, g) })
	err := s.consumer.Client.Fetch(ctx, start, s)
	stop()
	working.Wait()
	s.consumer.Ended()
	close(broken)

	last, done := context.WithTimeout(context.WithoutCancel(ctx), lastReport)
	defer done()
	_ = g.Commit(last, s.offsets()) // for displays only: state has its own
	return errors.Join(err, <-broken)
}

// report commits offsets for lag displays.
func (s *session) report(ctx context.Context, g kafka.Generation) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = g.Commit(ctx, s.offsets())
		}
	}
}

func (s *session) offsets() map[int]int64 {
	next := map[int]int64{}
	for number, w := range s.workers {
		if at := w.applied.Load(); at >= 0 {
			next[number] = at
		}
	}
	return next
}

// Ready, Deliver and Fail make the session the sink of kafka.Fetch.
func (s *session) Ready(partition int) bool {
	return s.workers[partition].room() && !s.consumer.Held(partition)
}

// Deliver queues a batch for its worker.
func (s *session) Deliver(b kafka.Batch) {
	if !b.Log.Topic.Known() && !s.nameless {
		s.nameless = true
		s.consumer.Nameless()
	}
	was, is := s.marks[b.Partition], kafka.Bounds{Start: b.LogStart, End: b.HighWatermark}
	if is.Start >= 0 && is.Start < was.Start || is.End < was.End { // fetch v4 tells no start
		s.consumer.WentBack(b.Partition, was, is)
	}
	s.marks[b.Partition] = is
	if s.fresh[b.Partition] && is.Start > 0 {
		s.consumer.BeganLate(b.Partition, is.Start)
	}
	delete(s.fresh, b.Partition)
	s.workers[b.Partition].offer(b)
}

// Fail passes the bad news on; the other partitions go on.
func (s *session) Fail(partition int, err kafka.Stopped) { s.consumer.Failed(partition, err) }
