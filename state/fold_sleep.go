package state

// An open trajectory that nothing has touched for a while may sleep: its events
// leave memory, the disk has them, and the next event of it wakes it. Who sleeps
// is no part of the state: it changes what lies in memory, never what it adds
// up to.

// wake brings the events of an open trajectory back into memory.
func (f *fold) wake(k *kept) error {
	if !k.asleep {
		return nil
	}
	packed, err := f.reload(k.ID)
	if err != nil {
		return err
	}
	k.packed, k.asleep = packed, false
	f.account(k)
	return nil
}

// account notes what the events of an open trajectory take in memory.
func (f *fold) account(k *kept) {
	f.held += int64(cap(k.packed) - k.room)
	k.room = cap(k.packed)
}

// sleep sends trajectories to sleep, those first that have rested longest,
// until their events take no more than three quarters of the budget. It must
// run when all changes are on disk.
func (f *fold) sleep(budget int64) {
	f.round++
	if f.held <= budget {
		return
	}
	for _, rounds := range []int64{64, 16, 4, 1} {
		for _, k := range f.open {
			if f.held <= budget/4*3 {
				return
			}
			if k.written && !k.asleep && f.round-k.round >= rounds {
				f.lull(k)
			}
		}
	}
}

// lull sends one trajectory to sleep.
func (f *fold) lull(k *kept) {
	k.packed, k.asleep = nil, true
	f.account(k)
}
