package event

import (
	"fmt"
	"slices"

	"blipd/event/pack"
)

// Packed holds the decisions and interventions of a trajectory as bytes, in the
// order in which they were read: what an open trajectory takes in memory. One
// more is appended; nothing before it is touched.
//
// It begins with where the names were last written (see names). Each event is a
// kind, a length of three bytes, and the event itself. A decision begins with its
// id and its index, so that it is found without reading the rest.
type Packed []byte

const (
	packedDecision     = 'd'
	packedIntervention = 'i'

	packedHead  = 4         // bytes before an event: its kind and its length
	packedLimit = 1<<24 - 1 // of one event: what three bytes can say
)

// AddDecision appends a decision; it keeps nothing of d.
func (p *Packed) AddDecision(d *Decision) {
	w, at := p.begin(packedDecision)
	var n names
	n.load(w.B)
	d.pack(&w, &n)
	n.store(w.B)
	p.end(w, at)
}

// AddIntervention appends an intervention; it keeps nothing of v.
func (p *Packed) AddIntervention(v *Intervention) {
	w, at := p.begin(packedIntervention)
	v.pack(&w)
	p.end(w, at)
}

// begin makes room for the head of one more event, which is at at.
func (p *Packed) begin(kind byte) (w pack.Writer, at int) {
	w.B = *p
	if len(w.B) == 0 {
		w.B = append(w.B, make([]byte, namesSize)...)
	}
	at = len(w.B)
	w.B = append(w.B, kind, 0, 0, 0)
	return w, at
}

// end fills in the head of the event at at.
func (p *Packed) end(w pack.Writer, at int) {
	n := len(w.B) - at - packedHead
	if n > packedLimit {
		panic(fmt.Sprintf("event: an event of %d bytes, the limit is %d", n, packedLimit))
	}
	w.B[at+1], w.B[at+2], w.B[at+3] = byte(n), byte(n>>8), byte(n>>16)
	*p = w.B
}

// each visits the events in their order; an error is one of damaged bytes.
func (p Packed) each(visit func(kind byte, body []byte) (more bool)) error {
	if len(p) == 0 {
		return nil
	}
	if len(p) < namesSize {
		return pack.ErrBytes
	}
	for p = p[namesSize:]; len(p) > 0; {
		if len(p) < packedHead {
			return pack.ErrBytes
		}
		n := int(p[1]) | int(p[2])<<8 | int(p[3])<<16
		if n > len(p)-packedHead {
			return pack.ErrBytes
		}
		if !visit(p[0], p[packedHead:packedHead+n]) {
			return nil
		}
		p = p[packedHead+n:]
	}
	return nil
}

// PackTail writes what was appended since p was n bytes long; of n = 0, all of it.
func (p Packed) PackTail(w *pack.Writer, n int) {
	w.Int(int64(n))
	if n > 0 { // where the names are may have changed
		w.B = append(w.B, p[:namesSize]...)
	}
	w.Int(int64(len(p) - n))
	w.B = append(w.B, p[n:]...)
}

// UnpackTail reads what PackTail wrote, and makes of p what it was written of.
// It keeps nothing of r, and p is not to be used any more.
func (p Packed) UnpackTail(r *pack.Reader) Packed {
	n := r.Int()
	if n != int64(len(p)) || n > 0 && len(r.B) < namesSize {
		r.Fail()
		return nil
	}
	if n > 0 {
		copy(p, r.B[:namesSize])
		r.B = r.B[namesSize:]
	}
	tail := r.Raw()
	return append(slices.Grow(p, len(tail)), tail...)
}

// Find is the place, among the decisions, of the one known by an index (above 0)
// or an id (not empty); -1 where there is none.
func (p Packed) Find(index int, id string) int {
	found, at := -1, 0
	_ = p.each(func(kind byte, body []byte) bool {
		if kind == packedDecision {
			r := pack.Reader{B: body}
			if itsID, itsIndex := r.Raw(), int(r.Int()); index > 0 && itsIndex == index || id != "" && string(itsID) == id {
				found = at
			}
			at++
		}
		return found < 0
	})
	return found
}

// Decisions is their number.
func (p Packed) Decisions() int {
	n := 0
	_ = p.each(func(kind byte, _ []byte) bool {
		if kind == packedDecision {
			n++
		}
		return true
	})
	return n
}

// EachIntervention visits the interventions; v is used again.
func (p Packed) EachIntervention(visit func(v *Intervention) (more bool)) {
	_ = p.each(func(kind byte, body []byte) bool {
		if kind != packedIntervention {
			return true
		}
		r := pack.Reader{B: body}
		var v Intervention
		v.unpack(&r)
		return visit(&v)
	})
}

// Unpacker unpacks trajectories, one after the other, and uses its room again.
// The zero Unpacker is ready. Not safe for concurrent use.
type Unpacker struct {
	names  *pack.Names
	groups groups
}

// Unpack puts the decisions and interventions of p into a trajectory, in place of
// those it has; their room is used again.
func (u *Unpacker) Unpack(p Packed, t *Trajectory) error {
	if u.names == nil {
		u.names = pack.NewNames()
	}
	decisions, interventions, damaged := t.Decisions[:0], t.Interventions[:0], false
	u.groups.begin()
	err := p.each(func(kind byte, body []byte) bool {
		r := pack.Reader{B: body, Names: u.names}
		switch kind {
		case packedDecision:
			if len(decisions) < cap(decisions) {
				decisions = decisions[:len(decisions)+1]
			} else {
				decisions = append(decisions, Decision{})
			}
			decisions[len(decisions)-1].unpack(&r, &u.groups)
		case packedIntervention:
			var v Intervention
			v.unpack(&r)
			interventions = append(interventions, v)
		default:
			r.Fail()
		}
		damaged = r.Err() != nil
		return !damaged
	})
	t.Decisions, t.Interventions = decisions, interventions
	if len(decisions) == 0 {
		t.Decisions = nil
	}
	if len(interventions) == 0 {
		t.Interventions = nil
	}
	if damaged || err == nil && !u.groups.agree(p) {
		return pack.ErrBytes
	}
	return err
}
