package demo

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Broker runs the embedded broker on the loopback, with topics and their
// numbers of partitions, until ctx ends. ready is told its address.
func Broker(ctx context.Context, topics map[string]int, ready func(address string)) error {
	options := []kfake.Opt{kfake.NumBrokers(1)}
	for name, count := range topics {
		options = append(options, kfake.SeedTopics(int32(count), name))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		return fmt.Errorf("demo: start the embedded broker: %w", err)
	}
	defer cluster.Close()
	ready(cluster.ListenAddrs()[0])
	<-ctx.Done()
	return nil
}
