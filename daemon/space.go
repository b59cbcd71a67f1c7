package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"blipd/state"
)

// spaceEvery is how often the daemon looks at the disk, beside after each commit.
const spaceEvery = 200 * time.Millisecond

// space is whether the disk of state has room. Badger writes to mapped files, and a
// page of one for which there is no room ends the process: so intake pauses while
// there is still enough for what Badger does on its own.
type space struct {
	mu      sync.Mutex            // guards all below
	free    func() (int64, error) // bytes
	need    func() int64          // bytes
	low     bool
	is, min int64 // bytes free and needed, when last looked at while low
}

// of is told whose space it is, at the start and when another state is in use.
func (s *space) of(free func() (int64, error), need func() int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free, s.need = free, need
}

// enough is how much must be free for a pause to end: an eighth more than needed, so
// that the daemon does not pause and go on in turns.
func enough(need int64) int64 { return need + need/8 }

// short tells whether intake pauses for want of space.
func (s *space) short() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.low
}

// words say how much is free, how much it takes to go on, and what to do; "" while
// there is room.
func (s *space) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.low {
		return ""
	}
	return fmt.Sprintf("%d MB are free and reading goes on by itself at %d MB: free some, give state.dir a larger disk, or lower state.min_free or state.keep_closed and start again; nothing is lost", s.is>>20, enough(s.min)>>20)
}

// look looks at the disk; changed tells that intake pauses from now on, or no longer.
func (s *space) look() (changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, err := s.free()
	if err != nil {
		return false, err
	}
	need, was := s.need(), s.low
	s.low = free < need || was && free < enough(need)
	s.is, s.min = free, need
	return s.low != was, nil
}

// watchSpace looks at the disk until ctx ends. While that cannot be, the daemon
// goes on as it did.
func (d *Daemon) watchSpace(ctx context.Context) error {
	tick := time.NewTicker(spaceEvery)
	defer tick.Stop()
	blind := false
	for {
		err := d.lookAtSpace()
		if err != nil && !blind {
			d.log.Warn("the space on the disk cannot be watched", "dir", d.config.Load().State.Dir, "err", err)
		}
		blind = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// lookAtSpace looks once; one log line a change.
func (d *Daemon) lookAtSpace() error {
	changed, err := d.space.look()
	switch {
	case err != nil || !changed:
	case d.space.short():
		d.log.Error("reading is paused: the disk is nearly full", "dir", d.config.Load().State.Dir, "err", d.space.words())
	default:
		d.log.Info("reading goes on: the disk has room again", "dir", d.config.Load().State.Dir)
		d.client.Wake()
	}
	return err
}

// committed is told how long a commit took.
func (d *Daemon) committed(took time.Duration) {
	d.commits.observe(took)
	_ = d.lookAtSpace() // an error comes again at the next tick, and is said there
}

// watchesSpaceOf has the disk of a store watched. A rebuild beside it needs as much
// again.
func (d *Daemon) watchesSpaceOf(store *state.Store) {
	d.space.of(store.Free, func() int64 {
		need := store.Need()
		if r := d.rebuilds.underWay(); r != nil {
			need += r.store.Need()
		}
		return need
	})
}
