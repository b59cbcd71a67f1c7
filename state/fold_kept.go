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
	epoch int32 // closed: the analysis epoch in which Learned was said
	size  int32 // of its bytes on disk, about; bounds what one trajectory may take

	before place // closed: where it lay before it last changed; noPlace: nowhere

	// Not part of the state.
	at      place      // closed: where its body lies; open: where the journal last has all of it
	due     event.Time // not closed: stream time at which it may have to be; NoTime while there is none
	slot    int32      // in the heap of due times, from 1; 0: not in it
	round   int32      // open: of the commit after which it was last touched
	counted int32      // of size, what changes knows of
	room    int32      // open: what its events take in memory, in bytes
	saved   int32      // open: what of packed the journal has, in bytes
	stored  int32      // open: what its entries in the journal take, in bytes
	written bool       // open: the journal has it
	grown   bool       // open: the journal has more of it than lies at at
	touched bool       // open: there are changes that no commit has
	left    bool       // it is not open any more
	asleep  bool       // open: only the journal has its events
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

// pack writes what is on disk, of packed what was appended since it was from
// bytes long. Whether an open trajectory is settling, and when it is due, follows
// from the rest and the rules, which may have changed.
func (k *kept) pack(w *pack.Writer, from int) {
	k.PackHead(w)
	w.Ints([]int64{int64(k.started), int64(k.settled), int64(k.closed), int64(k.size)})
	w.Byte(byte(k.phase))
	if k.phase == phaseClosed {
		w.Ints([]int64{k.before.block, k.before.offset})
	}
	w.Byte(byte(k.how))
	w.Int(int64(k.epoch))
	w.Int(int64(len(k.waiting)))
	for i := range k.waiting {
		packRecord(w, &k.waiting[i].record)
		k.waiting[i].event.Pack(w)
	}
	k.packed.PackTail(w, from)
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
	k.size += int32(sizeOf(ev))
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
	if err := f.unpack.Unpack(k.packed, &f.scratch); err != nil {
		panic("state: trajectory " + k.ID + ": " + err.Error()) // we packed it, and what is read from disk is sound
	}
	return &f.scratch
}

// sound tells whether events that were read from disk can be unpacked.
func (f *fold) sound(p event.Packed) bool { return f.unpack.Unpack(p, &f.scratch) == nil }

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

// unpack reads what pack wrote of all of a trajectory; that packed is sound is
// for the caller to see.
func (k *kept) unpack(r *pack.Reader) {
	k.unpackHead(r)
	k.unpackTail(r, nil)
}

// unpackHead reads all but decisions and interventions.
func (k *kept) unpackHead(r *pack.Reader) {
	k.UnpackHead(r)
	k.started, k.settled, k.closed, k.size = event.Time(r.Int()), event.Time(r.Int()), event.Time(r.Int()), int32(r.Int())
	if k.phase = phase(r.Byte()); k.phase == phaseClosed {
		k.before = place{r.Int(), r.Int()}
	}
	k.how, k.epoch = How(r.Byte()), int32(r.Int())
	k.due = event.NoTime
	if k.phase > phaseClosed || k.how >= hows {
		r.Fail()
	}
	for range r.Count() {
		var w waiting
		unpackRecord(r, &w.record)
		w.event.Unpack(r)
		k.waiting = append(k.waiting, w)
	}
}

// unpackTail reads decisions and interventions behind those of before.
func (k *kept) unpackTail(r *pack.Reader, before event.Packed) {
	k.packed = before.UnpackTail(r)
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
