package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// decoder reads the batches of a topic. It is safe for concurrent use.
type decoder struct {
	topic     string
	isolation kgo.IsolationLevel
}

func newDecoder(topic string, committed bool) *decoder {
	isolation := kgo.ReadUncommitted()
	if committed {
		isolation = kgo.ReadCommitted()
	}
	return &decoder{topic: topic, isolation: isolation}
}

// decode reads what an answer holds of a partition from an offset on. Either the
// batch makes all the progress that the good bytes allow, or there is an error: a
// bad batch behind a good one is left for the next answer, which begins with it.
func (d *decoder) decode(answer *kmsg.FetchResponseTopicPartition, from int64) (Batch, error) {
	batch := Batch{
		Partition:     int(answer.Partition),
		Next:          from,
		HighWatermark: answer.HighWatermark,
		LogStart:      answer.LogStartOffset,
	}
	raw := answer.RecordBatches
	if len(raw) == 0 {
		return batch, nil
	}
	spans, err := walk(raw)
	for len(spans) > 1 && spans[0].last < from { // no broker sends it
		raw = raw[spans[0].stop:]
		spans, err = walk(raw)
	}
	answer.RecordBatches = raw
	if len(spans) == 0 && err == nil {
		// No broker of Fetch v4 cuts the first batch. This may pass, so it is retried.
		return batch, fmt.Errorf("topic %q partition %d offset %d: %d bytes hold no whole batch",
			d.topic, batch.Partition, from, len(raw))
	}
	next := from
	var records []*kgo.Record
	if len(spans) > 0 {
		records, next, err = d.process(answer, from, spans, err)
	}
	if next == from {
		if errors.Is(err, errTooLarge) {
			return batch, &TooLargeError{Topic: d.topic, Partition: batch.Partition, Offset: from,
				First: spans[0].base, Last: spans[0].last, Packed: spans[0].stop, Limit: mostUnpacked}
		}
		if err == nil {
			err = fmt.Errorf("%d batches end at offset %d, before the one asked for", len(spans), spans[len(spans)-1].last)
		}
		return batch, &CorruptError{Topic: d.topic, Partition: batch.Partition, Offset: from, Err: err}
	}
	batch.Records = convert(records)
	batch.Next = next
	for _, s := range spans {
		if s.last < next {
			batch.Term = s.term
		}
	}
	return batch, nil
}

// process decodes the walked batches up to the first whose content is not what its
// header claims, which the batch decoder would pass over. The error given, of the
// walk, stands behind them.
func (d *decoder) process(answer *kmsg.FetchResponseTopicPartition, from int64, spans []span, walked error) ([]*kgo.Record, int64, error) {
	records, next, counts, err := d.run(answer, from, spans)
	for i, count := range counts {
		if count == spans[i].count || spans[i].last < from {
			continue
		}
		if err == nil {
			err = fmt.Errorf("batch at offset %d holds %d of %d records", spans[i].base, count, spans[i].count)
		}
		if i == 0 {
			return nil, from, err
		}
		cut := err
		records, next, _, err = d.run(answer, from, spans[:i])
		if err == nil {
			err = cut
		}
		return records, next, err
	}
	if err == nil {
		err = walked
	}
	if end := spans[len(spans)-1].last + 1; next > max(end, from) {
		return nil, from, fmt.Errorf("records up to offset %d lie past their batch, which ends before %d", next-1, end)
	}
	return records, next, err
}

// run hands whole batches to the decoder of franz-go: crc, codec, records, control
// markers, aborted transactions. counts says how many records each batch held, as
// far as it came. The decoder is meant not to panic; if it does, that is an error.
func (d *decoder) run(answer *kmsg.FetchResponseTopicPartition, from int64, spans []span) (records []*kgo.Record, next int64, counts []int, err error) {
	defer func() {
		if p := recover(); p != nil {
			records, next, counts, err = nil, from, nil, fmt.Errorf("%d batches: the decoder panicked: %v", len(spans), p)
		}
	}()
	whole := *answer
	whole.ErrorCode = 0
	whole.RecordBatches = answer.RecordBatches[:spans[len(spans)-1].stop]
	options := kgo.ProcessFetchPartitionOpts{
		Offset:         from,
		IsolationLevel: d.isolation,
		Topic:          d.topic,
		Partition:      answer.Partition,
	}
	counts = make([]int, 0, len(spans))
	partition, next := kgo.ProcessFetchPartition(options, &whole, &unpacker{limit: mostUnpacked}, func(m kgo.FetchBatchMetrics) {
		counts = append(counts, m.NumRecords)
	})
	return partition.Records, next, counts, partition.Err
}

// span is what the header of one record batch claims.
type span struct {
	stop       int   // index of the byte after it
	base, last int64 // offsets it covers, also where nothing is left at them
	count      int   // records in it
	term       int32 // see Batch
}

// Places in a record batch, format 2.
const (
	lengthAt    = 8
	lengthBase  = 12 // the length counts from here
	epochAt     = 12
	magicAt     = 16
	lastDeltaAt = 23
	countAt     = 57
	headerSize  = 61
)

// walk lists the whole batches at the head of raw. It stops without an error at a
// cut one, as brokers leave at the end of an answer, and with one at a header that
// cannot be true.
func walk(raw []byte) ([]span, error) {
	var spans []span
	next := int64(0) // batches never overlap or go back
	for at := 0; len(raw)-at > magicAt; {
		b := raw[at:]
		base := int64(binary.BigEndian.Uint64(b))
		length := int64(int32(binary.BigEndian.Uint32(b[lengthAt:])))
		if magic := b[magicAt]; magic != 2 {
			return spans, fmt.Errorf("batch at offset %d has message format %d, not 2; formats before kafka 0.11 are not read", base, int8(magic))
		}
		if length < headerSize-lengthBase {
			return spans, fmt.Errorf("batch at offset %d claims a length of %d", base, length)
		}
		if int64(len(b)) < lengthBase+length {
			break
		}
		delta := int64(int32(binary.BigEndian.Uint32(b[lastDeltaAt:])))
		count := int64(int32(binary.BigEndian.Uint32(b[countAt:])))
		last := base + delta
		if base < next || delta < 0 || last < base || count < 0 || count > delta+1 {
			return spans, fmt.Errorf("batch at offset %d claims %d records and %d more offsets, after offset %d", base, count, delta, next-1)
		}
		at += int(lengthBase + length)
		next = last + 1
		spans = append(spans, span{stop: at, base: base, last: last, count: int(count), term: max(0, int32(binary.BigEndian.Uint32(b[epochAt:]))+1)})
	}
	return spans, nil
}

func convert(from []*kgo.Record) []Record {
	if len(from) == 0 {
		return nil
	}
	records := make([]Record, len(from))
	for i, r := range from {
		records[i] = Record{Offset: r.Offset, Key: r.Key, Value: r.Value}
		if r.Timestamp.UnixMilli() >= 0 {
			records[i].Timestamp = r.Timestamp.UTC()
		}
		if len(r.Headers) > 0 {
			records[i].Headers = make([]Header, len(r.Headers))
			for j, h := range r.Headers {
				records[i].Headers[j] = Header{Key: h.Key, Value: h.Value}
			}
		}
	}
	return records
}
