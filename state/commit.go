package state

import (
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// flight is a commit under way: what it writes is fixed, and the fold goes on.
type flight struct {
	done    chan error       // one answer
	closed  map[string]*kept // that it writes: the disk may not have them yet
	journal blocks           // the same
	stats   *Stats           // that count with it
	letters int
	next    int64
	took    func() time.Duration
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
	journal := blocks{first: p.journal.next, limit: p.options.pace.block}
	if err := p.fill(txn, c, &journal); err != nil {
		txn.Discard()
		return fmt.Errorf("state: commit partition %d up to offset %d: %w", p.number, p.next, err)
	}
	p.logged += int64(len(c.operations))
	p.letters += int64(len(c.outbox))
	p.heard = false
	p.flight = &flight{done: make(chan error, 1), closed: c.closed, journal: journal, stats: p.fold.stats.clone(), letters: len(c.outbox), next: p.next, took: took}
	p.fold.reset()
	p.fold.tight = p.fold.held > p.budget()
	go func(done chan<- error) { // landed waits for it
		done <- txn.Commit()
		txn.Discard()
	}(p.flight.done)
	return nil
}

// fill puts the changes into a transaction.
func (p *Partition) fill(txn *badger.Txn, c *changes, journal *blocks) error {
	if err := p.fillArchive(txn, c); err != nil {
		return err
	}
	if err := p.fillJournal(txn, c, journal); err != nil {
		return err
	}
	if p.store.config.Volatile {
		return nil
	}
	if err := p.fillErasures(txn, c); err != nil {
		return err
	}
	if len(c.operations) > 0 {
		if err := txn.Set(keyNumber(p.number, 'l', p.logged), p.sealOperations(c.operations)); err != nil {
			return err
		}
	}
	for i := range c.outbox {
		c.outbox[i].Sequence = p.letters + int64(i)
		if err := txn.Set(keyNumber(p.number, 'x', c.outbox[i].Sequence), sealLetter(&c.outbox[i])); err != nil {
			return err
		}
	}
	return p.writeMeta(txn, p.logged+int64(len(c.operations)), p.letters+int64(len(c.outbox)), c.archive.next())
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

// publish makes counters visible to readers; s is not changed any more.
func (p *Partition) publish(s *Stats, next int64) {
	s.Partition, s.Next, s.Outbox = p.number, next, p.outbox.Load()
	p.stats.Store(s)
}
