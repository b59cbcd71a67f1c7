package state

import (
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
	"blipd/event/pack"
)

// flight is a commit under way: what it writes is fixed, and the fold goes on.
type flight struct {
	done         chan error       // one answer
	trajectories map[string]*kept // that it writes: the disk may not have them yet
	stats        *Stats           // that count with it
	letters      int
	next         int64
	took         func() time.Duration
}

// commit begins to write the changes, the counters and the offset in one
// transaction, once the one before it has landed. There is never more than one
// under way: offsets count in their order.
func (p *Partition) commit() error {
	if err := p.landed(); err != nil {
		return err
	}
	took := func() time.Duration { return 0 }
	if p.options.Clock != nil {
		begun := p.options.Clock()
		took = func() time.Duration { return p.options.Clock().Sub(begun) }
	}
	c := &p.fold.changes
	txn := p.store.db.NewTransaction(true)
	if err := p.fill(txn, c); err != nil {
		txn.Discard()
		return fmt.Errorf("state: commit partition %d up to offset %d: %w", p.number, p.next, err)
	}
	p.logged += int64(len(c.operations))
	p.letters += int64(len(c.outbox))
	p.flight = &flight{done: make(chan error, 1), trajectories: c.trajectories, stats: p.fold.stats.clone(), letters: len(c.outbox), next: p.next, took: took}
	p.fold.reset()
	go func(done chan<- error) { // landed waits for it
		done <- txn.Commit()
		txn.Discard()
	}(p.flight.done)
	return nil
}

// fill puts the changes into a transaction.
func (p *Partition) fill(txn *badger.Txn, c *changes) error {
	volatile := p.store.config.Volatile
	for id, k := range c.trajectories {
		if volatile && k != nil && k.phase != phaseClosed && p.fold.held <= p.budget()/2 {
			continue // no need to sleep yet
		}
		if err := p.write(txn, id, k); err != nil {
			return err
		}
	}
	if volatile {
		return nil
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
}

// landed waits for the commit under way, if there is one: what it wrote counts
// now, and readers see its counters.
func (p *Partition) landed() error {
	f := p.flight
	if f == nil {
		return nil
	}
	p.flight = nil
	if err := <-f.done; err != nil {
		return fmt.Errorf("state: commit partition %d up to offset %d: %w", p.number, f.next, err)
	}
	p.outbox.Add(int64(f.letters))
	p.countLetters()
	p.publish(f.stats, f.next)
	if p.options.Clock != nil && p.options.Committed != nil {
		p.options.Committed(f.took())
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
		if err := txn.Set(keyNumber(p.number, 'i', k.order), seal(func(w *pack.Writer) { w.Text(id) })); err != nil {
			return err
		}
		return txn.Set(keyID(p.number, 'c', id), seal(k.pack))
	}
	k.written = true
	return txn.Set(keyID(p.number, 'o', id), seal(k.pack))
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

// publish makes counters visible to readers; s is not changed any more.
func (p *Partition) publish(s *Stats, next int64) {
	s.Partition, s.Next, s.Outbox = p.number, next, p.outbox.Load()
	p.stats.Store(s)
}

// recall finds a closed trajectory that is not in the fold's changes: in the
// commit under way, or on disk.
func (p *Partition) recall(id string) (*kept, error) {
	if p.flight != nil {
		if k, known := p.flight.trajectories[id]; known {
			return k, nil
		}
	}
	return p.read(id)
}

// read reads a closed trajectory that is on disk, nil where none is.
func (p *Partition) read(id string) (*kept, error) {
	k := &kept{}
	err := p.store.read(keyID(p.number, 'c', id), fmt.Sprintf("closed trajectory %q of partition %d", id, p.number), k.unpack)
	switch {
	case isAbsent(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return k, nil
}

// reload reads the events of an open trajectory that is on disk.
func (p *Partition) reload(id string) (event.Packed, error) {
	k := &kept{}
	err := p.store.read(keyID(p.number, 'o', id), fmt.Sprintf("open trajectory %q of partition %d", id, p.number), k.unpack)
	if isAbsent(err) {
		return nil, damaged("open trajectory %q of partition %d is missing", id, p.number)
	}
	return k.packed, err
}

// eachClosed visits the closings from number on, in their order: the id, and
// its trajectory where that is the one that closed then; nil where the id was
// used again, or is gone.
func (p *Partition) eachClosed(number int64, visit func(number int64, id string, k *kept) (more bool, err error)) error {
	return p.store.each(key(p.number, 'i'), keyNumber(p.number, 'i', number), func(at, value []byte) (bool, error) {
		number, id := numberOf(at), ""
		err := unseal(fmt.Sprintf("closing %d of partition %d", number, p.number), value, func(r *pack.Reader) { id = r.Text() })
		if err != nil {
			return false, err
		}
		k, err := p.read(id)
		if err != nil {
			return false, err
		}
		if k != nil && k.order != number {
			k = nil
		}
		return visit(number, id, k)
	})
}
