package kafka

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// decodeBytes decodes raw batches from an offset on, as one answer.
func decodeBytes(committed bool, raw []byte, from int64, aborted ...int64) (Batch, error) {
	answer := kmsg.NewFetchResponseTopicPartition()
	answer.RecordBatches = raw
	for _, first := range aborted {
		answer.AbortedTransactions = append(answer.AbortedTransactions,
			kmsg.FetchResponseTopicPartitionAbortedTransaction{ProducerID: 1, FirstOffset: first})
	}
	return newDecoder(topic, committed).decode(&answer, from)
}

func TestDecodeTimestamps(t *testing.T) {
	value := kmsg.Record{Value: []byte("v")}
	value.Length = int32(len(value.AppendTo(nil)) - 1)
	for name, test := range map[string]struct {
		attributes int16
		first, max int64
		want       time.Time
	}{
		"of the producer": {0, 1_700_000_000_123, 1_800_000_000_000, time.UnixMilli(1_700_000_000_123).UTC()},
		"of the broker":   {1 << 3, 1_700_000_000_123, 1_800_000_000_000, time.UnixMilli(1_800_000_000_000).UTC()},
		"none":            {0, -1, -1, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			batch, err := decodeBytes(false, sealed(kmsg.RecordBatch{
				Magic: 2, Attributes: test.attributes, FirstTimestamp: test.first, MaxTimestamp: test.max,
				NumRecords: 1, Records: value.AppendTo(nil),
			}), 0)
			if err != nil || len(batch.Records) != 1 || !batch.Records[0].Timestamp.Equal(test.want) {
				t.Errorf("decoded %v, %v; want %v", batch.Records, err, test.want)
			}
		})
	}
}

// TestDecodeRecordPastBatch: a record may not move the position past its batch.
func TestDecodeRecordPastBatch(t *testing.T) {
	value := kmsg.Record{OffsetDelta: 7, Value: []byte("v")}
	value.Length = int32(len(value.AppendTo(nil)) - 1)
	raw := sealed(kmsg.RecordBatch{Magic: 2, NumRecords: 1, Records: value.AppendTo(nil)})
	if batch, err := decodeBytes(false, raw, 0); err == nil || batch.Next != 0 {
		t.Errorf("decoded up to %d, %v", batch.Next, err)
	}
}

// FuzzDecode holds, on any bytes: no panic; progress or an error, never both; the
// position never goes back; records ascend within what is covered.
func FuzzDecode(f *testing.F) {
	producer := rawBatch(0, 2, "a", "b", "c")
	f.Add(producer, int64(0), false, int64(0))
	f.Add(append(rawBatch(0, 4), rawBatch(5, 0, "x")...), int64(2), true, int64(1))
	f.Add(producer[:40], int64(0), false, int64(0))
	control := kmsg.RecordBatch{FirstOffset: 3, Magic: 2, Attributes: 0x30, ProducerID: 1, NumRecords: 1,
		Records: []byte{0x20, 0, 0, 0, 8, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0}}
	f.Add(append(sealed(kmsg.RecordBatch{Magic: 2, Attributes: 0x10, ProducerID: 1, LastOffsetDelta: 2}), sealed(control)...), int64(0), true, int64(0))
	for _, codec := range []kgo.CompressionCodec{kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		compressor, err := kgo.DefaultCompressor(codec)
		if err != nil {
			f.Fatal(err)
		}
		packed, attribute := compressor.Compress(new(bytes.Buffer), producer[headerSize:])
		f.Add(sealed(kmsg.RecordBatch{Magic: 2, Attributes: int16(attribute), LastOffsetDelta: 2, NumRecords: 3, Records: packed}), int64(1), false, int64(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, from int64, committed bool, aborted int64) {
		if from < 0 || from == math.MaxInt64 {
			return
		}
		check := func(raw []byte) {
			batch, err := decodeBytes(committed, raw, from, aborted)
			switch {
			case err != nil && (batch.Next != from || len(batch.Records) > 0):
				t.Fatalf("progress to %d and %v", batch.Next, err)
			case err == nil && len(raw) > 0 && batch.Next <= from:
				t.Fatalf("%d bytes, no error, and from %d to %d", len(raw), from, batch.Next)
			}
			last := from - 1
			for _, r := range batch.Records {
				if r.Offset <= last || r.Offset >= batch.Next {
					t.Fatalf("record at %d after %d, next is %d", r.Offset, last, batch.Next)
				}
				last = r.Offset
			}
		}
		check(raw)
		check(resealed(raw))
	})
}

// FuzzAnswer holds that no bytes of an answer make parsing or decoding panic.
func FuzzAnswer(f *testing.F) {
	partition := kmsg.NewFetchResponseTopicPartition()
	partition.RecordBatches = rawBatch(0, 1, "a", "b")
	about := kmsg.NewFetchResponseTopic()
	about.Topic, about.Partitions = topic, append(about.Partitions, partition)
	for version := int16(4); version <= 11; version++ {
		answer := kmsg.NewPtrFetchResponse()
		answer.SetVersion(version)
		answer.Topics = append(answer.Topics, about)
		f.Add(answer.AppendTo(nil), version)
	}
	d := newDecoder(topic, true)
	f.Fuzz(func(t *testing.T, raw []byte, version int16) {
		response := fetchResponse{body: takeBody()}
		response.body.Write(raw)
		defer response.release()
		answer, err := response.parse(4 + int16(uint16(version)%8))
		if err != nil {
			return
		}
		for _, about := range answer.Topics {
			for i := range about.Partitions {
				d.decode(&about.Partitions[i], 0)
			}
		}
	})
}

// resealed gives the first batch of raw the right length and crc, so that fuzzing
// gets past them.
func resealed(raw []byte) []byte {
	if len(raw) < headerSize {
		return nil
	}
	var batch kmsg.RecordBatch
	if err := batch.ReadFrom(raw); err != nil {
		return nil
	}
	batch.Magic = 2
	batch.Records = raw[headerSize:]
	return sealed(batch)
}
