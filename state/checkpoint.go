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

// checkpointIfDue writes the ledgers when the log behind them has grown long.
// When it does is free; what it writes is not.
func (p *Partition) checkpointIfDue() error {
	if p.logged-p.newest.logged < p.options.pace.checkpoint {
		return nil
	}
	if err := p.checkpoint(); err != nil {
		return err
	}
	return p.prune()
}

// checkpoint writes the ledgers under a new generation, then points to it and
// writes the counters in one transaction, then gives up what came before. A
// kill in between leaves the last whole generation and its log.
func (p *Partition) checkpoint() error {
	bytes, err := p.packBooks()
	if err != nil {
		return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
	}
	size, next := len(bytes), generation{number: p.newest.number + 1, logged: p.logged}
	for ; len(bytes) > 0; next.chunks++ {
		n := min(p.options.pace.chunk, len(bytes))
		chunk := seal(func(w *pack.Writer) { w.Bytes(bytes[:n]) })
		bytes = bytes[n:]
		if err := p.store.set(keyNumber(p.number, 'k', next.number, next.chunks), chunk); err != nil {
			return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
		}
	}
	err = p.store.db.Update(func(txn *badger.Txn) error {
		if err := p.writeMeta(txn, p.logged, p.letters, p.fold.changes.archive.first); err != nil {
			return err
		}
		return txn.Set(key(p.number, 'g'), seal(func(w *pack.Writer) {
			w.Ints([]int64{next.number, next.chunks, next.logged})
		}))
	})
	if err != nil {
		return fmt.Errorf("state: checkpoint partition %d: %w", p.number, err)
	}
	old := p.newest
	p.newest = next
	p.weigh(size)
	return p.sweep(old)
}

// sweep deletes the chunks of all generations but the newest, from old on, and
// the log from where old ends to where the newest does.
func (p *Partition) sweep(old generation) error {
	var dead [][]byte
	collect := func(k []byte) { dead = append(dead, append([]byte(nil), k...)) }
	err := p.store.eachKey(key(p.number, 'k'), keyNumber(p.number, 'k', old.number), func(k []byte) bool {
		if numberOf(k[:len(k)-8]) != p.newest.number {
			collect(k)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("state: sweep partition %d: %w", p.number, err)
	}
	err = p.store.eachKey(key(p.number, 'l'), keyNumber(p.number, 'l', old.logged), func(k []byte) bool {
		if numberOf(k) >= p.newest.logged {
			return false
		}
		collect(k)
		return true
	})
	if err != nil {
		return fmt.Errorf("state: sweep partition %d: %w", p.number, err)
	}
	if err := p.store.remove(dead); err != nil {
		return err
	}
	return p.store.reclaim()
}

// packBooks writes all ledgers with the names and definitions they belong to.
func (p *Partition) packBooks() ([]byte, error) {
	var w pack.Writer
	w.Int(int64(len(p.fold.books)))
	for x := range p.fold.books {
		b := &p.fold.books[x]
		w.Text(p.options.Rules[x].Experiment.Name)
		w.Int(b.done)
		w.Int(int64(len(b.total)))
		if err := packLedgers(&w, b.total); err != nil {
			return nil, err
		}
		var learned []byte
		if l := p.fold.learn[x]; l != nil {
			var err error
			if learned, err = l.AppendBinary(nil); err != nil {
				return nil, err
			}
		}
		w.Bytes(learned)
		summed := 0
		for i := range b.periods {
			if b.periods[i].sums != nil {
				summed++
			}
		}
		w.Int(int64(summed))
		for i := range b.periods {
			if l := b.periods[i].sums; l != nil {
				w.Int(b.periods[i].number)
				if err := packLedgers(&w, l); err != nil {
					return nil, err
				}
			}
		}
	}
	return w.B, nil
}

// packLedgers writes one for each part; which these are, the counters tell.
func packLedgers(w *pack.Writer, all ledgers) error {
	for _, l := range all {
		bytes, err := l.AppendBinary(nil)
		if err != nil {
			return err
		}
		w.Bytes(bytes)
	}
	return nil
}
