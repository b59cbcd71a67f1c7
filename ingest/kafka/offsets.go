package kafka

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// Earliest as a start offset means the first offset that the log still has.
const Earliest int64 = -2

// Bounds are the ends of a partition's log: Start is the first offset that exists,
// End the one after the last that can be read (with Config.ReadCommitted: before
// the first open transaction).
type Bounds struct{ Start, End int64 }

// boundsAtOnce limits the partitions of one ListOffsets call: kafka-go sends two
// requests for each at the same time, every one on a connection of its own.
const boundsAtOnce = 8

// Bounds asks the leaders for the ends of the given partitions.
func (c *Client) Bounds(ctx context.Context, partitions []int) (map[int]Bounds, error) {
	return c.bounds(ctx, partitions, c.config.ReadCommitted)
}

func (c *Client) bounds(ctx context.Context, partitions []int, committed bool) (map[int]Bounds, error) {
	bounds := make(map[int]Bounds, len(partitions))
	for first := 0; first < len(partitions); first += boundsAtOnce {
		some := partitions[first:min(first+boundsAtOnce, len(partitions))]
		if err := c.someBounds(ctx, some, committed, bounds); err != nil {
			return nil, err
		}
	}
	return bounds, nil
}

func (c *Client) someBounds(ctx context.Context, partitions []int, committed bool, bounds map[int]Bounds) error {
	topic := c.config.Topic
	var questions []kafka.OffsetRequest
	for _, partition := range partitions {
		questions = append(questions, kafka.FirstOffsetOf(partition), kafka.LastOffsetOf(partition))
	}
	request := kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: questions}}
	if committed {
		request.IsolationLevel = kafka.ReadCommitted
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client := kafka.Client{Addr: c.addr, Transport: c.transport(topic)}
	answer, err := client.ListOffsets(ctx, &request)
	if err != nil {
		return fmt.Errorf("offsets of topic %q partitions %v: %w", topic, partitions, advised(err))
	}
	for _, partition := range answer.Topics[topic] {
		if partition.Error != nil {
			return fmt.Errorf("offsets of topic %q partition %d: %w", topic, partition.Partition, advised(partition.Error))
		}
		if partition.FirstOffset < 0 || partition.LastOffset < 0 {
			return fmt.Errorf("offsets of topic %q partition %d: start %d, end %d in the answer",
				topic, partition.Partition, partition.FirstOffset, partition.LastOffset)
		}
		bounds[partition.Partition] = Bounds{Start: partition.FirstOffset, End: partition.LastOffset}
	}
	for _, partition := range partitions {
		if _, ok := bounds[partition]; !ok {
			return fmt.Errorf("offsets of topic %q partition %d: missing in the answer", topic, partition)
		}
	}
	return nil
}
