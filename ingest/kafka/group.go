package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// sessionTimeout is how long a silent member keeps its partitions: after a kill
	// the next start waits for it.
	sessionTimeout = 10 * time.Second

	// handoverTimeout is how long a member may take to hand its partitions over.
	handoverTimeout = 30 * time.Second

	// groupTimeout bounds one request to the coordinator.
	groupTimeout = 10 * time.Second

	// rejoinPause is between tries to join; Join's own pauses come on top.
	rejoinPause = time.Second

	// longestRejoin keeps those short: a member that sleeps holds its partitions.
	longestRejoin = 5 * time.Second

	// leaveGrace is how long saying goodbye to the coordinator may take. A member that
	// is cut off while it waits to be let in stays in the group as a ghost, for which
	// all others wait, so this is longer than they take to notice that they must
	// rebalance: a heartbeat and the batch in hand.
	leaveGrace = 5 * time.Second
)

// A Generation is a time during which this process owns a set of partitions.
type Generation struct {
	// ID counts the generations of the group; 0 without a group.
	ID int

	partitions []int
	commit     func(map[int]int64) error
}

// Partitions returns what is owned, in ascending order; it may be nothing.
func (g Generation) Partitions() []int { return slices.Clone(g.partitions) }

// Commit tells the group the next offset of each partition, for lag displays only:
// nothing here reads it. It works until run returns, also when the context of run
// has ended: give it one that has not. Without a group it does nothing.
func (g Generation) Commit(ctx context.Context, next map[int]int64) error {
	if g.commit == nil || len(next) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit offsets: %w", err)
	}
	return g.commit(next)
}

// Join is a member of the group until ctx ends, then it returns nil. It calls run
// for each generation, with a context that ends when the generation does, and does
// not go on before run has returned: stop, flush, commit, and the partitions are
// released. If run returns earlier, Join leaves the group and returns its error.
//
// With Config.Partitions there is one generation, which never ends.
func (c *Client) Join(ctx context.Context, run func(context.Context, Generation) error) error {
	if c.config.Group == "" && len(c.config.Partitions) == 0 {
		return errors.New("join: neither a group nor partitions are configured; give one")
	}
	count, err := c.await(ctx)
	if err != nil {
		return nil
	}
	if c.config.Group == "" {
		err := run(ctx, Generation{partitions: slices.Sorted(slices.Values(c.config.Partitions))})
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil
		}
		return err
	}

	const source = "group"
	defer c.health.forget(source)
	group, leave, err := c.member()
	if err != nil {
		return fmt.Errorf("join group %q: %w", c.config.Group, err)
	}
	defer leave()
	m := &membership{client: c, count: count, run: run}
	var trouble backoff
	for {
		generation, err := group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, kafka.RebalanceInProgress):
			continue
		case err != nil:
			c.failed(source, &trouble, fmt.Errorf("join group %q: %w", c.config.Group, c.advised(err)))
			sleep(ctx, min(time.Until(trouble.until), longestRejoin))
			continue
		}
		trouble.ok()
		c.health.clear(source)
		if done, err := m.live(ctx, generation); done {
			return err
		}
	}
}

// member joins at once. The group has a network of its own, which leave cuts off
// when the coordinator does not answer.
func (c *Client) member() (group *kafka.ConsumerGroup, leave func(), err error) {
	network := c.config.network(c.tls)
	group, err = kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:      c.config.Group,
		Brokers: c.config.Brokers,
		Topics:  []string{c.config.Topic},
		Dialer: &kafka.Dialer{
			ClientID:      clientID,
			DialFunc:      network.dial,
			Timeout:       dialTimeout,
			SASLMechanism: c.sasl,
		},
		HeartbeatInterval: c.pace.heartbeat,
		SessionTimeout:    sessionTimeout,
		RebalanceTimeout:  handoverTimeout,
		JoinGroupBackoff:  rejoinPause,
		Timeout:           groupTimeout,
	})
	leave = func() {
		cut := time.AfterFunc(leaveGrace, network.close)
		group.Close()
		cut.Stop()
		network.close()
	}
	return group, leave, err
}

// membership is one Join.
type membership struct {
	client *Client
	run    func(context.Context, Generation) error

	// count is the number of partitions that was known before the last assignment.
	// kafka-go's own watch learns it after, and ends the generation on every error.
	count int
}

var errGrown = errors.New("the number of partitions has changed")

// live is one generation. It is done with the group when ctx ends or when run has
// returned before its generation ended.
func (m *membership) live(ctx context.Context, generation *kafka.Generation) (done bool, err error) {
	returned := make(chan struct{})
	generation.Start(func(ended context.Context) {
		defer close(returned)
		ctx, cancel := context.WithCancelCause(ctx)
		defer context.AfterFunc(ended, func() { cancel(context.Cause(ended)) })()
		var watch sync.WaitGroup
		watch.Go(func() { m.watch(ctx, cancel) })
		err = m.run(ctx, m.describe(generation))
		done = ctx.Err() == nil
		cancel(nil)
		watch.Wait()
	})
	<-returned
	switch {
	case done:
		return true, err
	case err != nil && !errors.Is(err, context.Canceled) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return true, err
	}
	return ctx.Err() != nil, nil
}

// watch ends the generation when the topic grows: only a new one assigns what came.
func (m *membership) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	for sleep(ctx, m.client.pace.watch) {
		count, err := m.client.Partitions(ctx)
		if err == nil && count != m.count {
			m.count = count
			cancel(errGrown)
			return
		}
	}
}

func (m *membership) describe(generation *kafka.Generation) Generation {
	topic, group := m.client.config.Topic, m.client.config.Group
	var partitions []int
	for _, assigned := range generation.Assignments[topic] {
		partitions = append(partitions, assigned.ID)
	}
	slices.Sort(partitions)
	return Generation{
		ID:         int(generation.ID),
		partitions: partitions,
		commit: func(next map[int]int64) error {
			err := generation.CommitOffsets(map[string]map[int]int64{topic: maps.Clone(next)})
			if err != nil {
				return fmt.Errorf("commit offsets of group %q topic %q: %w", group, topic, err)
			}
			return nil
		},
	}
}
