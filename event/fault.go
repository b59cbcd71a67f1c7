package event

import "fmt"

// Reason says, from a closed list, why a record has no effect.
type Reason uint8

// The reasons. Those up to Late are set aside with a dead letter; the others are
// only counted.
const (
	Malformed         Reason = iota + 1 // not one JSON object, or something behind it
	InvalidUTF8                         // bytes that are no UTF-8, or a lone surrogate
	DuplicateMember                     // a name twice in one object
	MisspeltMember                      // differs only in case from a known name
	WrongType                           // a string for a number, null, ...
	MissingMember                       // a required member is absent or empty
	BadNumber                           // not finite, not whole, or outside what it counts
	BadTime                             // not RFC 3339
	BadEnvelope                         // CloudEvents attributes that contradict themselves
	UnknownType                         // none of the types
	UnknownVersion                      // blipd.decision.v2
	UnknownOutcome                      // an outcome that the experiment does not have
	OutOfRange                          // an outcome outside its range
	NoExperiment                        // none named, several configured
	UnknownExperiment                   // named, not configured
	KeyMismatch                         // the record key is not the trajectory id
	TooLarge                            // an event or a text above its limit
	TooMany                             // more decisions or members than the limits allow
	Conflict                            // other content under a known identity
	Late                                // after the trajectory was settled
	Duplicate                           // the same content again
	StaleRevision                       // a lower revision than the one held
	Tombstone                           // a record without value
	Excluded                            // of a trajectory that was excluded

	reasons // their number
)

var reasonNames = [reasons]string{
	Malformed: "malformed", InvalidUTF8: "invalid_utf8", DuplicateMember: "duplicate_member",
	MisspeltMember: "misspelt_member", WrongType: "wrong_type", MissingMember: "missing_member",
	BadNumber: "bad_number", BadTime: "bad_time", BadEnvelope: "bad_envelope", UnknownType: "unknown_type",
	UnknownVersion: "unknown_version", UnknownOutcome: "unknown_outcome", OutOfRange: "out_of_range",
	NoExperiment: "no_experiment", UnknownExperiment: "unknown_experiment", KeyMismatch: "key_mismatch",
	TooLarge: "too_large", TooMany: "too_many", Conflict: "conflict", Late: "late",
	Duplicate: "duplicate", StaleRevision: "stale_revision", Tombstone: "tombstone", Excluded: "excluded",
}

// Reasons lists all reasons in a fixed order.
func Reasons() []Reason {
	all := make([]Reason, 0, reasons-1)
	for r := Malformed; r < reasons; r++ {
		all = append(all, r)
	}
	return all
}

// String is the reason as metrics and dead letters carry it.
func (r Reason) String() string {
	if r == 0 || r >= reasons {
		return "unknown"
	}
	return reasonNames[r]
}

// DeadLetter tells whether a record set aside for r is sent on for a human to
// look at; duplicates, stale revisions and tombstones are only counted, and so is
// what was excluded: it is to be kept nowhere.
func (r Reason) DeadLetter() bool { return r >= Malformed && r <= Late }

// Fault is why a record has no effect, in words its producer can act on: the
// member, what it held, the rule, what to send instead.
type Fault struct {
	Reason Reason
	Detail string
}

// Error is the reason and the detail.
func (f *Fault) Error() string { return f.Reason.String() + ": " + f.Detail }

// Faultf makes a fault.
func Faultf(r Reason, format string, args ...any) *Fault {
	return &Fault{Reason: r, Detail: fmt.Sprintf(format, args...)}
}
