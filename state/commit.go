package state

import (
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// commit writes the changes, the counters and the offset in one transaction.
func (p *Partition) commit() error {
	timed := p.options.Clock != nil && p.options.Committed != nil
	var begun time.Time
	if timed {
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
	if timed {
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

// publish makes the counters visible to readers.
func (p *Partition) publish() {
	s := p.fold.stats.clone()
	s.Partition, s.Next, s.Outbox = p.number, p.next, p.outbox.Load()
	p.stats.Store(s)
}

// recall reads a closed trajectory that is still on disk.
func (p *Partition) recall(id string) (*kept, error) {
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
		k, err := p.recall(id)
		if err != nil {
			return false, err
		}
		if k != nil && k.order != number {
			k = nil
		}
		return visit(number, id, k)
	})
}
