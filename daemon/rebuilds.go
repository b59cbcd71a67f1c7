package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"blipd/state"
	"blipd/web"
)

// rebuilds is the rebuild under way, or the last one.
type rebuilds struct {
	asked chan *rebuild // capacity 1

	mu    sync.Mutex // guards all below
	now   *rebuild   // nil before the first
	under bool       // it is under way
}

func (r *rebuilds) begin(next *rebuild) {
	r.mu.Lock()
	r.now, r.under = next, true
	r.mu.Unlock()
	r.asked <- next
}

// underWay is the rebuild under way, or nil.
func (r *rebuilds) underWay() *rebuild {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.under {
		return nil
	}
	return r.now
}

// last is how the last one goes or went, nil before the first.
func (r *rebuilds) last() *web.Rebuild {
	r.mu.Lock()
	now := r.now
	r.mu.Unlock()
	if now == nil {
		return nil
	}
	now.mu.Lock()
	defer now.mu.Unlock()
	shown := now.shown
	return &shown
}

// assigned ends a rebuild of other partitions than those assigned now.
func (r *rebuilds) assigned(numbers []int) {
	if now := r.underWay(); now != nil && !slices.Equal(numbers, now.numbers) {
		now.stop(fmt.Errorf("partitions were assigned anew, %v after %v: ask for it again", numbers, now.numbers))
	}
}

// rebuildAlways does the rebuilds that are asked for until ctx ends.
func (d *Daemon) rebuildAlways(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-d.rebuilds.asked:
			kept, err := d.rebuild(ctx, r)
			if errors.Is(err, errMidway) {
				return err
			}
			d.rebuilt(ctx, r, kept, err)
		}
	}
}

// errMidway is in the chain of what goes wrong once directories change places: the
// daemon ends, and the next start does the rest.
var errMidway = errors.New("the rebuilt state was being put in the place of the one in use")

// rebuilt notes how a rebuild has ended and gives up what is left of it.
func (d *Daemon) rebuilt(ctx context.Context, r *rebuild, kept string, err error) {
	phase, words := web.Rebuilt, "the state before is kept in "+kept
	if r.lost != "" {
		words += "; what the log no longer had is not counted: " + r.lost
	}
	if err != nil {
		phase, words = web.GivenUp, err.Error()
		err = r.store.Discard()
	}
	if err := errors.Join(err, r.client.Close()); err != nil {
		d.log.Warn("a rebuild was not taken down in order", "topic", r.config.Kafka.Topic, "err", err)
	}
	r.mu.Lock()
	r.shown.Phase, r.shown.Detail, r.followers = phase, words, nil
	r.shown.Behind, r.shown.Left, r.shown.End = 0, nil, nil
	r.mu.Unlock()
	d.rebuilds.mu.Lock()
	d.rebuilds.under = false
	d.rebuilds.mu.Unlock()
	switch {
	case phase == web.Rebuilt:
		d.log.Info("the rebuilt state is in use", "topic", r.config.Kafka.Topic, "kept", kept)
	case ctx.Err() == nil:
		d.log.Error("rebuild given up, the state before is in use", "topic", r.config.Kafka.Topic, "err", words)
	}
}

// The pace of a rebuild.
const (
	rebuildLook = 100 * time.Millisecond // between two looks at how far it is
	rebuildNear = 1000                   // offsets behind from which on the switch is tried, or a second's
	switchMost  = 10 * time.Second       // that intake may stand still for the last of them
	switchPause = 30 * time.Second       // after a try that took longer
)

// rebuild feeds the state that is made until it is in use. kept is where the one
// before lies then. An error leaves the one in use as it was.
func (d *Daemon) rebuild(ctx context.Context, r *rebuild) (kept string, err error) {
	defer context.AfterFunc(ctx, func() { r.stop(ctx.Err()) })()
	defer r.stop(nil)
	fed := make(chan error, 1)
	go func() { fed <- r.consumer.Run(r.ctx) }()
	feeding := true
	defer func() {
		if r.stop(nil); feeding {
			<-fed
		}
	}()
	tick := time.NewTicker(rebuildLook)
	defer tick.Stop()
	var pause time.Time
	for {
		select {
		case <-r.ctx.Done():
			return "", context.Cause(r.ctx)
		case err := <-fed:
			feeding = false
			return "", errors.Join(err, context.Cause(r.ctx))
		case now := <-tick.C:
			if !r.look(now) || now.Before(pause) || d.space.short() {
				continue
			}
			kept, done, err := d.switchTo(r, func() error {
				r.stop(nil)
				feeding = false
				return <-fed
			})
			if done || err != nil {
				return kept, err
			}
			pause = time.Now().Add(switchPause)
			d.log.Warn("the rebuilt state did not come level while intake stood still: it is tried again", "topic", r.config.Kafka.Topic, "after", switchPause)
		}
	}
}

// look notes how far the rebuild is and tells whether that is near enough for the
// switch. Under load it is always a commit or two behind.
func (r *rebuild) look(now time.Time) (near bool) {
	s := r.behind()
	s.at = now
	r.mu.Lock()
	defer r.mu.Unlock()
	r.track.see(s)
	r.shown.Progress = r.track.progress(r.config.Kafka.Topic)
	counted, _ := r.track.rates()
	return float64(s.behind) <= max(rebuildNear, counted)
}

// switchTo stops intake, waits until the rebuild stands at the same offsets, and
// puts it in the place of the state in use. end ends its consumer. Not done
// without an error is a try that took too long: all goes on as before.
func (d *Daemon) switchTo(r *rebuild, end func() error) (kept string, done bool, err error) {
	fatal := d.change("the rebuilt state is put in the place of the one in use", func() error {
		r.stand(true)
		if !r.await(r.ctx, switchMost) {
			err = context.Cause(r.ctx)
			return nil
		}
		if err = end(); err == nil {
			err = r.adopt(d.intake.owned())
		}
		if err != nil {
			return nil
		}
		var keeps bool
		if kept, keeps, err = d.takeOver(r); keeps {
			return nil
		}
		if done = true; err != nil {
			err = fmt.Errorf("%w: %w", errMidway, err)
		}
		return err
	})
	if !done && err == nil && fatal == nil {
		r.stand(false)
	}
	if err == nil {
		err = fatal
	}
	return kept, done, err
}

// adopt takes over the dead letters that wait to be sent; all consumers have
// ended.
func (r *rebuild) adopt(olds []*state.Partition) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, old := range olds {
		number := old.Stats().Partition
		f := r.followers[number]
		if f == nil || f.Next() != old.Next() {
			return fmt.Errorf("partition %d of the rebuilt state does not stand at offset %d, where the state in use does", number, old.Next())
		}
		if err := f.Adopt(old); err != nil {
			return err
		}
	}
	return nil
}

// takeOver makes the rebuilt state the one in use; it runs within change. With
// keeps the state in use is as it was.
func (d *Daemon) takeOver(r *rebuild) (kept string, keeps bool, err error) {
	d.shelf.Lock()
	defer d.shelf.Unlock()
	store, kept, keeps, err := d.store.Supplant(r.store, time.Now())
	if err != nil {
		return kept, keeps, err
	}
	d.store = store
	d.watchesSpaceOf(store)
	d.intake.mu.Lock()
	d.intake.origin = nil // that was of the state before
	d.intake.mu.Unlock()
	return kept, false, d.reopen(d.config.Load())
}

// EndRebuild gives up the rebuild under way; without one the error is a
// *web.Problem.
func (d *Daemon) EndRebuild() (*web.Rebuild, error) {
	r := d.rebuilds.underWay()
	if r == nil {
		return nil, &web.Problem{Type: "no-rebuild", Status: http.StatusConflict, Detail: "no rebuild is under way"}
	}
	r.stop(errAsked)
	return d.rebuilds.last(), nil
}
