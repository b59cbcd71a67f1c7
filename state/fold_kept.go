package state

import (
	"strings"

	"blipd/event"
	"blipd/event/pack"
)

// kept is a trajectory with what the state fold knows of it. Its decisions and
// interventions are packed, which is a tenth of their size; the lists of
// Trajectory stay empty.
type kept struct {
	event.Trajectory
	packed  event.Packed
	waiting []waiting // events that wait for a decision to name the experiment

	// Moments of stream time, event.NoTime before it began (see clock.since).
	started event.Time // when its first record was read
	settled event.Time // when it last came to have all its outcomes
	closed  event.Time // when it was closed

	phase phase
	how   How   // closed: the way
	order int64 // closed: its place among those that closed

	// Not on disk.
	due     event.Time // not closed: stream time at which it may have to be; NoTime while there is none
	place   int        // in the heap of due times, from 1; 0: not in it
	size    int        // of its bytes on disk, about; bounds what one trajectory may take
	counted int        // of size, what changes knows of
	written bool       // open: the disk has it
	asleep  bool       // open: only the disk has its events
	room    int        // open: what they take in memory, in bytes
	round   int64      // open: of the commit after which it was last touched
}

// phase is where a trajectory stands.
//
//	open ──outcomes final──► settling ──close_grace over──► closed
//	  └────────────── trajectory_timeout ─────────────────────┘
type phase uint8

const (
	phaseOpen phase = iota
	phaseSettling
	phaseClosed
)

// waiting is an event that cannot be judged before its experiment is known,
// with its record, should it have to be set aside.
type waiting struct {
	record event.Record
	event  event.Event
}

// pack writes what is on disk. Whether an open trajectory is settling, and when
// it is due, follows from the rest and the rules, which may have changed.
func (k *kept) pack(w *pack.Writer) {
	k.PackWith(w, k.packed)
	w.Int(int64(len(k.waiting)))
	for i := range k.waiting {
		packRecord(w, &k.waiting[i].record)
		k.waiting[i].event.Pack(w)
	}
	w.Ints([]int64{int64(k.started), int64(k.settled), int64(k.closed)})
	w.Byte(byte(k.phase))
	w.Byte(byte(k.how))
	w.Int(k.order)
}

// newKept is a trajectory of which nothing is known. The id is copied: that of
// an event is a part of its record.
func newKept(id string) *kept {
	return &kept{Trajectory: event.Trajectory{ID: strings.Clone(id), First: event.NoTime, Last: event.NoTime},
		started: event.NoTime, settled: event.NoTime, closed: event.NoTime, due: event.NoTime}
}

// put puts an event onto the trajectory: the part of landing that changes
// nothing else.
func (k *kept) put(ev *event.Event) {
	k.see(ev.Time)
	k.size += sizeOf(ev)
	switch ev.Type {
	case event.TypeDecision:
		k.packed.AddDecision(ev.Decision)
	case event.TypeIntervention:
		k.packed.AddIntervention(ev.Intervention)
	case event.TypeOutcome:
		hold(k, ev.Outcome)
	case event.TypeEnd:
		end := *ev.End
		end.Reason = strings.Clone(end.Reason)
		k.End = &end
	}
}

// whole is the trajectory with its decisions and interventions, in room that is
// used again: it is valid until the next call.
func (f *fold) whole(k *kept) *event.Trajectory {
	decisions, interventions := f.scratch.Decisions, f.scratch.Interventions
	f.scratch = k.Trajectory
	f.scratch.Decisions, f.scratch.Interventions = decisions, interventions
	if err := k.packed.Unpack(&f.scratch, f.names); err != nil {
		panic("state: trajectory " + k.ID + ": " + err.Error()) // we packed it, and what is read from disk is checked
	}
	return &f.scratch
}

// see widens the span of the trajectory's event times.
func (k *kept) see(t event.Time) {
	if t == event.NoTime {
		return
	}
	if k.First == event.NoTime || t < k.First {
		k.First = t
	}
	k.Last = max(k.Last, t)
}

// unpack reads what pack wrote.
func (k *kept) unpack(r *pack.Reader) {
	k.size = len(r.B)
	k.packed = k.UnpackWith(r)
	if k.packed.Unpack(&event.Trajectory{}, nil) != nil { // whole relies on it
		r.Fail()
	}
	for range r.Count() {
		var w waiting
		unpackRecord(r, &w.record)
		w.event.Unpack(r)
		k.waiting = append(k.waiting, w)
	}
	k.started, k.settled, k.closed = event.Time(r.Int()), event.Time(r.Int()), event.Time(r.Int())
	k.phase, k.how = phase(r.Byte()), How(r.Byte())
	k.order = r.Int()
	k.due = event.NoTime
	if k.phase > phaseClosed || k.how >= hows {
		r.Fail()
	}
}

func packRecord(w *pack.Writer, rec *event.Record) {
	w.Int(rec.Offset)
	w.Bytes(rec.Key)
	w.Bytes(rec.Value)
	packHeaders(w, rec.Headers)
}

func unpackRecord(r *pack.Reader, rec *event.Record) {
	rec.Offset, rec.Key, rec.Value = r.Int(), r.Bytes(), r.Bytes()
	rec.Headers = unpackHeaders(r)
}

func packHeaders(w *pack.Writer, hs []event.Header) {
	w.Int(int64(len(hs)))
	for _, h := range hs {
		w.Text(h.Key)
		w.Bytes(h.Value)
	}
}

func unpackHeaders(r *pack.Reader) (hs []event.Header) {
	for range r.Count() {
		hs = append(hs, event.Header{Key: r.Text(), Value: r.Bytes()})
	}
	return hs
}
