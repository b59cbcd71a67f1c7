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

// Log is what is known of the log that the records of a partition come from. The
// zero value is nothing.
type Log struct {
	Topic      [16]byte // its id, which a topic of the same name made later does not have; zero: not known
	Partitions int      // of the topic
	Term       int32    // of the leader that wrote what was read last, from 1 on; 0: not known
	Start, End int64    // the first offset that there was, and the one behind the last, when last heard of
}

// Entry is a record and what was read from it: an event, or the fault for
// which it is set aside (then Event is not to be used).
type Entry struct {
	Record Record
	Event  Event
	Fault  *Fault

	Ignored bool // the record may have members that nobody knows
}
