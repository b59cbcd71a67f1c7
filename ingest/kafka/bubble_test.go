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

// full is a shelf without room.
type full struct{ *shelf }

func (full) Ready(int) bool { return false }

// TestMoves: the loop of Fetch goes round when there is nothing new, no room and no
// broker; it counts as standing when a request outlives its deadlines.
func TestMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wires kfake.VirtualNetwork
		broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic), kfake.ListenFn(wires.Listen))
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{Brokers: broker.ListenAddrs(), Topic: topic, Group: "readers", Dial: wires.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Moved().IsZero() {
			t.Error("there is no Fetch, and it moves")
		}
		s := newShelf()
		for _, sink := range []Sink{s, full{s}} {
			ctx, cancel := context.WithCancel(t.Context())
			fetched := make(chan error, 1)
			go func() { fetched <- c.Fetch(ctx, map[int]Start{0: {Offset: Earliest}}, sink) }()
			for range 20 {
				time.Sleep(30 * time.Second)
				if idle := time.Since(c.Moved()); idle > time.Minute {
					t.Errorf("%T: the loop has not gone round for %v", sink, idle)
				}
			}
			if _, none := sink.(full); none {
				broker.Close()
				for range 20 {
					time.Sleep(30 * time.Second)
					if idle := time.Since(c.Moved()); idle > time.Minute {
						t.Errorf("without brokers the loop has not gone round for %v", idle)
					}
				}
			}
			cancel()
			if err := <-fetched; err != nil {
				t.Error(err)
			}
		}
		if !c.Moved().IsZero() {
			t.Error("Fetch has ended, and it moves")
		}

		now := time.Now()
		f := &fetcher{client: c, links: map[int32]*link{7: {busy: true, due: now}}}
		f.moves(now)
		f.moves(now.Add(time.Second)) // the request has outlived its deadlines
		if !c.Moved().Equal(now) {
			t.Errorf("moved at %v, want %v", c.Moved(), now)
		}
		c.Close()
	})
}
