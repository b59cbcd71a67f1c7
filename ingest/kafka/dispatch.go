package kafka

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// dispatch sends a request to every broker that has none and leads something
// ready. It returns when to look again if nothing happens.
func (f *fetcher) dispatch(ctx context.Context) time.Time {
	now := time.Now()
	again := now.Add(idleCheck)
	if f.layout.paused(now) {
		return earlier(again, f.layout.until)
	}
	if len(f.cursors) == 0 {
		return again
	}
	layout, err := f.client.layout(ctx, f.client.config.Topic)
	if err != nil {
		f.client.failed("layout", &f.layout, err)
		return earlier(again, f.layout.until)
	}
	f.layout.ok()
	f.client.health.clear("layout")
	if look := f.look(ctx, now); look.After(now) {
		again = earlier(again, look)
	}
	if !f.watch.sure {
		return again
	}

	led := map[int32][]*cursor{}
	for _, cur := range f.cursors {
		switch leader, ok := layout.leaders[cur.partition]; {
		case cur.busy, cur.doubt != nil:
		case cur.paused(now):
			again = earlier(again, cur.until)
		case ok:
			led[leader] = append(led[leader], cur)
		default:
			f.client.failed(partitionSource(cur.partition), &cur.backoff, f.leaderless(cur, layout))
		}
	}
	f.dropLinks(layout)
	for leader, cursors := range led {
		l := f.links[leader]
		if l == nil {
			l = &link{}
			f.links[leader] = l
		}
		if l.busy {
			continue
		}
		if until := later(l.until, l.rest); until.After(now) {
			again = earlier(again, until)
			continue
		}
		f.ask(ctx, leader, l, cursors)
	}
	return again
}

func (f *fetcher) leaderless(cur *cursor, layout layout) error {
	topic := f.client.config.Topic
	if cur.partition >= layout.partitions {
		return fmt.Errorf("topic %q partition %d: does not exist; the topic has %d", topic, cur.partition, layout.partitions)
	}
	return fmt.Errorf("topic %q partition %d: has no leader", topic, cur.partition)
}

// dropLinks forgets brokers that lead nothing of ours any more; their troubles are
// over for us.
func (f *fetcher) dropLinks(layout layout) {
	for leader, l := range f.links {
		leads := slices.ContainsFunc(f.cursors, func(cur *cursor) bool {
			at, ok := layout.leaders[cur.partition]
			return ok && at == leader
		})
		if !leads && !l.busy {
			delete(f.links, leader)
			f.client.health.forget(brokerSource(leader))
		}
	}
}

// ask starts a request for the ready ones of a broker's partitions.
func (f *fetcher) ask(ctx context.Context, leader int32, l *link, cursors []*cursor) {
	var wants []want
	// A broker gives a batch over the limit only to the first partition that has
	// any, so each of them is first in its turn.
	l.turn++
	for i := range cursors {
		cur := cursors[(i+l.turn)%len(cursors)]
		if f.sink.Ready(cur.partition) {
			cur.busy = true
			wants = append(wants, want{partition: cur.partition, from: cur.next, topic: cur.log.Topic, term: cur.term})
		}
	}
	if len(wants) == 0 {
		return
	}
	wait := f.client.config.MaxWait
	if len(wants) < len(cursors) {
		wait = 0
	}
	l.busy, l.due = true, time.Now().Add(longestPoll(len(wants), wait))
	f.polls.Go(func() {
		a := answer{leader: leader, wants: wants, sent: time.Now()}
		a.outcomes, a.err = f.client.poll(ctx, f.decoder, leader, wants, wait)
		select {
		case f.answers <- a:
		case <-ctx.Done():
		}
	})
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
