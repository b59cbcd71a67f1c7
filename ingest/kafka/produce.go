package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

// A Message is a record to be. Nil Key and Value are absent, a zero Timestamp is
// the time of sending.
type Message struct {
	Key, Value []byte
	Headers    []Header
	Timestamp  time.Time
}

// A RefusedError says that the cluster will never take some messages, for what is
// in them. All the others of the call are stored.
type RefusedError struct {
	Topic   string
	Refused []Refusal // at least one, in the order they were tried
}

// A Refusal is one message that was refused.
type Refusal struct {
	Index int // in the call's messages
	Err   error
}

func (e *RefusedError) Error() string {
	first := e.Refused[0]
	return fmt.Sprintf("produce to topic %q: %d messages refused for their content, the first is message %d: %v",
		e.Topic, len(e.Refused), first.Index, first.Err)
}

func (e *RefusedError) Unwrap() error { return e.Refused[0].Err }

// produceBytes is how much goes into one batch; brokers take 1 MiB unless told
// otherwise. A larger message goes alone.
const produceBytes = 768 << 10

// overhead is more than what a record takes beside key, value and headers.
const overhead = 64

// Produce stores the messages and waits until all replicas in sync have them. The
// key chooses the partition as Java's producer does (murmur2), without one
// partitions take turns; within a partition the order is that of messages.
//
// After nil all messages are stored. After a *RefusedError all are but those it
// names. After any other error some may be: it is of the moment, and the caller
// sends all of them again, now or later.
func (c *Client) Produce(ctx context.Context, topic string, messages []Message) error {
	return c.produce(ctx, topic, messages, c.spread)
}

// ProduceToAll is Produce, but stores each message in every partition: for what is
// to reach a key whose partition another producer chose.
func (c *Client) ProduceToAll(ctx context.Context, topic string, messages []Message) error {
	return c.produce(ctx, topic, messages, func(messages []Message, count int) [][]int {
		spread := make([][]int, count)
		for partition := range spread {
			for i := range messages {
				spread[partition] = append(spread[partition], i)
			}
		}
		return spread
	})
}

// produce stores messages where spread says, by partition.
func (c *Client) produce(ctx context.Context, topic string, messages []Message, spread func(messages []Message, count int) [][]int) error {
	if len(messages) == 0 {
		return nil
	}
	layout, err := c.layout(ctx, topic)
	if err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	if layout.partitions == 0 {
		return fmt.Errorf("produce to topic %q: it has no partitions yet", topic)
	}
	refused := &RefusedError{Topic: topic}
	for partition, indexes := range spread(messages, layout.partitions) {
		p := producer{client: c, topic: topic, partition: partition, messages: messages}
		for len(indexes) > 0 {
			n := p.fit(indexes)
			if err := p.send(ctx, indexes[:n], refused); err != nil {
				return fmt.Errorf("produce to topic %q partition %d: %w", topic, partition, advised(err))
			}
			indexes = indexes[n:]
		}
	}
	if len(refused.Refused) > 0 {
		return refused
	}
	return nil
}

// spread lists the messages of each partition.
func (c *Client) spread(messages []Message, count int) [][]int {
	all := make([]int, count)
	for i := range all {
		all[i] = i
	}
	balancer := kafka.Murmur2Balancer{Consistent: true}
	spread := make([][]int, count)
	for i, message := range messages {
		partition := int(c.turn.Load() % uint32(count))
		if message.Key != nil {
			partition = balancer.Balance(kafka.Message{Key: message.Key}, all...)
		} else {
			c.turn.Add(1)
		}
		spread[partition] = append(spread[partition], i)
	}
	return spread
}

// producer sends messages, named by their indexes, to one partition.
type producer struct {
	client    *Client
	topic     string
	partition int
	messages  []Message
}

// fit says how many of the messages make one batch.
func (p producer) fit(indexes []int) int {
	size := 0
	for n, i := range indexes {
		m := p.messages[i]
		size += overhead + len(m.Key) + len(m.Value)
		for _, h := range m.Headers {
			size += overhead + len(h.Key) + len(h.Value)
		}
		if size > produceBytes && n > 0 {
			return n
		}
	}
	return len(indexes)
}

// send stores the messages in one batch. A batch that is refused for its content
// is halved until those that are to blame stand alone.
func (p producer) send(ctx context.Context, indexes []int, refused *RefusedError) error {
	err := p.store(ctx, indexes)
	switch {
	case err == nil || !isContent(err):
		return err
	case len(indexes) == 1:
		refused.Refused = append(refused.Refused, Refusal{Index: indexes[0], Err: err})
		return nil
	}
	half := len(indexes) / 2
	if err := p.send(ctx, indexes[:half], refused); err != nil {
		return err
	}
	return p.send(ctx, indexes[half:], refused)
}

func (p producer) store(ctx context.Context, indexes []int) error {
	records := make([]kafka.Record, len(indexes))
	for n, i := range indexes {
		m := p.messages[i]
		records[n] = kafka.Record{Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value), Time: m.Timestamp}
		for _, h := range m.Headers {
			records[n].Headers = append(records[n].Headers, kafka.Header{Key: h.Key, Value: h.Value})
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client := kafka.Client{Addr: p.client.addr, Transport: p.client.transport(p.topic)}
	answer, err := client.Produce(ctx, &kafka.ProduceRequest{
		Topic:        p.topic,
		Partition:    p.partition,
		RequiredAcks: kafka.RequireAll,
		Records:      kafka.NewRecordReader(records...),
	})
	if err != nil {
		return err
	}
	return answer.Error
}

// isContent says whether a refusal is about what the messages are, so that sending
// them again cannot help.
func isContent(err error) bool {
	for _, code := range []kafka.Error{
		kafka.MessageSizeTooLarge,
		kafka.RecordListTooLarge,
		kafka.InvalidTimestamp,
		kafka.InvalidRecord,
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}
