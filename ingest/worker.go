package ingest

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"blipd/event"
	"blipd/ingest/kafka"
)

// Partition is the state that a worker brings the log to.
type Partition interface {
	Applier
	// Next is the offset of the first record not applied; below 0: start at the
	// log's start.
	Next() int64
	// Log is the log that what was applied came from.
	Log() event.Log
	// From is told of the log before a batch of it is applied.
	From(log event.Log)
}

// Applier takes records.
type Applier interface {
	// Apply applies a batch and the offset behind it; an entry is used until the
	// next one is asked for.
	Apply(batch iter.Seq[*event.Entry], next int64) error
	// Commit returns when all that was applied counts.
	Commit() error
}

// commitEvery is how long what was applied may wait to count while there is
// more to apply: the transaction is larger, and a trajectory that is touched
// several times is written once.
const commitEvery = 250 * time.Millisecond

// pausedEvery is how often a worker that is paused asks whether it still is.
const pausedEvery = 100 * time.Millisecond

// queued is how many fetched batches may wait for a worker: one in hand, one to
// go on with. With the fetch size it bounds the memory of a partition.
const queued = 2

// ErrStopped is the error of a call to a worker that has stopped.
var ErrStopped = errors.New("ingest: the worker of this partition has stopped")

// Worker is the goroutine that owns a partition.
type Worker struct {
	reader    reader
	partition Partition
	queue     chan kafka.Batch
	calls     chan func()
	done      chan struct{}
	taken     func() // called when the queue has room again
	paused    func() bool

	end     atomic.Int64 // end of the log when last heard of; -1 before
	applied atomic.Int64 // next offset of the partition, as far as it counts
	named   atomic.Bool  // the cluster has told the id of the topic

	since atomic.Pointer[time.Time] // when what is in hand was taken up; nil: nothing is
}

// NewWorker makes the worker of a partition. taken, unless nil, is called
// whenever the worker takes a batch. While paused, unless nil, says so, what was
// applied is committed and nothing more is applied; calls go on.
func NewWorker(decoder event.Decoder, partition Partition, taken func(), paused func() bool) *Worker {
	if paused == nil {
		paused = func() bool { return false }
	}
	w := &Worker{reader: newReader(decoder), partition: partition, taken: taken, paused: paused,
		queue: make(chan kafka.Batch, queued), calls: make(chan func()), done: make(chan struct{})}
	w.end.Store(-1)
	w.applied.Store(partition.Next())
	return w
}

// Run works until ctx ends, then commits behind the batch in hand and returns
// nil. An error is one of the partition, which must not be used further.
func (w *Worker) Run(ctx context.Context) error {
	defer close(w.done)
	committed := time.Now()
	defer w.since.Store(nil)
	for ctx.Err() == nil {
		w.since.Store(nil)
		select {
		case <-ctx.Done():
		case call := <-w.calls:
			w.begin()
			call()
		case batch := <-w.queue:
			if w.taken != nil {
				w.taken()
			}
			if goOn, err := w.wait(ctx); err != nil {
				return err
			} else if !goOn {
				continue // the batch was not applied: it will be read again
			}
			w.begin()
			w.partition.From(event.Log{Topic: batch.Log.Topic, Partitions: batch.Log.Partitions, Term: batch.Term, Start: batch.LogStart, End: batch.HighWatermark})
			if err := w.partition.Apply(w.read(batch.Records), batch.Next); err != nil {
				return err
			}
			if len(w.queue) > 0 && time.Since(committed) < commitEvery {
				continue
			}
			if err := w.commit(); err != nil {
				return err
			}
			committed = time.Now()
		}
	}
	w.begin()
	return w.commit()
}

// begin notes that something is taken up.
func (w *Worker) begin() {
	now := time.Now()
	w.since.Store(&now)
}

// Since is when the worker took up what it has in hand: a batch with its commit, or
// a call. It is zero while it has nothing, and while it waits.
func (w *Worker) Since() time.Time {
	if at := w.since.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// wait returns when the worker is not paused, at once as a rule; goOn is false when
// ctx has ended first. What was applied before is committed meanwhile.
func (w *Worker) wait(ctx context.Context) (goOn bool, err error) {
	for first := true; w.paused(); first = false {
		if first {
			w.begin()
			if err := w.commit(); err != nil {
				return false, err
			}
		}
		w.since.Store(nil)
		select {
		case <-ctx.Done():
			return false, nil
		case call := <-w.calls:
			w.begin()
			call()
		case <-time.After(pausedEvery):
		}
	}
	return true, nil
}

func (w *Worker) commit() error {
	err := w.partition.Commit()
	if err == nil {
		w.applied.Store(w.partition.Next())
	}
	return err
}

// Do runs call in the worker's goroutine, between two batches: it may use the
// partition. The error is ErrStopped or that of ctx.
func (w *Worker) Do(ctx context.Context, call func()) error {
	ran := make(chan struct{})
	select {
	case w.calls <- func() { defer close(ran); call() }:
	case <-w.done:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	<-ran
	return nil
}

// Lag is the number of records between what is applied and the end of the log,
// 0 when that is not known.
func (w *Worker) Lag() int64 { return max(0, w.end.Load()-max(0, w.applied.Load())) }

// EndsAt tells of the end of the log while the partition is not fed, and so hears
// of no end itself.
func (w *Worker) EndsAt(end int64) { w.end.Store(end) }

// Heard tells whether the log was heard of at all: then Lag is known.
func (w *Worker) Heard() bool { return w.end.Load() >= 0 }

// Named tells whether the cluster tells the topic's id; without, one that was made
// anew may be taken for the one before.
func (w *Worker) Named() bool { return w.named.Load() }

// room tells whether the queue takes one more batch.
func (w *Worker) room() bool { return len(w.queue) < cap(w.queue) }

// offer queues a batch; there must be room.
func (w *Worker) offer(batch kafka.Batch) {
	w.named.Store(batch.Log.Topic.Known())
	w.end.Store(batch.HighWatermark)
	w.queue <- batch
}

// read decodes records one by one, or says of each why not.
func (w *Worker) read(records []kafka.Record) iter.Seq[*event.Entry] {
	return func(yield func(*event.Entry) bool) {
		for i := range records {
			if !yield(w.reader.read(recordOf(&records[i]))) {
				return
			}
		}
	}
}

// reader decodes records into an entry that it uses again.
type reader struct {
	decoder *event.Reader
	entry   event.Entry
}

func newReader(d event.Decoder) reader { return reader{decoder: event.NewReader(d)} }

func (r *reader) read(record event.Record) *event.Entry {
	r.entry.Record = record
	r.entry.Fault = r.decoder.Read(record, &r.entry.Event)
	r.entry.Ignored = r.decoder.Ignored()
	return &r.entry
}

func recordOf(r *kafka.Record) event.Record {
	record := event.Record{Offset: r.Offset, Key: r.Key, Value: r.Value}
	for _, h := range r.Headers {
		record.Headers = append(record.Headers, event.Header(h))
	}
	return record
}
