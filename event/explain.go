package event

import (
	"slices"
	"strings"
)

// mostFaults bounds what Explain says of one record.
const mostFaults = 100

// Explain lists every fault of a record, the one that Decode gives first, and
// the members that are ignored because nobody knows them. Where a fault leaves
// nothing to look at (no JSON, no known type), it is the last.
func (d *Decoder) Explain(rec Record) (faults []*Fault, unknown []string) {
	said := map[string]bool{}
	for len(faults) < mostFaults {
		w := &walk{limits: d.Schema.Limits.orDefaults(), said: said}
		d.decode(w, rec)
		unknown = w.unknown
		if w.fault == nil {
			break
		}
		faults = append(faults, w.fault)
		if w.fault.Reason.hides() {
			return faults, nil
		}
		said[w.fault.place()] = true // the next walk passes over it
	}
	slices.Sort(unknown)
	return faults, slices.Compact(unknown)
}

// place is the member that a fault is about: it begins every detail.
func (f *Fault) place() string {
	place, _, _ := strings.Cut(f.Detail, " ")
	return place
}

// hides tells whether nothing can be said of the rest of a record.
func (r Reason) hides() bool {
	switch r {
	case Malformed, InvalidUTF8, DuplicateMember, BadEnvelope, UnknownType, UnknownVersion, TooLarge, Tombstone:
		return true
	}
	return false
}
