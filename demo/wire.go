package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"blipd/ingest/kafka"
)

// wireAtOnce is how many records Produce hands over at once.
const wireAtOnce = 20_000

// Produce sends records, keys and values, to a topic in their order, and
// returns when all are stored.
func Produce(ctx context.Context, broker, topic string, records iter.Seq2[[]byte, []byte]) error {
	client, err := kafka.New(kafka.Config{Brokers: []string{broker}, Topic: topic})
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer client.Close()
	var batch []kafka.Message
	for key, value := range records {
		batch = append(batch, kafka.Message{Key: key, Value: value})
		if len(batch) == wireAtOnce {
			if err := client.Produce(ctx, topic, batch); err != nil {
				return fmt.Errorf("demo: %w", err)
			}
			batch = batch[:0]
		}
	}
	if err := client.Produce(ctx, topic, batch); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}

// Consume reads the first partitions of a topic from their start, as the daemon
// does but keeping nothing, until it has seen a number of records. The bytes
// are those of their values.
func Consume(ctx context.Context, broker, topic string, partitions int, until int64) (records, bytes int64, err error) {
	config := kafka.Config{Brokers: []string{broker}, Topic: topic}
	start := map[int]kafka.Start{}
	for number := range partitions {
		config.Partitions = append(config.Partitions, number)
		start[number] = kafka.Start{Offset: kafka.Earliest}
	}
	client, err := kafka.New(config)
	if err != nil {
		return 0, 0, fmt.Errorf("demo: %w", err)
	}
	defer client.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sink := &counting{until: until, stop: stop}
	if err := client.Fetch(ctx, start, sink); err != nil {
		return 0, 0, fmt.Errorf("demo: %w", err)
	}
	if sink.err == nil && sink.records < until {
		sink.err = ctx.Err()
	}
	return sink.records, sink.bytes, sink.err
}

// counting is a sink that only counts.
type counting struct {
	records, bytes, until int64
	stop                  context.CancelFunc
	err                   error
}

// Ready takes everything.
func (c *counting) Ready(int) bool { return true }

// Deliver counts a batch.
func (c *counting) Deliver(b kafka.Batch) {
	for i := range b.Records {
		c.bytes += int64(len(b.Records[i].Value))
	}
	c.records += int64(len(b.Records))
	if c.records >= c.until {
		c.stop()
	}
}

// Fail ends it.
func (c *counting) Fail(partition int, err kafka.Stopped) {
	c.err = errors.Join(c.err, fmt.Errorf("demo: partition %d: %w", partition, err))
	c.stop()
}
