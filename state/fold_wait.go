package state

import (
	"bytes"
	"slices"

	"blipd/event"
	"blipd/event/pack"
)

// With several experiments, events that name none wait until one of their
// trajectory names it, with their records, should they have to be set aside.

// mostWaiting is how many bytes of events may wait in a partition: they stay in
// memory, records and all.
const mostWaiting = 64 << 20

// roomToWait says why an event cannot wait.
func (f *fold) roomToWait(e *event.Entry) *event.Fault {
	if f.waits+int64(waitingSize(e)) <= mostWaiting {
		return nil
	}
	return event.Faultf(event.TooMany, "experiment: none is named, and %d bytes of events wait already for decisions that name theirs, the limit is %d: send experiment with every event", f.waits, mostWaiting)
}

// wait keeps an event until the trajectory's experiment is known. The record
// is copied: its bytes are a part of what was fetched, which is not to be kept.
func (f *fold) wait(k *kept, e *event.Entry) {
	rec := e.Record
	rec.Key, rec.Value, rec.Headers = bytes.Clone(rec.Key), bytes.Clone(rec.Value), slices.Clone(rec.Headers)
	for i := range rec.Headers {
		rec.Headers[i].Value = bytes.Clone(rec.Headers[i].Value)
	}
	k.waiting = append(k.waiting, waiting{rec, copyOf(&e.Event)})
	k.size += int32(waitingSize(e))
	f.waits += int64(waitingSize(e))
	k.see(e.Event.Time)
	f.schedule(k, -1)
	f.touch(k)
}

// copyOf shares nothing with the event, which is a part of its record.
func copyOf(e *event.Event) (c event.Event) {
	var w pack.Writer
	e.Pack(&w)
	c.Unpack(&pack.Reader{B: w.B})
	return c
}

// waitingSize is what an event takes while it waits: no less than the dead
// letter that may come of it, so that a trajectory within maxTrajectory can be
// dropped in one transaction.
func waitingSize(e *event.Entry) int {
	return sizeOf(&e.Event) + letterSize(&e.Record) + 2*len(e.Event.Trajectory)
}

// joined is the trajectory as it will stand once what waits has landed.
func (f *fold) joined(k *kept, x int) *kept {
	j := newKept(k.ID)
	for i := range k.waiting {
		if w := &k.waiting[i]; f.judge(j, x, &w.event) == nil {
			j.put(&w.event)
		}
	}
	return j
}

// join gives a trajectory its experiment, and lands what has waited for it;
// what closes it is the event that brought the name.
func (f *fold) join(k *kept, x int) {
	for other := range f.books {
		if other != x {
			f.books[other].end(k.started)
		}
	}
	k.Experiment = f.rules[x].Experiment.Name
	f.stats.Experiments[x].Started++
	f.stats.Experiments[x].Open++
	waited := k.waiting
	if len(waited) > 0 {
		f.waits -= int64(k.size)
	}
	k.waiting, k.size = nil, 0
	for i := range waited {
		w := &waited[i]
		if fault := f.judge(k, x, &w.event); fault != nil {
			f.reject(&w.record, fault)
			continue
		}
		f.put(k, x, &w.event)
	}
}

// abandon drops a trajectory that never named its experiment, or whose
// experiment is no longer configured.
func (f *fold) abandon(k *kept) {
	f.leave(k)
	if len(k.waiting) > 0 {
		f.waits -= int64(k.size)
	}
	for i := range k.waiting {
		f.reject(&k.waiting[i].record, event.Faultf(event.NoExperiment, "experiment: none is named, %d are configured, and no decision of trajectory %q named one within trajectory_timeout (%s): send experiment",
			len(f.rules), k.ID, f.timeout(-1)))
	}
}

// judgeWaiting says why an event whose experiment is not known has no effect.
func (f *fold) judgeWaiting(k *kept, ev *event.Event) *event.Fault {
	for i := range k.waiting {
		if sameContent(&k.waiting[i].event, ev) {
			return event.Faultf(event.Duplicate, "%s of trajectory %q: the same again", ev.Type, k.ID)
		}
	}
	return f.judgeSize(k, ev)
}

// sameContent compares two events, all but their times.
func sameContent(a, b *event.Event) bool {
	if a.Type != b.Type || a.Experiment != b.Experiment {
		return false
	}
	switch a.Type {
	case event.TypeDecision:
		return a.Decision.Same(b.Decision)
	case event.TypeIntervention:
		return a.Intervention.Same(b.Intervention)
	case event.TypeOutcome:
		o, p := a.Outcome, b.Outcome
		return o.Revision == p.Revision && o.Provisional == p.Provisional && o.Source == p.Source && slices.Equal(o.Values, p.Values)
	}
	return a.End.Same(b.End)
}
