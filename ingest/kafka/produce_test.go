package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const out = "effects"

func TestProduce(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic), kfake.SeedTopics(5, out))
	at := time.UnixMilli(1_700_000_000_123)
	var messages []Message
	for i := range 40 {
		messages = append(messages, Message{
			Key: fmt.Appendf(nil, "key-%d", i%20), Value: fmt.Appendf(nil, "%d", i), Timestamp: at,
			Headers: []Header{{Key: "h", Value: []byte("1")}, {Key: "h", Value: nil}},
		})
	}
	messages = append(messages, Message{Value: []byte("no key")}, Message{Key: []byte("tomb")})
	if err := client(t, broker).Produce(t.Context(), out, messages); err != nil {
		t.Fatal(err)
	}

	reader := franz(t, broker, kgo.ConsumeTopics(out))
	java := kgo.StickyKeyPartitioner(nil).ForTopic(out)
	seen := map[string]*kgo.Record{}
	for len(seen) < len(messages) {
		fetches := reader.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			seen[string(r.Value)] = r
			if want := java.Partition(&kgo.Record{Key: r.Key}, 5); r.Key != nil && int(r.Partition) != want {
				t.Errorf("key %q is in partition %d, java says %d", r.Key, r.Partition, want)
			}
		})
	}
	first := seen["0"]
	if !first.Timestamp.Equal(at) || len(first.Headers) != 2 || first.Headers[1].Value != nil {
		t.Errorf("first record is %+v", first)
	}
	if seen["no key"].Key != nil || time.Since(seen["no key"].Timestamp) > time.Minute {
		t.Errorf("record without key is %+v", seen["no key"])
	}
	if tomb := seen[""]; tomb == nil || tomb.Value != nil || string(tomb.Key) != "tomb" {
		t.Errorf("tombstone is %+v", tomb)
	}
	if seen["20"].Partition != first.Partition || seen["20"].Offset < first.Offset {
		t.Errorf("order within a key was lost")
	}
}

func TestProduceSpreadsWithoutKey(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(4, out))
	c := client(t, broker)
	for range 8 {
		if err := c.Produce(t.Context(), out, []Message{{Value: []byte("v")}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, partition := range broker.PartitionInfos(out) {
		if partition.HighWatermark != 2 {
			t.Errorf("partition %d holds %d of 8 messages", partition.Partition, partition.HighWatermark)
		}
	}
}

// TestProduceRefused: the one that is too large is named, all others are stored.
func TestProduceRefused(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, out), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "100000"}))
	var messages []Message
	for i := range 20 {
		messages = append(messages, Message{Key: []byte("k"), Value: fmt.Appendf(nil, "%d", i)})
	}
	messages[13].Value = bytes.Repeat([]byte("x"), 200_000)
	err := client(t, broker).Produce(t.Context(), out, messages)
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("produce returned %v", err)
	}
	var indexes []int
	for _, r := range refused.Refused {
		indexes = append(indexes, r.Index)
	}
	if diff := cmp.Diff([]int{13}, indexes); diff != "" {
		t.Error(diff)
	}
	if stored := broker.PartitionInfo(out, 0).HighWatermark; stored != 19 {
		t.Errorf("%d of 19 are stored", stored)
	}
}

func TestProduceErrors(t *testing.T) {
	for name, test := range map[string]struct {
		fault   *kerr.Error
		refused bool
	}{
		"too large":      {kerr.MessageTooLarge, true},
		"invalid record": {kerr.InvalidRecord, true},
		"not leader":     {kerr.NotLeaderForPartition, false},
		"few replicas":   {kerr.NotEnoughReplicas, false},
		"timed out":      {kerr.RequestTimedOut, false},
		"not authorized": {kerr.TopicAuthorizationFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(1, out))
			c := client(t, broker)
			broker.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: test.fault})
			messages := []Message{{Value: []byte("v")}}
			err := c.Produce(t.Context(), out, messages)
			var refused *RefusedError
			if err == nil || errors.As(err, &refused) != test.refused {
				t.Errorf("produce returned %v", err)
			}
			if err := c.Produce(t.Context(), out, messages); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

func TestProduceUnknownTopic(t *testing.T) {
	c := client(t, cluster(t))
	if err := c.Produce(t.Context(), out, []Message{{}}); !errors.Is(err, ErrUnknownTopic) {
		t.Errorf("produce returned %v", err)
	}
}

func TestProduceUnreachable(t *testing.T) {
	c := unreachable(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	err := c.Produce(ctx, out, []Message{{}})
	var refused *RefusedError
	if err == nil || errors.As(err, &refused) || ctx.Err() != nil {
		t.Errorf("produce returned %v", err)
	}
}
