package state

import (
	"blipd/event"
	"blipd/event/pack"
)

// kept is a trajectory with what the state fold knows of it.
type kept struct {
	event.Trajectory
	waiting []waiting // events that wait for a decision to name the experiment

	started event.Time // stream time when its first record was read
	phase   phase
	settled event.Time // settling: since when it has all its outcomes
	due     event.Time // not closed: stream time that closes it; NoTime while there is none
	how     How        // closed: the way
	closed  event.Time // closed: stream time when it was
	order   int64      // closed: its place among those that closed

	size    int  // of its bytes on disk, about; bounds what one trajectory may take
	written bool // open: the disk has it
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

// pack writes all but the size.
func (k *kept) pack(w *pack.Writer) {
	k.Trajectory.Pack(w)
	w.Int(int64(len(k.waiting)))
	for i := range k.waiting {
		packRecord(w, &k.waiting[i].record)
		k.waiting[i].event.Pack(w)
	}
	w.Int(int64(k.started))
	w.Byte(byte(k.phase))
	w.Int(int64(k.settled))
	w.Int(int64(k.due))
	w.Byte(byte(k.how))
	w.Int(int64(k.closed))
	w.Int(k.order)
}

// unpack reads what pack wrote.
func (k *kept) unpack(r *pack.Reader) {
	k.size = len(r.B)
	k.Trajectory.Unpack(r)
	for range r.Count() {
		var w waiting
		unpackRecord(r, &w.record)
		w.event.Unpack(r)
		k.waiting = append(k.waiting, w)
	}
	k.started = event.Time(r.Int())
	k.phase = phase(r.Byte())
	k.settled, k.due = event.Time(r.Int()), event.Time(r.Int())
	k.how, k.closed = How(r.Byte()), event.Time(r.Int())
	k.order = r.Int()
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
