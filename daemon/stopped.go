package daemon

import (
	"fmt"

	"blipd/ingest/kafka"
)

// stopped is why a partition is not read any more.
type stopped struct {
	reason string // of kafka.Reasons
	words  string // what happened and what can be done
}

// failed is told of a partition that has stopped for good.
func (d *Daemon) failed(number int, err kafka.Stopped) {
	cfg := d.config.Load()
	s := stopped{err.Reason(), fmt.Sprintf("%v (new state: stop blipd, move the directory %s away, start blipd)", err, cfg.State.Dir)}
	d.log.Error("partition stopped", "topic", cfg.Kafka.Topic, "partition", number, "reason", s.reason, "err", s.words)
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	d.intake.failed[number] = s
}

// nameless is told that a topic that is made anew may go unseen.
func (d *Daemon) nameless() {
	d.log.Warn("the brokers tell no topic ids, Kafka does from 2.8 on: a topic that is deleted and created again is noticed only if it is shorter than what was read or has another number of partitions",
		"topic", d.config.Load().Kafka.Topic)
}

// shared is told that the group has given others a part of the partitions.
func (d *Daemon) shared(mine, of int) {
	d.log.Warn("the group has another member, nothing is read until it is gone: one that was killed leaves by itself, a second blipd must be stopped or read partitions split by hand",
		"topic", d.config.Load().Kafka.Topic, "group", d.config.Load().Kafka.Group, "assigned", mine, "partitions", of)
}

// wentBack is told that a log starts or ends before where it did.
func (d *Daemon) wentBack(number int, was, is kafka.Bounds) {
	d.backs.Add(1)
	d.log.Warn("the log went back: a new leader lags behind, or one without all records was elected and what was not read yet may be lost; where topics have no ids it may be another topic",
		"topic", d.config.Load().Kafka.Topic, "partition", number, "start", is.Start, "end", is.End, "start_before", was.Start, "end_before", was.End)
}
