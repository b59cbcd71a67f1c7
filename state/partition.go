package state

import (
	"fmt"
	"iter"
	"maps"
	"sync/atomic"
	"time"

	"blipd/event"
)

// Options says what a partition goes by.
type Options struct {
	Rules      []Rules // per experiment, names distinct
	Limits     Limits
	NewLedger  NewLedger
	NewLearner NewLearner // nil: no experiment has one
	Letters    bool       // keep dead letters in the outbox

	// Past are the last epochs of experiments in the state that this one is to
	// replace: what has no state yet goes on behind them.
	Past map[string]int64

	// Clock and Committed, unless one is nil, measure how long commits take.
	Clock     func() time.Time
	Committed func(time.Duration)

	pace pace // zero: the defaults; tests make it small
}

// pace is how often and how large things are written. It is free: it changes
// what lies on disk, never what it adds up to.
type pace struct {
	commitBytes int64 // changes from which on a part of a batch is committed
	commitCount int   // the same, in values
	checkpoint  int64 // operations after which ledgers are written; recovery adds at most about that many
	chunk       int   // bytes of a part of them; below what Badger moves to its value log
	block       int   // bytes from which on a block of trajectories is followed by another; below that too
	memory      int64 // bytes of events of open trajectories; 0: from state.memory
	journal     int64 // bytes that the journal may take beyond twice what is alive in it
}

func (a pace) orDefaults(s *Store) pace {
	if a == (pace{}) {
		a = pace{checkpoint: 20_000, chunk: 512 << 10, block: blockSize, journal: 8 << 20}
	}
	if a.commitBytes == 0 { // one event may add values below the threshold of the value log, 1 MiB, and tidy a quarter
		a.commitBytes, a.commitCount = s.db.MaxBatchSize()/8*3, int(s.db.MaxBatchCount()/4)
	}
	return a
}

// Partition is the state of one partition. Not safe for concurrent use: the
// worker that owns it calls it. Stats, Outbox, Delivered and Waiting may be
// called by others at any time.
type Partition struct {
	store   *Store
	number  int
	options Options
	fold    *fold

	next     int64            // offset of the first record not applied; Unknown before any
	log      event.Log        // that next belongs to
	term     int32            // of the log behind the batch in hand
	heard    bool             // log says something that is not on disk and would not be with the next offset
	epochs   []epoch          // per experiment
	parts    [][]part         // per experiment, what its book sums side by side
	retired  map[string]int64 // experiments that are no longer configured: their last epoch
	letters  int64            // ever put into the outbox
	logged   int64            // operations ever logged
	newest   generation
	weight   int64 // bytes of it
	oldest   int64 // no block of the archive has a lower number
	journal  journal
	erasures []erasure // noted on disk

	flight *flight // a commit under way; nil: none

	stats  atomic.Pointer[Stats]
	outbox atomic.Int64 // letters in it, on disk
	unsent atomic.Int64 // letters that are yet to be written to it
	head   atomic.Int64 // none of them has a lower sequence
}

// Unknown is the next offset of a partition that has no state: it starts at
// the log's start.
const Unknown = -1

// epoch is a span with one analysis definition.
type epoch struct {
	number int
	hash   string
	since  int64 // offset of its first record
}

// Next is the offset of the first record that is not yet applied, or Unknown.
func (p *Partition) Next() int64 { return p.next }

// Log is the log that the records come from, as last told.
func (p *Partition) Log() event.Log { return p.log }

// From tells of the log that the next batch is of. It counts with it.
func (p *Partition) From(log event.Log) {
	if log.Topic == ([16]byte{}) { // brokers of today may tell less than those of yesterday
		log.Topic = p.log.Topic
	}
	p.term = log.Term
	if log.Term != p.log.Term {
		log.Term = 0 // within the batch it may be either
	}
	was := p.log
	was.End, was.Term = log.End, log.Term
	p.heard = p.heard || was != log
	p.log = log
}

// Close gives up the partition's memory and its share of what there is. It must
// have committed. Only Stats and Waiting may be called afterwards.
func (p *Partition) Close() {
	p.fold = nil
	p.weigh(0)
	p.store.partitions.Add(-1)
}

// Stats are the counters as of the last commit.
func (p *Partition) Stats() *Stats { return p.stats.Load() }

// Epoch is the number of an experiment's analysis epoch, from 1, and the
// offset at which it began.
func (p *Partition) Epoch(experiment int) (number int, since int64) {
	return p.epochs[experiment].number, p.epochs[experiment].since
}

// Epochs are the numbers of the epochs of all experiments, the last ones of
// those that are no longer configured included.
func (p *Partition) Epochs() map[string]int64 {
	all := maps.Clone(p.retired)
	for x := range p.epochs {
		all[p.options.Rules[x].Experiment.Name] = int64(p.epochs[x].number)
	}
	return all
}

// Apply takes a batch of the log and the offset behind it. Records below Next
// were applied before and have no effect; an entry is used until the next one
// is asked for. What has grown large is committed on the way, while the batch
// goes on; the rest counts with Commit. After an error the partition must not
// be used further.
func (p *Partition) Apply(batch iter.Seq[*event.Entry], next int64) error {
	if err := p.advance(); err != nil { // where a kill has stopped it
		return err
	}
	for e := range batch {
		offset := e.Record.Offset
		if offset < p.next {
			continue
		}
		if err := p.fold.apply(e); err != nil {
			return fmt.Errorf("state: apply offset %d of partition %d: %w", offset, p.number, err)
		}
		p.next = offset + 1
		if err := p.advance(); err != nil {
			return err
		}
		if p.full() {
			if err := p.commit(); err != nil {
				return err
			}
		}
	}
	p.next, p.log.Term = max(p.next, next), p.term
	p.countLetters()
	return nil
}

// Commit returns when everything applied counts.
func (p *Partition) Commit() error {
	if s := p.Stats(); s.Next != p.next || p.heard || p.fold.changes.count() > 0 {
		if err := p.commit(); err != nil {
			return err
		}
	}
	if err := p.landed(); err != nil {
		return err
	}
	p.fold.sleep(p.budget(), p.full)
	if p.store.config.Volatile {
		return nil
	}
	if err := p.eraseExcluded(); err != nil {
		return err
	}
	return p.checkpointIfDue()
}

// budget is how many bytes the events of open trajectories may take here: a
// quarter of state.memory, shared by the partitions that are open. The rest is
// for what stays of those that sleep, ledgers, Badger and the collector.
func (p *Partition) budget() int64 {
	if b := p.options.pace.memory; b > 0 {
		return b
	}
	return p.store.config.Memory / 4 / max(1, p.store.partitions.Load())
}

// Finish is the end of all input: trajectories that only wait out their grace
// close, and every period is complete. What has not its outcomes stays open.
func (p *Partition) Finish() error {
	if err := p.advance(); err != nil {
		return err
	}
	for !p.fold.finish(p.full) {
		if err := p.commit(); err != nil {
			return err
		}
	}
	if p.fold.broken != nil {
		return p.fold.broken
	}
	if err := p.commit(); err != nil {
		return err
	}
	return p.Commit()
}

// advance closes what stream time has passed, in as many commits as it takes.
// A kill between two of them leaves a state in which the next offset is behind
// the record that moved time, and some of what it closes is still open: the
// next Apply goes on with those before it takes a record.
func (p *Partition) advance() error {
	for !p.fold.advance(p.full) {
		if err := p.commit(); err != nil {
			return err
		}
	}
	return p.fold.broken
}

// full tells whether the changes are to be committed before there are more: a
// transaction has a limit, and what one event may add must still fit in.
func (p *Partition) full() bool {
	c, pace := &p.fold.changes, &p.options.pace
	return int64(c.size) > pace.commitBytes || c.count() > pace.commitCount
}

// Ledgers are copies of the sums of all that has closed, and of complete
// periods only: first the one with everything, then those of policies that came
// later. Every partition of a Store has the same.
func (p *Partition) Ledgers(experiment int) (closed, complete []Ledger) {
	return p.fold.books[experiment].copies()
}
