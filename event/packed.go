package event

import (
	"fmt"

	"blipd/event/pack"
)

// Packed holds the decisions and interventions of a trajectory as bytes, in the
// order in which they were read: what an open trajectory takes in memory. One
// more is appended; nothing before it is touched.
//
// Each is a kind, a length of three bytes, and the event. A decision begins with
// its id and its index, so that it is found without reading the rest.
type Packed []byte

const (
	packedDecision     = 'd'
	packedIntervention = 'i'

	packedHead  = 4         // bytes before an event: its kind and its length
	packedLimit = 1<<24 - 1 // of one event: what three bytes can say
)

// AddDecision appends a decision; it keeps nothing of d.
func (p *Packed) AddDecision(d *Decision) { p.add(packedDecision, d.pack) }

// AddIntervention appends an intervention; it keeps nothing of v.
func (p *Packed) AddIntervention(v *Intervention) { p.add(packedIntervention, v.pack) }

func (p *Packed) add(kind byte, write func(*pack.Writer)) {
	at := len(*p)
	w := pack.Writer{B: append(*p, kind, 0, 0, 0)}
	write(&w)
	n := len(w.B) - at - packedHead
	if n > packedLimit {
		panic(fmt.Sprintf("event: an event of %d bytes, the limit is %d", n, packedLimit))
	}
	w.B[at+1], w.B[at+2], w.B[at+3] = byte(n), byte(n>>8), byte(n>>16)
	*p = w.B
}

// each visits the events in their order; an error is one of damaged bytes.
func (p Packed) each(visit func(kind byte, body []byte) (more bool)) error {
	for len(p) > 0 {
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

// Find is the decision known by an index (above 0) or an id (not empty), packed;
// nil where there is none.
func (p Packed) Find(index int, id string) (found []byte) {
	_ = p.each(func(kind byte, body []byte) bool {
		if kind == packedDecision {
			r := pack.Reader{B: body}
			if itsID, itsIndex := r.Raw(), int(r.Int()); index > 0 && itsIndex == index || id != "" && string(itsID) == id {
				found = body
			}
		}
		return found == nil
	})
	return found
}

// UnpackDecision reads a decision that Find has found.
func UnpackDecision(found []byte, d *Decision) error {
	r := pack.Reader{B: found}
	d.unpack(&r)
	return r.Err()
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

// Unpack puts the decisions and interventions into a trajectory, in place of
// those it has; their room is used again.
func (p Packed) Unpack(t *Trajectory, names *pack.Names) error {
	decisions, interventions, damaged := t.Decisions[:0], t.Interventions[:0], false
	err := p.each(func(kind byte, body []byte) bool {
		r := pack.Reader{B: body, Names: names}
		switch kind {
		case packedDecision:
			if len(decisions) < cap(decisions) {
				decisions = decisions[:len(decisions)+1]
			} else {
				decisions = append(decisions, Decision{})
			}
			decisions[len(decisions)-1].unpack(&r)
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
	if damaged {
		return pack.ErrBytes
	}
	return err
}
