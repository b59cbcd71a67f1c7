package demo

import (
	"context"
	"fmt"
	"time"

	"blipd/event"
	"blipd/ingest/kafka"
)

const (
	speed     = 60               // of the fleet's clock against ours
	headStart = 30 * time.Minute // of the fleet's time, produced at once
	tick      = 100 * time.Millisecond
	atOnce    = 2000        // records of one produce request, at most
	trimEvery = time.Minute // the topic is cut below what was consumed

	sendTimeout = 10 * time.Second // of one produce request to a broker in this process
)

// produce sends what the fleet has done by now, tick by tick, until ctx ends.
func (d *Demo) produce(ctx context.Context) error {
	begun := time.Now()
	first := d.fleet.Now()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		now := first.Add(headStart + speed*time.Since(begun))
		for ctx.Err() == nil && d.fleet.Now() < now {
			if err := d.send(ctx, d.records(now)); err != nil {
				return fmt.Errorf("demo: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// records are the next ones of the fleet up to a time.
func (d *Demo) records(now event.Time) []kafka.Message {
	var messages []kafka.Message
	for len(messages) < atOnce && d.fleet.Now() < now {
		key, value := d.fleet.NextRecord()
		messages = append(messages, kafka.Message{Key: key, Value: value})
	}
	return messages
}

// send is not cut short by the end of the demo: what was begun is sent.
func (d *Demo) send(ctx context.Context, messages []kafka.Message) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer done()
	return d.producer.Produce(ctx, d.topic, messages)
}

// trimAlways keeps the broker's memory bounded: records that have been
// consumed are deleted, so that the demo can run overnight.
func (d *Demo) trimAlways(ctx context.Context) {
	ticks := time.NewTicker(trimEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			d.trim()
		}
	}
}

func (d *Demo) trim() {
	for _, p := range d.daemon.Live().Partitions {
		_ = d.cluster.DeleteRecords(d.topic, int32(p.Stats.Partition), p.Next)
	}
	if p := d.cluster.PartitionInfo("blipd.rejected", 0); p != nil {
		_ = d.cluster.DeleteRecords("blipd.rejected", 0, p.HighWatermark)
	}
}
