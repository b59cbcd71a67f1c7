package state

import "blipd/event"

// exclude takes a trajectory out of every sum, and leaves nothing of it but that it
// was excluded: what else comes of it is refused for as long as it would have been
// kept. One that is not known (k is nil) may be on its way.
func (f *fold) exclude(k *kept, id string) *event.Fault {
	mark := newKept(id)
	mark.phase, mark.how, mark.closed, mark.left, mark.at = phaseClosed, Excluded, f.clock.now, true, noPlace
	switch {
	case k == nil && len(id) > maxID:
		return event.Faultf(event.TooLarge, "trajectory_id: %d bytes, state keeps ids of up to %d", len(id), maxID)
	case k == nil:
	case k.how == Excluded:
		return event.Faultf(event.Duplicate, "exclude of trajectory %q: it is excluded already", id)
	default:
		mark.Experiment, mark.started = k.Experiment, k.started
		f.takeOut(k)
		if k.phase == phaseClosed {
			mark.closed = k.closed
		}
		f.erase(k)
	}
	f.archive(mark)
	return nil
}

// takeOut undoes what a trajectory has come to. What was counted of its decisions,
// by arm and by why they are no rows, stays: the coin was tossed.
func (f *fold) takeOut(k *kept) {
	x := f.experiment(k.Experiment)
	closed := k.phase == phaseClosed
	if !closed {
		f.leave(k)
	}
	if x < 0 {
		return
	}
	s := &f.stats.Experiments[x]
	s.Excluded++
	if closed {
		f.count(opExclude, k, x)
	} else {
		s.Open--
		s.Closed[Excluded]++
	}
}

// erasure is a trajectory whose content is to go from disk, and where the archive
// has it; noPlace: only the journal has.
type erasure struct {
	id string
	at place
}

func (f *fold) erase(k *kept) {
	e := erasure{k.ID, noPlace}
	if k.phase == phaseClosed {
		e.at = k.at
	}
	f.changes.erasures = append(f.changes.erasures, e)
	f.changes.size += len(k.ID) + 60
}
