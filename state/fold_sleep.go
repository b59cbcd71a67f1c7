package state

import "blipd/event"

// An open trajectory that nothing has touched for a while may sleep: its events
// leave memory, the disk has them, and the next event of it wakes it. Who sleeps
// is no part of the state: it changes what lies in memory, never what it adds
// up to.

// wake brings the events of an open trajectory back into memory.
func (f *fold) wake(k *kept) error {
	if !k.asleep {
		return nil
	}
	packed, err := f.reload(k)
	if err != nil {
		return err
	}
	k.packed, k.asleep = packed, false
	f.account(k)
	return nil
}

// account notes what the events of an open trajectory take in memory.
func (f *fold) account(k *kept) {
	room := int32(cap(k.packed))
	f.held += int64(room - k.room)
	k.room = room
}

// clip gives back the room that the events of a trajectory do not use: the next
// one may be long in coming.
func (f *fold) clip(k *kept) {
	if room := cap(k.packed); room-len(k.packed) > room/8 {
		k.packed = append(make(event.Packed, 0, len(k.packed)), k.packed...)
		f.account(k)
	}
}

// sleep sends trajectories to sleep, those first that have rested longest,
// until their events take no more than three quarters of the budget. One that
// does not lie in one place of the journal is first written again: full says when
// the next commit has enough of those. It must run when all changes are on disk.
func (f *fold) sleep(budget int64, full func() bool) {
	f.round++
	if f.held <= budget {
		return
	}
	f.tight = true
	for _, rounds := range []int32{64, 16, 4, 1} {
		for _, k := range f.open {
			if f.held <= budget/4*3 || full() {
				return
			}
			if f.round-k.round < rounds || k.asleep {
				continue
			}
			if k.restful() {
				f.lull(k)
			} else {
				f.touch(k) // the next commit writes all of it
			}
		}
	}
}

// restful tells whether a trajectory lies in one place of the journal, from which
// it can be woken.
func (k *kept) restful() bool { return k.written && !k.grown && !k.touched }

// lull sends one trajectory to sleep.
func (f *fold) lull(k *kept) {
	k.packed, k.asleep = nil, true
	f.account(k)
}
