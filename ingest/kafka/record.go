package kafka

import "time"

// A Record is one message of a partition. Key and Value are nil when absent (a
// record without value is a tombstone), and empty, not nil, when empty. All bytes
// are parts of one buffer of their batch: whoever keeps a few keeps all of it,
// and copies instead.
type Record struct {
	Offset    int64
	Timestamp time.Time // UTC, of the producer or the broker; zero when there is none
	Key       []byte
	Value     []byte
	Headers   []Header // in order, names may repeat
}

// A Header is a named value beside a record.
type Header struct {
	Key   string
	Value []byte
}

// A Batch is what one answer brought of one partition. It may hold no records and
// still move Next, or bring only new marks.
type Batch struct {
	Partition int
	Log       Log // that it was read from
	Records   []Record

	// Next is the offset to go on from: after everything the batch covers, markers,
	// aborted records and holes included.
	Next int64

	// Term numbers the leader of the partition that wrote what lies before Next, from
	// 1 on: Kafka's leader epoch and 1. 0 is not known.
	Term int32

	// HighWatermark is the end of the log, LogStart its first offset, at the time of
	// the answer.
	HighWatermark, LogStart int64
}
