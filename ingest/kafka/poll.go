package kafka

import (
	"bytes"
	"context"
	"errors"
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
	topic     TopicID
	term      int32
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
	outcomes := c.read(ctx, d, parsed, wants)
	if request.version < fetchByID {
		c.verify(ctx, wants, outcomes)
	}
	return append(unknown, outcomes...), nil
}

// verify takes back what came from another topic than wanted, records and faults
// alike, where the request could not say which: a topic that still has its id had
// it when it was read.
func (c *Client) verify(ctx context.Context, wants []want, outcomes []outcome) {
	var now Log
	for i := range outcomes {
		o := &outcomes[i]
		at := slices.IndexFunc(wants, func(w want) bool { return w.partition == o.Partition })
		if !wants[at].topic.Known() || o.err != nil && !stops(o.err) || o.err == nil && o.Next == wants[at].from {
			continue
		}
		var err error
		if !now.Topic.Known() {
			now, err = c.identify(ctx)
		}
		if err == nil && now.Topic != wants[at].topic {
			err = fmt.Errorf("topic %q partition %d: %w", c.config.Topic, o.Partition, errOtherTopic)
		}
		if err != nil {
			*o = outcome{Batch: Batch{Partition: o.Partition}, err: err}
		}
	}
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
			w = want{partition: w.partition, from: bounds[w.partition].Start, earliest: true, topic: w.topic}
		}
		known = append(known, w)
	}
	return known, unknown
}

// request asks a leader for partitions. Whether it says so by the topic's id is
// settled by Prepare.
func (c *Client) request(leader int32, wants []want, wait time.Duration) *fetchRequest {
	body := kmsg.NewPtrFetchRequest()
	body.MaxWaitMillis = int32(wait / time.Millisecond)
	body.MinBytes = 1
	body.MaxBytes = int32(min(c.config.MaxBytes*len(wants), maxRequestBytes))
	body.SessionEpoch = -1 // no session
	if c.config.ReadCommitted {
		body.IsolationLevel = 1
	}
	for _, w := range wants {
		i := slices.IndexFunc(body.Topics, func(t kmsg.FetchRequestTopic) bool { return t.TopicID == w.topic })
		if i < 0 {
			i = len(body.Topics)
			about := kmsg.NewFetchRequestTopic()
			about.Topic, about.TopicID = c.config.Topic, w.topic
			body.Topics = append(body.Topics, about)
		}
		partition := kmsg.NewFetchRequestTopicPartition()
		partition.Partition, partition.FetchOffset = int32(w.partition), w.from
		partition.LastFetchedEpoch = w.term - 1
		partition.PartitionMaxBytes = int32(c.config.MaxBytes)
		body.Topics[i].Partitions = append(body.Topics[i].Partitions, partition)
	}
	return &fetchRequest{body: body, leader: leader}
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
			if at < 0 || done[id] || topic.Topic != c.config.Topic && (topic.Topic != "" || topic.TopicID != wants[at].topic) {
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
		if end := partition.DivergingEpoch.EndOffset; end >= 0 {
			return Batch{}, &TruncatedError{Topic: c.config.Topic, Partition: w.partition, Offset: w.from, Same: min(end, w.from)}
		}
		partition.RecordBatches = bytes.Clone(partition.RecordBatches)
		batch, err := d.decode(partition, w.from)
		if batch.Next == w.from {
			batch.Term = w.term
		}
		return batch, err
	case kafka.OffsetOutOfRange:
		if w.earliest {
			return Batch{}, fmt.Errorf("topic %q partition %d: the log's start moved past %d while it was asked for", c.config.Topic, w.partition, w.from)
		}
		return Batch{}, c.outOfRange(ctx, w)
	case kafka.UnknownTopicID, inconsistentTopicID:
		return Batch{}, fmt.Errorf("topic %q partition %d, id %v: %w", c.config.Topic, w.partition, w.topic, errOtherTopic)
	default:
		return Batch{}, fmt.Errorf("topic %q partition %d: %w", c.config.Topic, w.partition, advised(code))
	}
}

const inconsistentTopicID kafka.Error = 103 // kafka-go has no name for it

var errWithin = errors.New("refused as out of range though it is within it")

// outOfRange finds out why a broker refused an offset. Inside the log it was a
// leader that is behind for now.
func (c *Client) outOfRange(ctx context.Context, w want) error {
	bounds, err := c.bounds(ctx, []int{w.partition}, false)
	if err != nil {
		return err
	}
	b := bounds[w.partition]
	if b.Start <= w.from && w.from <= b.End {
		return fmt.Errorf("topic %q partition %d: offset %d is %w, %d and %d",
			c.config.Topic, w.partition, w.from, errWithin, b.Start, b.End)
	}
	return &OffsetError{Topic: c.config.Topic, Partition: w.partition, Offset: w.from, LogStart: b.Start, LogEnd: b.End}
}
