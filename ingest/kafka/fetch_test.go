package kafka

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func TestFetchCodecs(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(1, topic))
			producer := franz(t, broker, kgo.ProducerBatchCompression(codec))
			long := &kgo.Record{Value: bytes.Repeat([]byte("abc"), 1000)}
			send(t, producer, append(values(0, 0, 100), long)...)
			s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
			reaches(t, s, 0, 101)
			for i, r := range s.read(0) {
				if r.Offset != int64(i) {
					t.Fatalf("record %d has offset %d", i, r.Offset)
				}
			}
			if got := s.texts(0); got[0] != "0-0" || got[99] != "0-99" || got[100] != strings.Repeat("abc", 1000) {
				t.Errorf("values are %.40q ...", got)
			}
		})
	}
}

func TestFetchRecords(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	at := time.Date(2026, 11, 29, 10, 0, 7, 123e6, time.UTC)
	send(t, franz(t, broker),
		&kgo.Record{Key: []byte("k"), Value: []byte("v"), Timestamp: at, Headers: []kgo.RecordHeader{
			{Key: "id", Value: []byte("1")}, {Key: "id", Value: []byte("2")}, {Key: "none"},
		}},
		&kgo.Record{Key: []byte("k"), Timestamp: at},
		&kgo.Record{Key: []byte{}, Value: []byte{}, Timestamp: at},
	)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: Earliest})
	reaches(t, s, 0, 3)
	want := []Record{
		{Offset: 0, Timestamp: at, Key: []byte("k"), Value: []byte("v"), Headers: []Header{
			{Key: "id", Value: []byte("1")}, {Key: "id", Value: []byte("2")}, {Key: "none"},
		}},
		{Offset: 1, Timestamp: at, Key: []byte("k")},
		{Offset: 2, Timestamp: at, Key: []byte{}, Value: []byte{}},
	}
	if diff := cmp.Diff(want, s.read(0)); diff != "" {
		t.Error(diff)
	}
}

func TestFetchEmptyPartitionIsKnown(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic))
	s, _ := fetch(t, client(t, broker), map[int]int64{0: Earliest, 1: 0})
	reaches(t, s, 0, 0)
	reaches(t, s, 1, 0)
}

func TestFetchHugeRecord(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000000"}))
	producer := franz(t, broker, kgo.ProducerBatchMaxBytes(16<<20))
	huge := bytes.Repeat([]byte("x"), 8<<20)
	for _, partition := range []int32{0, 1} {
		send(t, producer, values(partition, 0, 50)...)
		send(t, producer, &kgo.Record{Partition: partition, Value: huge})
		send(t, producer, values(partition, 51, 50)...)
	}
	s, _ := fetch(t, client(t, broker, func(c *Config) { c.MaxBytes = 64 << 10 }), map[int]int64{0: 0, 1: 0})
	for _, partition := range []int{0, 1} {
		reaches(t, s, partition, 101)
		records := s.read(partition)
		if len(records) != 101 || len(records[50].Value) != len(huge) {
			t.Errorf("partition %d: %d records", partition, len(records))
		}
	}
}

func TestFetchOldBrokers(t *testing.T) {
	for name, versions := range map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(), "1.1": kversion.V1_1_0(), "2.2": kversion.V2_2_0(), "4.0": kversion.V4_0_0(),
	} {
		t.Run(name, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(1, topic), kfake.MaxVersions(versions))
			send(t, franz(t, broker, kgo.MaxVersions(versions), kgo.DisableIdempotentWrite()), values(0, 0, 5)...)
			s, _ := fetch(t, client(t, broker), map[int]int64{0: Earliest})
			reaches(t, s, 0, 5)
		})
	}
}

func TestFetchLateTopic(t *testing.T) {
	broker := cluster(t)
	var told changes
	c := client(t, broker, func(c *Config) { c.Changed = told.add })
	s, _ := fetch(t, c, map[int]int64{0: Earliest})
	eventually(t, "the missing topic is told", func() bool { return len(told.all()) == 1 })
	if err := told.all()[0]; !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("told %v", err)
	}
	if err := broker.CreateTopic(topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	send(t, franz(t, broker), values(0, 0, 2)...)
	reaches(t, s, 0, 2)
	eventually(t, "the end of it is told", func() bool { return len(told.all()) == 2 && told.all()[1] == nil })
}

func TestFetchNotReady(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic))
	producer := franz(t, broker)
	send(t, producer, values(0, 0, 5)...)
	send(t, producer, values(1, 0, 5)...)
	c := client(t, broker)
	s := newShelf()
	s.setClosed(0, true)
	fetchInto(t, c, map[int]int64{0: 0, 1: 0}, s)
	reaches(t, s, 1, 5)
	time.Sleep(50 * time.Millisecond)
	if got := s.at(0); got != -1 {
		t.Fatalf("partition 0 was not ready and is at %d", got)
	}
	woken := time.Now()
	s.setClosed(0, false)
	c.Wake()
	reaches(t, s, 0, 5)
	if took := time.Since(woken); took > 500*time.Millisecond {
		t.Errorf("partition 0 came %v after its wake", took)
	}
}

func TestFetchLeaderMoves(t *testing.T) {
	broker := cluster(t, kfake.NumBrokers(3), kfake.SeedTopics(3, topic))
	producer := franz(t, broker)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0, 1: 0, 2: 0})
	sent := 0
	for round := range int32(4) {
		for partition := range int32(3) {
			if err := broker.MoveTopicPartition(topic, partition, (partition+round)%3); err != nil {
				t.Fatal(err)
			}
			send(t, producer, values(partition, sent, 10)...)
		}
		sent += 10
	}
	for partition := range 3 {
		reaches(t, s, partition, 40)
		if got := s.texts(partition); len(got) != 40 || got[39] != string(values(int32(partition), 39, 1)[0].Value) {
			t.Errorf("partition %d: read %q", partition, got)
		}
	}
}

func TestFetchBrokerReturns(t *testing.T) {
	dir := t.TempDir()
	first, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic), kfake.DataDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	producer := franz(t, first)
	send(t, producer, values(0, 0, 5)...)
	producer.Close()
	var told changes
	s, _ := fetch(t, client(t, first, func(c *Config) { c.Changed = told.add }), map[int]int64{0: 0})
	reaches(t, s, 0, 5)
	port := portOf(t, first)
	first.Close()
	eventually(t, "the loss is told", func() bool { return len(told.all()) == 1 })

	second := cluster(t, kfake.DataDir(dir), kfake.Ports(port))
	send(t, franz(t, second), values(0, 5, 5)...)
	reaches(t, s, 0, 10)
	eventually(t, "the return is told", func() bool { return len(told.all()) == 2 })
	if all := told.all(); all[0] == nil || all[1] != nil {
		t.Errorf("told %v", all)
	}
}

func TestFetchNodeLeaves(t *testing.T) {
	broker := cluster(t, kfake.NumBrokers(2), kfake.SeedTopics(2, topic))
	for partition := range int32(2) {
		if err := broker.MoveTopicPartition(topic, partition, partition); err != nil {
			t.Fatal(err)
		}
	}
	producer := franz(t, broker)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0, 1: 0})
	send(t, producer, append(values(0, 0, 5), values(1, 0, 5)...)...)
	reaches(t, s, 0, 5)
	reaches(t, s, 1, 5)
	if err := broker.RemoveNode(1); err != nil {
		t.Fatal(err)
	}
	send(t, producer, append(values(0, 5, 5), values(1, 5, 5)...)...)
	reaches(t, s, 0, 10)
	reaches(t, s, 1, 10)
}

func TestFetchTransientErrors(t *testing.T) {
	for _, fault := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.UnknownTopicOrPartition, kerr.KafkaStorageError, kerr.UnknownServerError, kerr.OffsetOutOfRange} {
		t.Run(fault.Message, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(2, topic))
			send(t, franz(t, broker), append(values(0, 0, 5), values(1, 0, 5)...)...)
			broker.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Partitions: []int32{0}, Err: fault, Count: 3})
			var told changes
			s, _ := fetch(t, client(t, broker, func(c *Config) { c.Changed = told.add }), map[int]int64{0: 0, 1: 0})
			reaches(t, s, 0, 5)
			reaches(t, s, 1, 5)
			all := told.all()
			if len(all) != 2 || all[0] == nil || all[1] != nil || !strings.Contains(all[0].Error(), "partition 0") {
				t.Errorf("told %v", all)
			}
		})
	}
}

// TestFetchUnknownStart: a partition whose start is not told holds up no other.
func TestFetchUnknownStart(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(3, topic))
	send(t, franz(t, broker), slices.Concat(values(0, 0, 5), values(1, 0, 5), values(2, 0, 5))...)
	fault := broker.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Partitions: []int32{0}, Err: kerr.KafkaStorageError, Count: -1})
	s, _ := fetch(t, client(t, broker), map[int]int64{0: Earliest, 1: Earliest, 2: 0})
	reaches(t, s, 1, 5)
	reaches(t, s, 2, 5)
	if got := s.at(0); got != -1 {
		t.Fatalf("partition 0 is at %d", got)
	}
	fault.Remove()
	reaches(t, s, 0, 5)
}

// TestFetchDoesNotSpin counts the requests of a broker that answers nothing at once.
func TestFetchDoesNotSpin(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	requests := 0
	broker.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		requests++
		return req.ResponseKind(), nil, true
	})
	_, stop := fetch(t, client(t, broker), map[int]int64{0: 0})
	time.Sleep(450 * time.Millisecond)
	stop()
	broker.Close()
	if requests < 2 || requests > 6 {
		t.Errorf("%d requests in 450ms, want one each 100ms", requests)
	}
}

func TestFetchRefusesStart(t *testing.T) {
	c := client(t, cluster(t))
	if err := c.Fetch(t.Context(), map[int]Start{0: {Offset: -1}}, newShelf()); err == nil {
		t.Error("start -1 was taken")
	}
}

func TestBoundsAndPartitions(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(20, topic))
	send(t, franz(t, broker), values(3, 0, 10)...)
	if err := broker.DeleteRecords(topic, 3, 4); err != nil {
		t.Fatal(err)
	}
	c := client(t, broker)
	if n, err := c.Partitions(t.Context()); n != 20 || err != nil {
		t.Errorf("partitions: %d, %v", n, err)
	}
	all := slices.Collect(func(yield func(int) bool) {
		for p := range 20 {
			yield(p)
		}
	})
	bounds, err := c.Bounds(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	if len(bounds) != 20 || bounds[3] != (Bounds{Start: 4, End: 10}) || bounds[19] != (Bounds{}) {
		t.Errorf("bounds are %v", bounds)
	}
	if _, err := c.Bounds(t.Context(), []int{99}); err == nil {
		t.Error("bounds of a partition that does not exist")
	}
}
