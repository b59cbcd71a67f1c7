package kafka

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxRequestBytes bounds one answer over all its partitions.
const maxRequestBytes = 128 << 20

// want is one partition of a request and where it goes on.
type want struct {
	partition int
	from      int64 // or Earliest, until it is known
	earliest  bool  // from was Earliest
}

// outcome is what a request brought of one partition. With an error only
// Batch.Partition is set.
type outcome struct {
	Batch
	err error
}

// answer is one finished request. With err nothing came.
type answer struct {
	leader   int32
	wants    []want
	sent     time.Time
	outcomes []outcome
	err      error
}

// poll sends one request to one broker and decodes the answer. wants are not
// changed, so an Earliest that fails is found anew next time.
func (c *Client) poll(ctx context.Context, d *decoder, leader int32, wants []want, wait time.Duration) ([]outcome, error) {
	wants, unknown := c.starts(ctx, wants)
	if len(wants) == 0 {
		return unknown, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait+requestTimeout)
	defer cancel()
	request := c.request(leader, wants, wait)
	m, err := c.transport(c.config.Topic).RoundTrip(ctx, c.addr, request)
	if err != nil {
		return nil, fmt.Errorf("fetch topic %q from broker %d: %w", c.config.Topic, leader, advised(err))
	}
	response, ok := m.(*fetchResponse)
	if !ok {
		return nil, fmt.Errorf("fetch topic %q from broker %d: answer is %T: the raw response type was replaced", c.config.Topic, leader, m)
	}
	defer response.release()
	parsed, err := response.parse(request.version)
	if err == nil && parsed.ErrorCode != 0 {
		err = kafka.Error(parsed.ErrorCode)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch topic %q from broker %d: %w", c.config.Topic, leader, err)
	}
	return append(unknown, c.read(ctx, d, parsed, wants)...), nil
}

// starts puts the log's start in the place of Earliest. A partition whose start
// cannot be found keeps no other from being read.
func (c *Client) starts(ctx context.Context, wants []want) (known []want, unknown []outcome) {
	var earliest []int
	for _, w := range wants {
		if w.from == Earliest {
			earliest = append(earliest, w.partition)
		}
	}
	if len(earliest) == 0 {
		return wants, nil
	}
	all, err := c.Bounds(ctx, earliest)
	for _, w := range wants {
		if w.from == Earliest {
			bounds := all
			if err != nil {
				var alone error
				if bounds, alone = c.Bounds(ctx, []int{w.partition}); alone != nil {
					unknown = append(unknown, outcome{Batch: Batch{Partition: w.partition}, err: alone})
					continue
				}
			}
			w = want{partition: w.partition, from: bounds[w.partition].Start, earliest: true}
		}
		known = append(known, w)
	}
	return known, unknown
}

func (c *Client) request(leader int32, wants []want, wait time.Duration) *fetchRequest {
	topic := fetchTopic{Topic: c.config.Topic}
	for _, w := range wants {
		topic.Partitions = append(topic.Partitions, fetchPartition{
			Partition:          int32(w.partition),
			CurrentLeaderEpoch: -1, // not known: kafka-go's metadata leaves it out
			FetchOffset:        w.from,
			LogStartOffset:     -1, // only followers have one
			PartitionMaxBytes:  int32(c.config.MaxBytes),
		})
	}
	request := &fetchRequest{
		ReplicaID:    -1,
		MaxWaitTime:  int32(wait / time.Millisecond),
		MinBytes:     1,
		MaxBytes:     int32(min(c.config.MaxBytes*len(wants), maxRequestBytes)),
		SessionEpoch: -1, // no session
		Topics:       []fetchTopic{topic},
		leader:       leader,
	}
	if c.config.ReadCommitted {
		request.IsolationLevel = 1
	}
	return request
}

// read decodes the partitions of an answer that were asked for; others, and second
// ones, are passed over.
func (c *Client) read(ctx context.Context, d *decoder, parsed *kmsg.FetchResponse, wants []want) []outcome {
	outcomes := make([]outcome, 0, len(wants))
	done := make(map[int]bool, len(wants))
	for _, topic := range parsed.Topics {
		for i := range topic.Partitions {
			partition := &topic.Partitions[i]
			id := int(partition.Partition)
			at := slices.IndexFunc(wants, func(w want) bool { return w.partition == id })
			if topic.Topic != c.config.Topic || at < 0 || done[id] {
				continue
			}
			done[id] = true
			batch, err := c.readPartition(ctx, d, partition, wants[at])
			batch.Partition = id
			outcomes = append(outcomes, outcome{Batch: batch, err: err})
		}
	}
	return outcomes
}

func (c *Client) readPartition(ctx context.Context, d *decoder, partition *kmsg.FetchResponseTopicPartition, w want) (Batch, error) {
	switch code := kafka.Error(partition.ErrorCode); code {
	case 0:
		// The records keep the bytes they point to, and the body goes back.
		partition.RecordBatches = bytes.Clone(partition.RecordBatches)
		return d.decode(partition, w.from)
	case kafka.OffsetOutOfRange:
		if w.earliest {
			return Batch{}, fmt.Errorf("topic %q partition %d: the log's start moved past %d while it was asked for", c.config.Topic, w.partition, w.from)
		}
		return Batch{}, c.outOfRange(ctx, w)
	default:
		return Batch{}, fmt.Errorf("topic %q partition %d: %w", c.config.Topic, w.partition, advised(code))
	}
}

// outOfRange finds out why a broker refused an offset. Inside the log it was a
// leader that is behind for now.
func (c *Client) outOfRange(ctx context.Context, w want) error {
	bounds, err := c.bounds(ctx, []int{w.partition}, false)
	if err != nil {
		return err
	}
	b := bounds[w.partition]
	if b.Start <= w.from && w.from <= b.End {
		return fmt.Errorf("topic %q partition %d: offset %d refused as out of range within %d and %d",
			c.config.Topic, w.partition, w.from, b.Start, b.End)
	}
	return &OffsetError{Topic: c.config.Topic, Partition: w.partition, Offset: w.from, LogStart: b.Start, LogEnd: b.End}
}
