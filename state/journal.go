package state

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
	"blipd/event/pack"
)

// The journal holds open trajectories: a commit appends what those that it
// touched have gained. An entry has all of a trajectory or what came since its
// last one; a void says that one is not open any more. When the journal has grown
// to more than twice what is alive in it, its oldest block is given up, and what
// began there is written again, whole, at its end.
type journal struct {
	first, next int64   // numbers of the blocks on disk: first <= n < next
	sizes       []int64 // of each
	total, live int64   // bytes: of all blocks, and of what open trajectories have there
}

// Entries of the journal begin with what they are.
const (
	entryOpen = 'o' // a trajectory, or what it has gained
	entryVoid = 'v' // an id
)

// fillJournal puts what has changed of open trajectories into a transaction.
// State that is not recovered has a journal only to sleep in.
func (p *Partition) fillJournal(txn *badger.Txn, c *changes, b *blocks) error {
	j := &p.journal
	idle := p.store.config.Volatile && !p.fold.tight
	for _, k := range c.left {
		j.live -= int64(k.stored)
		if !p.store.config.Volatile {
			b.add(func(w *pack.Writer) { w.Byte(entryVoid); w.Text(k.ID) })
		}
	}
	for _, k := range c.open {
		k.touched = false
		if !k.left && !idle {
			p.write(b, k, p.fold.tight)
			p.fold.clip(k)
		}
	}
	if err := p.tidy(txn, b); err != nil {
		return err
	}
	for i, block := range b.values {
		if err := txn.Set(keyNumber(p.number, 'j', b.first+int64(i)), block); err != nil {
			return err
		}
		j.sizes = append(j.sizes, int64(len(block)))
	}
	j.next, j.total = b.next(), j.total+int64(b.size)
	return nil
}

// write appends an open trajectory, or what it has gained.
func (p *Partition) write(b *blocks, k *kept, whole bool) {
	from := int(k.saved)
	if whole || !k.written {
		from = 0
	}
	at, size := b.add(func(w *pack.Writer) { w.Byte(entryOpen); k.pack(w, from) })
	p.wrote(k, at, size, from)
}

// wrote notes an entry of a trajectory: all of it, or what came from byte from on.
func (p *Partition) wrote(k *kept, at place, size, from int) {
	if k.grown = from > 0; !k.grown {
		p.journal.live -= int64(k.stored)
		k.at, k.stored = at, 0
	}
	p.journal.live += int64(size)
	k.stored += int32(size)
	k.written, k.saved, k.counted = true, int32(len(k.packed)), k.size
}

// tidy gives up the oldest blocks as long as most of the journal is dead; how much
// of them is alive and moves is bounded, as a transaction is.
func (p *Partition) tidy(txn *badger.Txn, b *blocks) error {
	j, begun, most := &p.journal, int64(b.size), p.options.pace.commitBytes/4
	for j.first < j.next && j.total+int64(b.size) > 2*j.live+p.options.pace.journal && int64(b.size)-begun < most {
		oldest := keyNumber(p.number, 'j', j.first)
		err := p.store.value(oldest, fmt.Sprintf("block %d of the journal of partition %d", j.first, p.number), func(block []byte) error {
			return p.move(j.first, block, b)
		})
		if err == nil {
			err = txn.Delete(oldest)
		}
		if err != nil {
			return err
		}
		j.total -= j.sizes[0]
		j.first, j.sizes = j.first+1, j.sizes[1:]
	}
	return nil
}

// move writes again what a block has all of.
func (p *Partition) move(number int64, block []byte, b *blocks) error {
	return eachEntry(number, block, func(at place, sealed []byte) error {
		return unseal(fmt.Sprintf("block %d of the journal of partition %d", number, p.number), sealed, func(r *pack.Reader) {
			if r.Byte() != entryOpen {
				r.B = nil
				return
			}
			k, body := p.fold.open[string(r.Raw())], sealed[1:len(sealed)-4]
			r.B = nil
			switch {
			case k == nil || !k.written || k.at != at:
			case k.asleep:
				to, size := b.add(func(w *pack.Writer) { w.B = append(w.B, body...) })
				saved := k.saved
				p.wrote(k, to, size, 0)
				k.saved = saved
			default:
				p.write(b, k, true)
			}
		})
	})
}

// reload reads the events of an open trajectory that sleeps.
func (p *Partition) reload(k *kept) (event.Packed, error) {
	read := kept{}
	what := fmt.Sprintf("an open trajectory of partition %d, in block %d", p.number, k.at.block)
	unpack := func(r *pack.Reader) {
		if r.Byte() != entryOpen {
			r.Fail()
			return
		}
		read.unpack(r)
	}
	if p.flight != nil && k.at.block >= p.flight.journal.first { // the commit under way has moved it
		err := p.flight.journal.read(k.at, what, unpack)
		return read.packed, err
	}
	err := p.readEntry('j', k.at, what, unpack)
	if isAbsent(err) {
		return nil, damaged("%s is missing: block %d of the journal is not there", what, k.at.block)
	}
	if err == nil && !p.fold.sound(read.packed) {
		return nil, foreign("%s cannot be unpacked", what)
	}
	return read.packed, err
}
