package state

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// outboxBytes is the size from which on Outbox reads no further letter.
const outboxBytes = 8 << 20

// Outbox reads up to most letters, the oldest first, fewer where they are
// large. Whoever sends them says
// so with Delivered: until then they are read again, also after a restart.
func (p *Partition) Outbox(most int) ([]Letter, error) {
	var letters []Letter
	size := 0
	err := p.store.each(key(p.number, 'x'), keyNumber(p.number, 'x', p.head.Load()), func(k, value []byte) (bool, error) {
		l := Letter{Sequence: numberOf(k)}
		what := fmt.Sprintf("letter %d in the outbox of partition %d", l.Sequence, p.number)
		err := unseal(what, value, func(r *pack.Reader) {
			l.Key, l.Value, l.Headers = r.Bytes(), r.Bytes(), unpackHeaders(r)
		})
		letters = append(letters, l)
		size += len(value)
		return len(letters) < most && size < outboxBytes, err
	})
	if err != nil {
		return nil, fmt.Errorf("state: read outbox: %w", err)
	}
	if len(letters) > 0 {
		p.head.Store(letters[0].Sequence)
	}
	return letters, nil
}

// Delivered takes letters out of the outbox: they have been sent, or never can be.
func (p *Partition) Delivered(letters []Letter) error {
	err := p.store.db.Update(func(txn *badger.Txn) error {
		for _, l := range letters {
			if err := txn.Delete(keyNumber(p.number, 'x', l.Sequence)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("state: take %d letters out of the outbox of partition %d: %w", len(letters), p.number, err)
	}
	p.outbox.Add(-int64(len(letters)))
	return nil
}

// Adopt takes over what waits in the outbox of old, the same partition of the
// state that this one is to replace, where nothing was put into an outbox. Both
// must have committed.
func (p *Partition) Adopt(old *Partition) error {
	batch := p.store.db.NewWriteBatch()
	defer batch.Cancel()
	n, prefix := int64(0), key(p.number, 'x')
	err := old.store.each(prefix, prefix, func(k, value []byte) (bool, error) {
		n++
		return true, batch.Set(bytes.Clone(k), bytes.Clone(value))
	})
	if err == nil {
		err = batch.Flush()
	}
	if err != nil {
		return fmt.Errorf("state: take over the outbox of partition %d: %w", p.number, err)
	}
	p.letters, p.heard = old.letters, true
	p.outbox.Store(n)
	return p.Commit()
}

// Waiting is the number of letters that are to be sent, as of now: those in the
// outbox, and those that a commit is yet to put there.
func (p *Partition) Waiting() int64 { return p.outbox.Load() + p.unsent.Load() }

// countLetters notes how many letters are not in the outbox yet.
func (p *Partition) countLetters() {
	n := len(p.fold.changes.outbox)
	if p.flight != nil {
		n += p.flight.letters
	}
	p.unsent.Store(int64(n))
}

func sealLetter(l *Letter) []byte {
	return seal(func(w *pack.Writer) {
		w.Bytes(l.Key)
		w.Bytes(l.Value)
		packHeaders(w, l.Headers)
	})
}

func isAbsent(err error) bool { return errors.Is(err, badger.ErrKeyNotFound) }
