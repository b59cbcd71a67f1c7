package kafka

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// transactions writes 3 committed, 3 aborted, 3 plain, 3 committed and 3 aborted
// records: the log ends with a marker, at offset 19.
func transactions(t *testing.T, broker *kfake.Cluster) {
	t.Helper()
	producer := franz(t, broker, kgo.TransactionalID("writer"))
	plain := franz(t, broker)
	transact := func(from int, commit kgo.TransactionEndTry) {
		t.Helper()
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		send(t, producer, values(0, from, 3)...)
		if err := producer.EndTransaction(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
	}
	transact(0, kgo.TryCommit)
	transact(100, kgo.TryAbort)
	send(t, plain, values(0, 200, 3)...)
	transact(300, kgo.TryCommit)
	transact(400, kgo.TryAbort)
}

func TestTransactionsCommitted(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	transactions(t, broker)
	want := []string{"0-0", "0-1", "0-2", "0-200", "0-201", "0-202", "0-300", "0-301", "0-302"}
	for start, lost := range map[int64]int{0: 0, 2: 2, 5: 3} { // 5 is within the first aborted one
		s, _ := fetch(t, client(t, broker, func(c *Config) { c.ReadCommitted = true }), map[int]int64{0: start})
		reaches(t, s, 0, 19)
		if diff := cmp.Diff(want[lost:], s.texts(0)); diff != "" {
			t.Errorf("from %d: %s", start, diff)
		}
	}
}

func TestTransactionsUncommitted(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	transactions(t, broker)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
	reaches(t, s, 0, 19)
	if got := s.texts(0); len(got) != 15 || got[3] != "0-100" {
		t.Errorf("read %q, want 15 values without markers", got)
	}
}

func TestTransactionOpen(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 2)...)
	producer := franz(t, broker, kgo.TransactionalID("writer"))
	if err := producer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	send(t, producer, values(0, 2, 2)...)
	c := client(t, broker, func(c *Config) { c.ReadCommitted = true })
	s, _ := fetch(t, c, map[int]int64{0: 0})
	reaches(t, s, 0, 2)
	bounds, err := c.Bounds(t.Context(), []int{0})
	if err != nil || bounds[0].End != 2 {
		t.Errorf("bounds are %v, %v; the open transaction starts at 2", bounds, err)
	}
	if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	reaches(t, s, 0, 5)
}

func TestOffsetBelowStart(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic))
	send(t, franz(t, broker), append(values(0, 0, 10), values(1, 0, 10)...)...)
	if err := broker.DeleteRecords(topic, 0, 7); err != nil {
		t.Fatal(err)
	}
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 3, 1: 3})
	eventually(t, "partition 0 fails", func() bool { return s.failure(0) != nil })
	var gone *OffsetError
	if !errors.As(s.failure(0), &gone) {
		t.Fatalf("failed with %v", s.failure(0))
	}
	want := OffsetError{Topic: topic, Partition: 0, Offset: 3, LogStart: 7, LogEnd: 10}
	if diff := cmp.Diff(want, *gone); diff != "" {
		t.Error(diff)
	}
	if text := gone.Error(); !strings.Contains(text, "deleted 4 offsets") {
		t.Errorf("text is %q", text)
	}
	reaches(t, s, 1, 10)
	if s.failure(1) != nil || s.at(0) != -1 {
		t.Errorf("partition 1 failed with %v, partition 0 is at %d", s.failure(1), s.at(0))
	}
}

func TestOffsetPastEnd(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 10)...)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 11})
	eventually(t, "partition 0 fails", func() bool { return s.failure(0) != nil })
	if text := s.failure(0).Error(); !strings.Contains(text, "the log ends at 10") || !strings.Contains(text, "recreated") {
		t.Errorf("text is %q", text)
	}
}

// rawBatch is a record batch of one partition as producers make it.
func rawBatch(base int64, lastDelta int32, records ...string) []byte {
	var payload []byte
	for i, value := range records {
		r := kmsg.Record{OffsetDelta: int32(i), Value: []byte(value)}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		payload = r.AppendTo(payload)
	}
	return sealed(kmsg.RecordBatch{
		FirstOffset: base, Magic: 2, LastOffsetDelta: lastDelta, ProducerID: -1, ProducerEpoch: -1,
		FirstSequence: -1, NumRecords: int32(len(records)), Records: payload,
	})
}

// sealed fills in length and crc.
func sealed(batch kmsg.RecordBatch) []byte {
	raw := batch.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[lengthAt:], uint32(len(raw)-lengthBase))
	binary.BigEndian.PutUint32(raw[magicAt+1:], crc32.Checksum(raw[magicAt+5:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// serve answers every fetch of partition 0 with the bytes that belong to its
// offset, and empty where there are none.
func serve(broker *kfake.Cluster, high int64, log map[int64][]byte) {
	broker.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		asked := req.(*kmsg.FetchRequest).Topics[0].Partitions[0]
		partition := kmsg.NewFetchResponseTopicPartition()
		partition.HighWatermark, partition.LastStableOffset = high, high
		partition.RecordBatches = log[asked.FetchOffset]
		t := kmsg.NewFetchResponseTopic()
		t.Topic, t.TopicID = topic, req.(*kmsg.FetchRequest).Topics[0].TopicID
		t.Partitions = append(t.Partitions, partition)
		response := req.ResponseKind().(*kmsg.FetchResponse)
		response.Topics = append(response.Topics, t)
		return response, nil, true
	})
}

func reportKafkaGo1416(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	serve(broker, 40, map[int64][]byte{
		0:  rawBatch(0, 2),                                                   // emptied, alone
		3:  slices.Concat(rawBatch(5, 4), rawBatch(10, 9, "a", "b")),         // a hole, emptied, then records and a hole
		20: slices.Concat(rawBatch(18, 4, "x", "y", "c"), rawBatch(23, 6)),   // starts before what was asked for
		30: slices.Concat(rawBatch(30, 9, "d"), rawBatch(40, 0, "cut")[:50]), // ends with a cut batch
	})
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
	reaches(t, s, 0, 40)
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, s.texts(0)); diff != "" {
		t.Error(diff)
	}
}

func TestCorruptBatches(t *testing.T) {
	good := rawBatch(0, 1, "a", "b")
	flipped := rawBatch(2, 0, "c")
	flipped[len(flipped)-2] ^= 1
	codec := kmsg.RecordBatch{FirstOffset: 2, Magic: 2, Attributes: 6, NumRecords: 1, Records: []byte("?")}
	zstd := kmsg.RecordBatch{FirstOffset: 2, Magic: 2, Attributes: 4, NumRecords: 1, Records: []byte("?")}
	short := kmsg.RecordBatch{FirstOffset: 2, Magic: 2, LastOffsetDelta: 4, NumRecords: 5, Records: []byte{2, 0}}
	negative := kmsg.RecordBatch{FirstOffset: 2, Magic: 2, NumRecords: -1}
	old := rawBatch(2, 0, "c")
	old[magicAt] = 1
	for name, test := range map[string]struct {
		bad  []byte
		says string
	}{
		"crc":      {flipped, "crc"},
		"codec":    {sealed(codec), "codec"},
		"zstd":     {sealed(zstd), "decompress"},
		"count":    {sealed(short), "holds 0 of 5 records"},
		"negative": {sealed(negative), "claims -1 records"},
		"format":   {old, "message format 1"},
		"backward": {rawBatch(0, 0, "again"), "before the one asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			after := rawBatch(3, 0, "d") // must not be reached over the bad one
			if name == "backward" {
				after = nil
			}
			broker := cluster(t, kfake.SeedTopics(1, topic))
			serve(broker, 4, map[int64][]byte{
				0: slices.Concat(good, test.bad, after),
				2: slices.Concat(test.bad, after),
			})
			s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
			eventually(t, "partition 0 fails", func() bool { return s.failure(0) != nil })
			var corrupt *CorruptError
			if !errors.As(s.failure(0), &corrupt) || corrupt.Offset != 2 || !strings.Contains(corrupt.Error(), test.says) {
				t.Errorf("failed with %v", s.failure(0))
			}
			if diff := cmp.Diff([]string{"a", "b"}, s.texts(0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCutBatchIsTemporary(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	log := map[int64][]byte{0: rawBatch(0, 0, "a")[:40]}
	serve(broker, 1, log)
	var told changes
	s, _ := fetch(t, client(t, broker, func(c *Config) { c.Changed = told.add }), map[int]int64{0: 0})
	eventually(t, "the cut batch is told", func() bool { return len(told.all()) == 1 })
	if s.failure(0) != nil || !strings.Contains(told.all()[0].Error(), "no whole batch") {
		t.Errorf("failed with %v, told %v", s.failure(0), told.all())
	}
}
