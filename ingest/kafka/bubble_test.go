package kafka

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestInABubble runs group, fetch and produce in fake time over a network in
// memory, as the tests of the whole daemon do, with the paces of production.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wires kfake.VirtualNetwork
		broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topic), kfake.ListenFn(wires.Listen))
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{Brokers: broker.ListenAddrs(), Topic: topic, Group: "readers", Dial: wires.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		s := newShelf()
		ctx, cancel := context.WithCancel(t.Context())
		joined := make(chan error, 1)
		go func() {
			joined <- c.Join(ctx, func(ctx context.Context, g Generation) error {
				start := map[int]Start{}
				for _, partition := range g.Partitions() {
					start[partition] = Start{Offset: Earliest}
				}
				return c.Fetch(ctx, start, s)
			})
		}()
		for i := range 10 {
			if err := c.Produce(ctx, topic, []Message{{Value: fmt.Appendf(nil, "%d", i)}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		if s.at(0) != 5 || s.at(1) != 5 {
			t.Errorf("after %v: at %d and %d", time.Since(began), s.at(0), s.at(1))
		}
		cancel()
		if err := <-joined; err != nil {
			t.Error(err)
		}
		c.Close()
		broker.Close()
	})
}
