package cli

import (
	"context"

	"blipd/demo"
)

// Rows that others are compared with, and those of a Kafka.
const (
	rawRow, daemonRow         = "fetch alone (raw)", "daemon"
	rawOfKafka, daemonOfKafka = rawRow + ", Kafka", daemonRow + ", Kafka"
)

// embedded is the place of the row that has the embedded broker in the place of Kafka.
var embedded = map[string]int{rawOfKafka: 0, daemonOfKafka: 2}

// paceOf is the median over the rounds of how many events a second there are to one of
// others.
func paceOf(rounds, others []*result) float64 {
	var all []float64
	for i, r := range rounds {
		all = append(all, others[i].Cost.Wall/r.Cost.Wall)
	}
	return median(all)
}

// produceToKafka puts the events on the topic of a Kafka, if there is to be one.
func (b *bench) produceToKafka(ctx context.Context) error {
	c := b.command
	if c.Kafka == "" {
		return nil
	}
	b.say("producing them to %s", c.Kafka)
	return demo.Produce(ctx, c.Kafka, workTopic, standard(c.Events).records(c.Events))
}

// ofKafka are the rows that are measured with a Kafka, if there is to be one.
func (b *bench) ofKafka() []named {
	if b.command.Kafka == "" {
		return nil
	}
	return []named{
		{rawOfKafka, job{Part: "raw", Broker: b.command.Kafka}},
		{daemonOfKafka, job{Part: "daemon", Broker: b.command.Kafka}},
	}
}
