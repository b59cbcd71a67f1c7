package state

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// The archive holds closed trajectories as each was counted: whole, one behind
// the other, never changed. One that changes after it closed is there once more,
// behind; the index knows the last. The log of operations on ledgers points here.

// fillArchive puts the closed trajectories into a transaction.
func (p *Partition) fillArchive(txn *badger.Txn, c *changes) error {
	for i, block := range c.archive.values {
		if err := txn.Set(keyNumber(p.number, 'a', c.archive.first+int64(i)), block); err != nil {
			return err
		}
	}
	for id, k := range c.closed {
		if err := txn.Set(keyID(p.number, 'c', id), sealPlace(k.at)); err != nil {
			return err
		}
	}
	return nil
}

func sealPlace(at place) []byte {
	return seal(func(w *pack.Writer) { w.Ints([]int64{at.block, at.offset}) })
}

// recall finds a closed trajectory that is not in the fold's changes: in the
// commit under way, or on disk.
func (p *Partition) recall(id string) (*kept, error) {
	if p.flight != nil {
		if k := p.flight.closed[id]; k != nil {
			return k, nil
		}
	}
	at, found, err := p.index(id)
	if err != nil || !found {
		return nil, err
	}
	return p.readClosed(at, fmt.Sprintf("a closed trajectory of partition %d, in block %d", p.number, at.block))
}

// index is where a closed trajectory lies that is on disk.
func (p *Partition) index(id string) (at place, found bool, err error) {
	err = p.store.read(keyID(p.number, 'c', id), fmt.Sprintf("the place of a closed trajectory of partition %d", p.number), func(r *pack.Reader) {
		at = place{r.Int(), r.Int()}
	})
	if isAbsent(err) {
		return place{}, false, nil
	}
	return at, err == nil, err
}

// readClosed reads what lies in the archive.
func (p *Partition) readClosed(at place, what string) (*kept, error) {
	k := &kept{at: at, left: true}
	err := p.readEntry('a', at, what, k.unpack)
	if isAbsent(err) {
		return nil, damaged("%s is missing: block %d of the archive is not there", what, at.block)
	}
	if err == nil && !p.fold.sound(k.packed) {
		err = foreign("%s cannot be unpacked", what)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// eachClosed visits the closed trajectories that are kept, each as it last was,
// in the order in which they closed or changed.
func (p *Partition) eachClosed(visit func(k *kept) error) error {
	return p.eachBlock('a', 0, func(number int64, block []byte) (bool, error) {
		return true, eachEntry(number, block, func(at place, sealed []byte) error {
			k := &kept{at: at, left: true}
			if err := unseal(fmt.Sprintf("block %d of the archive of partition %d", number, p.number), sealed, k.unpack); err != nil {
				return err
			}
			if !p.fold.sound(k.packed) {
				return foreign("a trajectory in block %d of the archive of partition %d cannot be unpacked", number, p.number)
			}
			last, found, err := p.index(k.ID)
			if err != nil || !found || last != at || p.fold.forgotten(k) {
				return err
			}
			return visit(k)
		})
	})
}

// prune gives up what is no longer kept, the oldest first, a bounded part of it
// each time. When it does is free: that closed trajectories are gone is a matter
// of stream time. It must run when no operation is logged that a checkpoint does
// not hold: recovery would look for its trajectory.
func (p *Partition) prune() error {
	var dead [][]byte
	err := p.eachBlock('a', p.oldest, func(number int64, block []byte) (bool, error) {
		here := len(dead)
		kept, err := p.pruneBlock(number, block, &dead)
		if err != nil || kept {
			dead = dead[:here]
			return false, err
		}
		dead = append(dead, keyNumber(p.number, 'a', number))
		p.oldest = number + 1 // seeking there does not pass over all that was ever deleted
		return int64(len(dead)) < 4*p.options.pace.checkpoint, nil
	})
	if err != nil {
		return fmt.Errorf("state: prune partition %d: %w", p.number, err)
	}
	return p.store.remove(dead)
}

// pruneBlock collects the keys in the index that point into a block, or says
// that something in it is still kept.
func (p *Partition) pruneBlock(number int64, block []byte, dead *[][]byte) (isKept bool, err error) {
	err = eachEntry(number, block, func(at place, sealed []byte) error {
		var k kept
		if err := unseal(fmt.Sprintf("block %d of the archive of partition %d", number, p.number), sealed, func(r *pack.Reader) {
			k.unpackHead(r)
			r.B = nil
		}); err != nil {
			return err
		}
		if isKept = isKept || !p.fold.forgotten(&k); isKept {
			return nil
		}
		last, found, err := p.index(k.ID)
		if found && last == at {
			*dead = append(*dead, keyID(p.number, 'c', k.ID))
		}
		return err
	})
	return isKept, err
}
