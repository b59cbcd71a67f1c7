package event

// Reader decodes the records of one partition as Decoder does, with the same
// events and the same faults, but without allocating for the common ones. Not
// safe for concurrent use.
//
// One pass over the bytes, written by hand (the files fast_*.go), takes what it
// is sure of. Whatever is unusual, and all that may be a fault, it leaves to the
// Decoder, which begins again and alone finds the words: the two cannot disagree
// as long as all that the pass takes is what the Decoder would have taken.
//
// The pass learns from each event what the next will look like (the order of the
// members, the names in state, repeated texts) and compares before it looks
// anything up. A wrong guess costs time, never an answer; all that is learnt is
// bounded.
type Reader struct {
	decoder Decoder
	limits  Limits
	given   int  // records given to the Decoder
	ignored bool // the last record may have members that nobody knows

	value  []byte // of the record that is read
	draft  draft
	strays []span // names that are not known, of the objects that are open

	words words
	texts interner

	// The payloads, and the lists in them. A list keeps its length of the last
	// read, so that what a shorter one leaves behind can be cleared: stale
	// strings would keep the bytes of old records in memory.
	decision             Decision
	intervention         Intervention
	outcome              Outcome
	end                  End
	calls                []Call
	state, scores, pairs []Member
	row                  []Member // in the order of the document
	odds                 []Probability
	measured             []Measured

	stateShapes, scoreShapes, armShapes, outcomeShapes shapes
}

// NewReader makes a reader. The decoder's schema must not change afterwards.
func NewReader(d Decoder) *Reader {
	return &Reader{decoder: d, limits: d.Schema.Limits.orDefaults(), words: newWords(),
		texts: interner{kept: map[string]string{}}}
}

// Read decodes a record into e, or says why not, and then e is zero. What e
// holds (its payload, the lists and the texts in it) is valid until the next
// Read, and only as long as the bytes of rec.Value do not change: keep a copy.
func (r *Reader) Read(rec Record, e *Event) *Fault {
	if r.read(rec, e) {
		return nil
	}
	r.given++
	r.ignored = true
	var fault *Fault
	*e, fault = r.decoder.Decode(rec)
	return fault
}

// Ignored tells whether the last record may have members that nobody knows:
// Explain lists them. False is certain.
func (r *Reader) Ignored() bool { return r.ignored }

// read is the pass; false gives the record to the Decoder.
func (r *Reader) read(rec Record, e *Event) bool {
	r.ignored = false
	if len(rec.Value) == 0 || len(rec.Value) > r.limits.Event {
		return false
	}
	h, ok := readAttributes(rec.Headers)
	if !ok {
		return false
	}
	r.value = rec.Value
	r.strays = r.strays[:0]
	*e = Event{Time: NoTime}
	i := 0
	if at(r.value, 0, byteOrderMark) {
		i = len(byteOrderMark)
	}
	i = r.envelope(&h, space(r.value, i), e)
	return i >= 0 && space(r.value, i) == len(r.value) && r.fits(rec.Key, e) && r.finish(e)
}

// fits holds the key to be the trajectory's id.
func (r *Reader) fits(key []byte, e *Event) bool {
	if key == nil {
		return r.decoder.Keyless && e.Trajectory != ""
	}
	return string(key) == e.Trajectory && e.Trajectory != ""
}

// shorter is now, with what before held beyond it cleared: now lies over before,
// or elsewhere when it has grown.
func shorter[T any](before, now []T) []T {
	if len(now) < len(before) {
		clear(before[len(now):])
	}
	return now
}
