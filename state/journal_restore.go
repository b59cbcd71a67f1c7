package state

import (
	"fmt"

	"blipd/event/pack"
)

// restoreOpen reads the open trajectories. Where they stand follows from the
// rules of now: an outcome may no longer be required, or newly so.
func (p *Partition) restoreOpen() error {
	f, j := p.fold, &p.journal
	at := j.first
	err := p.eachBlock('j', j.first, func(number int64, block []byte) (bool, error) {
		if number != at {
			return false, nil
		}
		at++
		j.sizes = append(j.sizes, int64(len(block)))
		j.total += int64(len(block))
		return true, eachEntry(number, block, p.restoreEntry)
	})
	if err == nil && at != j.next {
		err = damaged("block %d of the journal is missing, it ends with %d", at, j.next-1)
	}
	if err != nil {
		return err
	}
	for _, k := range f.open {
		if !f.sound(k.packed) { // one that sleeps is looked at when it wakes
			return foreign("an open trajectory of partition %d, in block %d, cannot be unpacked", p.number, k.at.block)
		}
		if len(k.waiting) > 0 {
			f.waits += int64(k.size)
		}
		own := f.experiment(k.Experiment)
		if k.phase = phaseOpen; own >= 0 && f.hasOutcomes(k, own) {
			k.phase = phaseSettling
		}
		f.schedule(k, own)
		for x := range f.books {
			if f.holds(k, x) {
				f.books[x].begin(k.started)
			}
		}
	}
	return nil
}

// restoreEntry takes the next entry of the journal.
func (p *Partition) restoreEntry(at place, sealed []byte) (err error) {
	damage := unseal(fmt.Sprintf("block %d of the journal", at.block), sealed, func(r *pack.Reader) {
		switch r.Byte() {
		case entryVoid:
			p.forget(p.fold.open[r.Text()])
		case entryOpen:
			err = p.restoreKept(at, len(sealed)+entryHead, r)
		default:
			r.Fail()
		}
	})
	if err == nil {
		err = damage
	}
	return err
}

// forget takes back what recovery has read so far of a trajectory, if anything.
func (p *Partition) forget(k *kept) {
	if k != nil {
		delete(p.fold.open, k.ID)
		p.fold.held -= int64(k.room)
		p.journal.live -= int64(k.stored)
	}
}

// restoreKept reads a trajectory, or what it has gained.
func (p *Partition) restoreKept(at place, size int, r *pack.Reader) error {
	f, k := p.fold, newKept("")
	k.unpackHead(r)
	before, peek := f.open[k.ID], *r
	from := int(peek.Int())
	switch {
	case from == 0:
		k.unpackTail(r, nil)
	case before == nil: // what it began with was given up: all of it comes behind
		r.B = nil
		return nil
	default:
		if err := f.wake(before); err != nil {
			return err
		}
		k.unpackTail(r, before.packed)
	}
	if r.Failed() {
		return nil
	}
	p.forget(before)
	if from > 0 {
		k.at, k.stored = before.at, before.stored
		p.journal.live += int64(before.stored)
	}
	f.open[k.ID] = k
	p.wrote(k, at, size, from)
	if f.account(k); f.held > p.budget() && !k.grown {
		f.lull(k)
	}
	return nil
}
