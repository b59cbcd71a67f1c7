package state

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"blipd/event"
)

// Letter is a record in the outbox: it waits to be sent to a topic.
type Letter struct {
	Sequence int64 // its place in the outbox of its partition
	Key      []byte
	Value    []byte
	Headers  []event.Header
}

// letterHead is how much of a record that is too large its dead letter holds.
const letterHead = 64 << 10

// letterMost is the size from which on the value of any record, or its key and
// headers together, count as too large for the outbox: Badger takes values of up to
// 64 MiB.
const letterMost = 16 << 20

// reject counts a record that has no effect, and writes its dead letter.
func (f *fold) reject(rec *event.Record, fault *event.Fault) {
	f.stats.Rejected[fault.Reason]++
	if !f.letters || !fault.Reason.DeadLetter() {
		return
	}
	l := Letter{Key: rec.Key, Value: rec.Value}
	large := letterSize(&event.Record{Key: rec.Key, Headers: rec.Headers}) > letterMost
	if large { // of key and headers, which no limit bounds but the broker's
		l.Key = rec.Key[:min(len(rec.Key), letterHead)]
	} else {
		l.Headers = append(l.Headers, rec.Headers...)
	}
	head := func(name, value string) {
		l.Headers = append(l.Headers, event.Header{Key: "blipd-" + name, Value: []byte(value)})
	}
	head("reason", fault.Reason.String())
	head("detail", fault.Detail)
	head("topic", f.topic)
	head("partition", strconv.Itoa(f.stats.Partition))
	head("offset", strconv.FormatInt(rec.Offset, 10))
	if large {
		head("left-out", strconv.Itoa(len(rec.Headers))+" headers, and the key beyond "+strconv.Itoa(letterHead)+" bytes")
	}
	if fault.Reason == event.TooLarge && len(rec.Value) > letterHead || len(rec.Value) > letterMost {
		sum := sha256.Sum256(rec.Value)
		head("size", strconv.Itoa(len(rec.Value)))
		head("sha256", hex.EncodeToString(sum[:]))
		l.Value = rec.Value[:letterHead]
	}
	f.changes.outbox = append(f.changes.outbox, l)
	f.changes.size += letterSize(&event.Record{Key: l.Key, Value: l.Value, Headers: l.Headers})
}

// letterSize is what the dead letter of a record takes on disk, or a little more.
func letterSize(rec *event.Record) int {
	size := 600 + len(rec.Key) + len(rec.Value)
	for _, h := range rec.Headers {
		size += 10 + len(h.Key) + len(h.Value)
	}
	return size
}
