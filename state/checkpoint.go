package state

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// generation points to a whole set of ledger bytes: chunks of generation
// number, holding everything up to operation logged.
type generation struct {
	number int64
	chunks int64
	logged int64
}

const (
	chunkSize       = 512 << 10 // below what Badger moves to its value log
	checkpointEvery = 20_000    // operations; recovery adds at most about that many
)

// checkpointIfDue writes the ledgers when the log behind them has grown long.
// When it does is free; what it writes is not.
func (p *Partition) checkpointIfDue() error {
	if p.logged-p.newest.logged < checkpointEvery {
		return nil
	}
	return p.checkpoint()
}

// checkpoint writes the ledgers under a new generation, then points to it and
// writes the counters in one transaction, then gives up what came before. A
// kill in between leaves the last whole generation and its log.
func (p *Partition) checkpoint() error {
	bytes, err := p.packBooks()
	if err != nil {
		return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
	}
	next := generation{number: p.newest.number + 1, logged: p.logged}
	for ; len(bytes) > 0; next.chunks++ {
		n := min(chunkSize, len(bytes))
		chunk := seal(func(w *pack.Writer) { w.Bytes(bytes[:n]) })
		bytes = bytes[n:]
		if err := p.store.set(keyNumber(p.number, 'k', next.number, next.chunks), chunk); err != nil {
			return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
		}
	}
	err = p.store.db.Update(func(txn *badger.Txn) error {
		if err := p.writeMeta(txn, p.logged, p.letters); err != nil {
			return err
		}
		return txn.Set(key(p.number, 'g'), seal(func(w *pack.Writer) {
			w.Ints([]int64{next.number, next.chunks, next.logged})
		}))
	})
	if err != nil {
		return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
	}
	p.newest = next
	return p.sweep()
}

// sweep deletes the chunks of all generations but the newest and the log
// before it.
func (p *Partition) sweep() error {
	var dead [][]byte
	collect := func(kind byte, below int64, number func([]byte) int64, other bool) error {
		prefix := key(p.number, kind)
		return p.store.each(prefix, prefix, func(k, _ []byte) (bool, error) {
			n := number(k)
			if n < below || other && n > below {
				dead = append(dead, append([]byte(nil), k...))
			}
			return other || n < below, nil
		})
	}
	generationOf := func(k []byte) int64 { return numberOf(k[:len(k)-8]) }
	if err := collect('k', p.newest.number, generationOf, true); err != nil {
		return fmt.Errorf("state: sweep partition %d: %w", p.number, err)
	}
	if err := collect('l', p.newest.logged, numberOf, false); err != nil {
		return fmt.Errorf("state: sweep partition %d: %w", p.number, err)
	}
	return p.store.remove(dead)
}

// packBooks writes all ledgers with the names and definitions they belong to.
func (p *Partition) packBooks() ([]byte, error) {
	var w pack.Writer
	w.Int(int64(len(p.fold.books)))
	for x := range p.fold.books {
		b := &p.fold.books[x]
		w.Text(p.options.Rules[x].Experiment.Name)
		w.Int(b.done)
		if err := packLedger(&w, b.total); err != nil {
			return nil, err
		}
		summed := 0
		for i := range b.periods {
			if b.periods[i].ledger != nil {
				summed++
			}
		}
		w.Int(int64(summed))
		for i := range b.periods {
			if l := b.periods[i].ledger; l != nil {
				w.Int(b.periods[i].number)
				if err := packLedger(&w, l); err != nil {
					return nil, err
				}
			}
		}
	}
	return w.B, nil
}

func packLedger(w *pack.Writer, l Ledger) error {
	bytes, err := l.AppendBinary(nil)
	w.Bytes(bytes)
	return err
}

func (s *Store) set(key, value []byte) error {
	return s.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
}

// remove deletes keys, a bounded number in each transaction.
func (s *Store) remove(keys [][]byte) error {
	for len(keys) > 0 {
		n := min(10_000, len(keys))
		err := s.db.Update(func(txn *badger.Txn) error {
			for _, k := range keys[:n] {
				if err := txn.Delete(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("state: delete %d keys: %w", n, err)
		}
		keys = keys[n:]
	}
	return nil
}
