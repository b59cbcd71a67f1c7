package state

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// What is excluded is erased from disk behind the commit that excludes it: from the
// archive, where each version of a trajectory knows where the one before lies, and
// from the journal. Until then the commit has noted what is to go, so a kill delays
// it only. An entry that is erased keeps its size and holds zeros; Badger's files
// lose what it was when they are next compacted.

// fillErasures notes in a transaction what is to be erased behind it.
func (p *Partition) fillErasures(txn *badger.Txn, c *changes) error {
	for _, e := range c.erasures {
		if err := txn.Set(keyID(p.number, 'e', e.id), sealPlace(e.at)); err != nil {
			return err
		}
	}
	p.erasures = append(p.erasures, c.erasures...)
	return nil
}

// restoreErasures finds what a kill has left to be erased.
func (p *Partition) restoreErasures() error {
	prefix := key(p.number, 'e')
	return p.store.each(prefix, prefix, func(k, value []byte) (bool, error) {
		e := erasure{id: string(k[len(prefix):])}
		err := unseal("what is to be erased", value, func(r *pack.Reader) { e.at = place{r.Int(), r.Int()} })
		p.erasures = append(p.erasures, e)
		return true, err
	})
}

// eraseExcluded erases what is to go. It must run when everything is on disk. First
// the ledgers are written: recovery then reads no trajectory that is logged before.
func (p *Partition) eraseExcluded() error {
	if len(p.erasures) == 0 {
		return nil
	}
	if p.logged > p.newest.logged {
		if err := p.checkpoint(); err != nil {
			return err
		}
	}
	ids := map[string]bool{}
	var done [][]byte
	for _, e := range p.erasures {
		if err := p.eraseVersions(e); err != nil {
			return fmt.Errorf("state: erase a trajectory of partition %d: %w", p.number, err)
		}
		ids[e.id] = true
		done = append(done, keyID(p.number, 'e', e.id))
	}
	if err := p.eraseFromJournal(ids); err != nil {
		return fmt.Errorf("state: erase %d trajectories from the journal of partition %d: %w", len(ids), p.number, err)
	}
	p.erasures = nil
	return p.store.remove(done)
}

// eraseVersions erases all that the archive has of a trajectory, the oldest first:
// the next one still tells where, should this be cut short.
func (p *Partition) eraseVersions(e erasure) error {
	var versions []place
	for at := e.at; at != noPlace; {
		var k kept
		what := fmt.Sprintf("block %d of the archive", at.block)
		err := p.store.value(keyNumber(p.number, 'a', at.block), what, func(block []byte) error {
			sealed, _, err := entryAt(block, at.offset)
			if err != nil || isBlank(sealed) {
				return err
			}
			return unseal(what, sealed, k.unpack)
		})
		if err != nil && !isAbsent(err) {
			return err
		}
		if k.ID != e.id { // forgotten with its block, or erased before a kill
			break
		}
		versions = append(versions, at)
		at = k.before
	}
	for i := len(versions) - 1; i >= 0; i-- {
		at := versions[i]
		err := p.rewrite('a', at.block, func(block []byte) (bool, error) {
			sealed, _, err := entryAt(block, at.offset)
			if err == nil {
				blank(sealed)
			}
			return true, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseFromJournal erases what the journal has of trajectories. Since one was
// excluded and forgotten, its name may have come again: what lies behind is another's.
func (p *Partition) eraseFromJournal(ids map[string]bool) error {
	for number := p.journal.first; number < p.journal.next; number++ {
		err := p.rewrite('j', number, func(block []byte) (changed bool, err error) {
			err = eachEntry(number, block, func(at place, sealed []byte) error {
				r := pack.Reader{B: sealed[1:]}
				if r.Byte() != entryOpen {
					return nil
				}
				id := r.Raw()
				if !ids[string(id)] {
					return nil
				}
				if again := p.fold.open[string(id)]; again == nil || !again.written || at.before(again.at) {
					blank(sealed)
					changed = true
				}
				return nil
			})
			return changed, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrite changes a copy of a block, and writes it when change says so.
func (p *Partition) rewrite(kind byte, number int64, change func(block []byte) (bool, error)) error {
	at := keyNumber(p.number, kind, number)
	var copied []byte
	err := p.store.value(at, fmt.Sprintf("block %d", number), func(block []byte) error {
		copied = append(copied, block...)
		return nil
	})
	if err != nil {
		return err
	}
	if changed, err := change(copied); err != nil || !changed {
		return err
	}
	return p.store.set(at, copied)
}
