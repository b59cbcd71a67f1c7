package state

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
	"blipd/event/pack"
)

// Options says what a partition goes by.
type Options struct {
	Rules     []Rules // per experiment, names distinct
	Limits    Limits
	NewLedger NewLedger
	Letters   bool // keep dead letters in the outbox

	// Clock and Committed, unless nil, measure how long commits take.
	Clock     func() time.Time
	Committed func(time.Duration)
}

// Partition is the state of one partition. Not safe for concurrent use: the
// worker that owns it calls it. Stats, Outbox and Delivered may be called by
// others at any time.
type Partition struct {
	store   *Store
	number  int
	options Options
	fold    *fold

	next    int64   // offset of the first record not applied; Unknown before any
	epochs  []epoch // per experiment
	letters int64   // ever put into the outbox
	logged  int64   // operations ever logged
	newest  generation
	prune   int64 // closings at which to look for what is no longer kept

	stats  atomic.Pointer[Stats]
	outbox atomic.Int64 // letters in it
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

// Stats are the counters as of the last commit.
func (p *Partition) Stats() *Stats { return p.stats.Load() }

// Epoch is the number of an experiment's analysis epoch, from 1, and the
// offset at which it began.
func (p *Partition) Epoch(experiment int) (number int, since int64) {
	return p.epochs[experiment].number, p.epochs[experiment].since
}

// Apply takes a batch of the log and returns when it is committed together
// with next, the offset behind it. Records below Next were applied before and
// have no effect. A large batch is committed in several parts, each with its
// own offset. After an error the partition must not be used further.
func (p *Partition) Apply(batch []event.Entry, next int64) error {
	bytes, count := p.store.db.MaxBatchSize()/2, int(p.store.db.MaxBatchCount()/4)
	for i := range batch {
		offset := batch[i].Record.Offset
		if offset < p.next {
			continue
		}
		if err := p.fold.apply(&batch[i]); err != nil {
			return fmt.Errorf("state: apply offset %d of partition %d: %w", offset, p.number, err)
		}
		p.next = offset + 1
		c := &p.fold.changes
		if int64(c.size) > bytes || len(c.trajectories)+len(c.operations)+len(c.outbox) > count {
			if err := p.commit(); err != nil {
				return err
			}
		}
	}
	p.next = max(p.next, next)
	if err := p.commit(); err != nil {
		return err
	}
	if err := p.pruneIfDue(); err != nil {
		return err
	}
	return p.checkpointIfDue()
}

// Finish is the end of all input: trajectories that only wait out their grace
// close, and every period is complete. What has not its outcomes stays open.
func (p *Partition) Finish() error {
	p.fold.finish()
	return p.commit()
}

// Ledgers are copies of the sums of all that has closed, and of complete
// periods only.
func (p *Partition) Ledgers(experiment int) (closed, complete Ledger) {
	return p.fold.books[experiment].copies()
}

// commit writes the changes, the counters and the offset in one transaction.
func (p *Partition) commit() error {
	var begun time.Time
	if p.options.Clock != nil {
		begun = p.options.Clock()
	}
	c := &p.fold.changes
	err := p.store.db.Update(func(txn *badger.Txn) error {
		for id, k := range c.trajectories {
			if err := p.write(txn, id, k); err != nil {
				return err
			}
		}
		for i := range c.operations {
			if err := txn.Set(keyNumber(p.number, 'l', p.logged+int64(i)), p.sealOperation(&c.operations[i])); err != nil {
				return err
			}
		}
		for i := range c.outbox {
			c.outbox[i].Sequence = p.letters + int64(i)
			if err := txn.Set(keyNumber(p.number, 'x', c.outbox[i].Sequence), sealLetter(&c.outbox[i])); err != nil {
				return err
			}
		}
		return p.writeMeta(txn, p.logged+int64(len(c.operations)), p.letters+int64(len(c.outbox)))
	})
	if err != nil {
		return fmt.Errorf("state: commit partition %d up to offset %d: %w", p.number, p.next, err)
	}
	p.logged += int64(len(c.operations))
	p.letters += int64(len(c.outbox))
	p.outbox.Add(int64(len(c.outbox)))
	p.fold.reset()
	p.publish()
	if p.options.Committed != nil {
		p.options.Committed(p.options.Clock().Sub(begun))
	}
	return nil
}

// write writes one changed trajectory, under the key of its phase.
func (p *Partition) write(txn *badger.Txn, id string, k *kept) error {
	if k == nil || k.phase == phaseClosed {
		if k == nil || k.written {
			if err := txn.Delete(keyID(p.number, 'o', id)); err != nil {
				return err
			}
		}
		if k == nil {
			return nil
		}
		if err := txn.Set(keyNumber(p.number, 'i', k.order), []byte(id)); err != nil {
			return err
		}
		return txn.Set(keyID(p.number, 'c', id), seal(k.pack))
	}
	k.written = true
	return txn.Set(keyID(p.number, 'o', id), seal(k.pack))
}

// publish makes the counters visible to readers.
func (p *Partition) publish() {
	s := p.fold.stats.clone()
	s.Partition, s.Next, s.Outbox = p.number, p.next, p.outbox.Load()
	p.stats.Store(s)
}

// recall reads a closed trajectory that is still on disk.
func (p *Partition) recall(id string) (*kept, error) {
	k := &kept{}
	err := p.store.read(keyID(p.number, 'c', id), fmt.Sprintf("closed trajectory %q of partition %d", id, p.number), func(r *pack.Reader) { k.unpack(r) })
	switch {
	case isAbsent(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return k, nil
}

// sealOperation names the experiment: its place may change, its name not.
func (p *Partition) sealOperation(op *operation) []byte {
	return seal(func(w *pack.Writer) {
		w.Byte(byte(op.kind))
		w.Text(p.options.Rules[op.experiment].Experiment.Name)
		w.Int(op.period)
		w.Bytes(op.trajectory)
	})
}
