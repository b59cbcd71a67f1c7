package daemon

import (
	"context"
	"iter"
	"time"

	"blipd/event"
	"blipd/ingest"
	"blipd/state"
)

// follower is a partition of a rebuild. It takes no record before the state in
// use has, and works while nobody else of the rebuild does.
type follower struct {
	*state.Partition
	rebuild *rebuild
	number  int
}

// followEvery is how often a follower that waits looks again.
const followEvery = 5 * time.Millisecond

// open opens a partition of the rebuild, once.
func (r *rebuild) open(number int) (ingest.Partition, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.followers[number]; f != nil {
		return f, nil
	}
	options := r.config.stateOptions()
	options.Letters, options.Past = false, r.past // dead letters are those of the state in use
	p, err := r.store.Partition(number, options)
	if err != nil {
		return nil, err
	}
	if log := r.logs[number]; p.Next() == state.Unknown {
		p.From(event.Log{Topic: log.Topic, Partitions: log.Partitions}) // no other topic of the name
	}
	r.followers[number] = &follower{Partition: p, rebuild: r, number: number}
	return r.followers[number], nil
}

// Apply takes a batch once the state in use has, or, when that stands still, as
// far as it has come; what is behind that is fetched again if it goes on.
func (f *follower) Apply(batch iter.Seq[*event.Entry], next int64) error {
	limit, ok := f.rebuild.reach(f.number, next)
	if !ok {
		return nil // it ends, with this batch not taken
	}
	f.rebuild.turn.Lock()
	defer f.rebuild.turn.Unlock()
	return f.Partition.Apply(func(yield func(*event.Entry) bool) {
		for e := range batch {
			if e.Record.Offset >= limit || !yield(e) {
				return
			}
		}
	}, min(next, limit))
}

// reach waits until the state in use has come to next, and has the machine to
// spare. limit is where it is, if it stands still before that; not ok is the end.
func (r *rebuild) reach(number int, next int64) (limit int64, ok bool) {
	wait := time.NewTicker(followEvery)
	defer wait.Stop()
	for {
		standing, at := r.stands(), r.where(number)
		switch {
		case standing:
			return at, true
		case at >= next && !r.yields():
			return next, true
		}
		select {
		case <-r.ctx.Done():
			return 0, false
		case <-wait.C:
		}
	}
}

func (r *rebuild) stands() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.standing
}

// stand says whether the state in use stands still. When it goes on again, what
// was not taken meanwhile is fetched again.
func (r *rebuild) stand(still bool) {
	set := func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.standing = still
		return nil
	}
	if still {
		_ = set()
		return
	}
	_ = r.consumer.Between(set)
}

// behind is how many offsets the rebuild is behind the state in use.
func (r *rebuild) behind() (s sample) {
	ahead := map[int]int64{} // asked for before r.mu is held: they have a lock of their own
	for _, number := range r.numbers {
		ahead[number] = r.where(number)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, number := range r.numbers {
		at := r.starts[number]
		if f := r.followers[number]; f != nil {
			stats := f.Stats()
			s.done += stats.Records
			at = max(at, stats.Next)
		}
		s.behind += max(0, ahead[number]-at)
	}
	return s
}

// await waits until the rebuild stands where the state in use does, which stands
// still; false when it has not within most.
func (r *rebuild) await(ctx context.Context, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for r.behind().behind > 0 {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(followEvery):
		}
	}
	return true
}
