package event

// Record is one message of the log as it was read: bytes with an offset. A nil
// Key or Value is absent; a record without value is a tombstone.
type Record struct {
	Offset  int64
	Key     []byte
	Value   []byte
	Headers []Header
}

// Header is one record header.
type Header struct {
	Key   string
	Value []byte
}

// Entry is a record and what was read from it: an event, or the fault for
// which it is set aside (then Event is not to be used).
type Entry struct {
	Record Record
	Event  Event
	Fault  *Fault

	Ignored bool // the record may have members that nobody knows
}
