package kafka

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answering lets answer change what the broker says to fetches of partition 0; it
// is given the epoch of the request.
func answering(broker *kfake.Cluster, answer func(epoch int32, p *kmsg.FetchResponseTopicPartition) bool) {
	broker.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		asked := req.(*kmsg.FetchRequest).Topics[0]
		if asked.Partitions[0].Partition != 0 {
			return nil, nil, false
		}
		partition := kmsg.NewFetchResponseTopicPartition()
		if !answer(asked.Partitions[0].LastFetchedEpoch, &partition) {
			return nil, nil, false
		}
		about := kmsg.NewFetchResponseTopic()
		about.Topic, about.TopicID = topic, asked.TopicID
		about.Partitions = append(about.Partitions, partition)
		response := req.ResponseKind().(*kmsg.FetchResponse)
		response.Topics = append(response.Topics, about)
		return response, nil, true
	})
}

// TestTruncated: each request says which leader wrote what was read last. A broker
// whose log has another history there stops the partition.
func TestTruncated(t *testing.T) {
	broker := cluster(t, kfake.NumBrokers(2), kfake.SeedTopics(2, topic))
	for partition := range int32(2) { // apart: a hand-made answer is for one
		if err := broker.MoveTopicPartition(topic, partition, partition); err != nil {
			t.Fatal(err)
		}
	}
	send(t, franz(t, broker), values(0, 0, 10)...)
	epoch := broker.PartitionInfo(topic, 0).Epoch
	var heard atomic.Int32
	answering(broker, func(asked int32, p *kmsg.FetchResponseTopicPartition) bool {
		if asked < 0 {
			return false // nothing was read yet
		}
		heard.Store(asked)
		p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = asked-1, 7
		return true
	})
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0, 1: 0})
	fault := failsAs[*TruncatedError](t, s, 0)
	if diff := cmp.Diff(TruncatedError{Topic: topic, Partition: 0, Offset: 10, Same: 7}, *fault); diff != "" {
		t.Error(diff)
	}
	if got := heard.Load(); got != epoch {
		t.Errorf("the request names epoch %d, the records have %d", got, epoch)
	}
	if text := fault.Error(); !strings.Contains(text, "lost offsets 7 to 9, which were read") {
		t.Errorf("text is %q", text)
	}
	send(t, franz(t, broker), values(1, 0, 5)...)
	reaches(t, s, 1, 5)
}

// TestTruncatedWhileDown: the term of a start is in the first request.
func TestTruncatedWhileDown(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 10)...)
	answering(broker, func(asked int32, p *kmsg.FetchResponseTopicPartition) bool {
		p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = asked-1, 4
		return asked == 6
	})
	s := newShelf()
	startInto(t, client(t, broker), map[int]Start{0: {Offset: 5, Term: 7}}, s)
	failsAs[*TruncatedError](t, s, 0)
	if got := s.texts(0); len(got) > 0 {
		t.Errorf("read %q", got)
	}
}

// TestTermTooOld: a broker that has forgotten a leader of long ago is asked without it.
func TestTermTooOld(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 10)...)
	answering(broker, func(asked int32, p *kmsg.FetchResponseTopicPartition) bool {
		p.ErrorCode = kerr.OffsetOutOfRange.Code
		return asked == 2
	})
	s := newShelf()
	startInto(t, client(t, broker), map[int]Start{0: {Offset: 5, Term: 3}}, s)
	reaches(t, s, 0, 10)
}

// TestTermOfBatch: terms come from the last batch that is passed, also an emptied one.
func TestTermOfBatch(t *testing.T) {
	of := func(epoch int32, b []byte) []byte {
		var batch kmsg.RecordBatch
		if err := batch.ReadFrom(b); err != nil {
			t.Fatal(err)
		}
		batch.PartitionLeaderEpoch, batch.Records = epoch, b[headerSize:]
		return sealed(batch)
	}
	first, second, none := of(4, rawBatch(0, 0, "a")), of(5, rawBatch(1, 3)), of(-1, rawBatch(5, 0, "b"))
	for _, test := range []struct {
		raw  []byte
		want int32
	}{{first, 5}, {append(first, second...), 6}, {append(append(first, second...), none...), 0}} {
		if batch, err := decodeBytes(false, test.raw, 0); err != nil || batch.Term != test.want {
			t.Errorf("term %d, %v; want %d", batch.Term, err, test.want)
		}
	}
}
