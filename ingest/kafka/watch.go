package kafka

import (
	"context"
	"errors"
	"slices"
	"time"
)

// errOtherTopic says that a broker does not have the topic by the id it is known by.
var errOtherTopic = errors.New("the broker has no topic with the id that was read: it was deleted, or the broker has not heard of it")

const watchSource = "topic id"

// watch is how a fetcher sees to it that the topic is still the same.
type watch struct {
	backoff
	due  time.Time // of the next look
	busy bool      // a look is under way
	sure bool      // there was one
}

// look is what a cluster says about the topic.
type look struct {
	log Log
	err error
}

// look asks which topic this is, if it is time. It returns when it will be.
func (f *fetcher) look(ctx context.Context, now time.Time) time.Time {
	w := &f.watch
	at := later(w.due, w.until)
	if w.busy || at.After(now) {
		return at
	}
	w.busy = true
	f.polls.Go(func() {
		log, err := f.client.identify(ctx)
		select {
		case f.looks <- look{log, err}:
		case <-ctx.Done():
		}
	})
	return now.Add(idleCheck)
}

// see compares what the cluster says with what each partition was read from. What
// differs must be said twice: a broker that lags behind may tell of an earlier topic.
func (f *fetcher) see(l look) {
	w := &f.watch
	w.busy = false
	if l.err != nil {
		f.client.failed(watchSource, &w.backoff, l.err)
		return
	}
	w.ok()
	f.client.health.clear(watchSource)
	w.sure = true
	w.due = time.Now().Add(f.client.pace.watch)
	for _, cur := range slices.Clone(f.cursors) {
		fault := cur.log.differs(l.log, f.client.config.Topic, cur.partition)
		switch {
		case fault == nil:
			cur.log, cur.doubt = cur.log.learn(l.log), nil
		case cur.doubt == nil:
			cur.doubt = fault
			w.due = time.Now().Add(f.client.pace.pause)
		default:
			f.stop(cur, fault)
		}
	}
}
