package daemon

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How long what the daemon does again and again may take before it counts as
// hanging: many times what it takes when disk and network are at their worst, for
// whoever watches over the daemon ends it then.
const (
	longestStep = 2 * time.Minute  // a batch with its commit, a refit, one round of the loop that fetches
	longestSend = 10 * time.Minute // dead letters: several requests, each with a deadline of its own
)

// step is one of those things. What waits is not in a step.
type step struct{ since atomic.Pointer[time.Time] }

// begin notes that it is taken up; end, that it is done.
func (s *step) begin() {
	now := time.Now()
	s.since.Store(&now)
}

func (s *step) end() { s.since.Store(nil) }

// at is when it was taken up, zero while it is not under way.
func (s *step) at() time.Time {
	if at := s.since.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// loops are the steps that are the daemon's own; those of partitions are in their
// workers, and that of fetching in the client.
type loops struct {
	refit, send step

	mu   sync.Mutex         // guards told
	told map[stall]struct{} // those that the log has
}

// stall is something that hangs.
type stall struct {
	what      string
	partition int // -1: of no one partition
	since     time.Time
}

// attributes are what the log says of it.
func (s stall) attributes(topic string) []any {
	if s.partition < 0 {
		return []any{"topic", topic, "what", s.what}
	}
	return []any{"topic", topic, "partition", s.partition, "what", s.what}
}

// Stalled says what hangs: a loop whose step under way does not end. A daemon that
// is idle, paused, cut off from its brokers or being changed does not hang.
func (d *Daemon) Stalled() []string { return d.stalled(time.Now()) }

func (d *Daemon) stalled(now time.Time) (words []string) {
	for _, s := range d.stalls(now) {
		where := "topic " + d.config.Load().Kafka.Topic
		if s.partition >= 0 {
			where += fmt.Sprint(" partition ", s.partition)
		}
		words = append(words, fmt.Sprintf("%s: %s, for %s", where, s.what, now.Sub(s.since).Round(time.Second)))
	}
	return words
}

// stalls are those at a time.
func (d *Daemon) stalls(now time.Time) (all []stall) {
	late := func(what string, partition int, since time.Time, longest time.Duration) {
		if !since.IsZero() && now.Sub(since) > longest {
			all = append(all, stall{what, partition, since})
		}
	}
	late("fetching does not go on", -1, d.client.Moved(), longestStep)
	d.intake.mu.Lock()
	for _, number := range slices.Sorted(maps.Keys(d.intake.workers)) {
		late("a batch, its commit or a copy of its sums does not end", number, d.intake.workers[number].Since(), longestStep)
	}
	d.intake.mu.Unlock()
	late("a refit does not end", -1, d.loops.refit.at(), longestStep)
	late("sending dead letters does not end", -1, d.loops.send.at(), longestSend)
	return all
}

// lookAtLoops writes to the log what hangs, and what no longer does, once each.
func (d *Daemon) lookAtLoops(now time.Time) {
	l, topic := &d.loops, d.config.Load().Kafka.Topic
	l.mu.Lock()
	defer l.mu.Unlock()
	is := map[stall]struct{}{}
	for _, s := range d.stalls(now) {
		is[s] = struct{}{}
		if _, told := l.told[s]; !told {
			d.log.Error("a loop hangs: /-/healthy says so, and whoever watches over blipd ends it", append(s.attributes(topic), "since", s.since)...)
		}
	}
	for s := range l.told {
		if _, still := is[s]; !still {
			d.log.Info("a loop that hung goes on", append(s.attributes(topic), "after", now.Sub(s.since))...)
		}
	}
	l.told = is
}
