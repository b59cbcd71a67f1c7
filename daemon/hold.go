package daemon

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"blipd/state"
)

// holds is what is held now, as the store has it.
type holds struct {
	mu  sync.Mutex // guards all below, and the order of writes
	now map[string]state.Hold
}

// Held are the entries by which experiments are held now, by experiment.
func (d *Daemon) Held() []state.Hold {
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	var all []state.Hold
	for _, name := range slices.Sorted(maps.Keys(d.holds.now)) {
		all = append(all, d.holds.now[name])
	}
	return all
}

// HoldBook are the entries that are kept, the oldest first.
func (d *Daemon) HoldBook() ([]state.Hold, error) {
	d.shelf.RLock()
	defer d.shelf.RUnlock()
	return d.store.Holds()
}

// setHolds writes entries and puts them in force. They are in force only once
// they are on the disk.
func (d *Daemon) setHolds(_ context.Context, entries []state.Hold) error {
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	at := time.Now().UTC()
	for i := range entries {
		entries[i].At = at
	}
	d.shelf.RLock()
	defer d.shelf.RUnlock()
	if err := d.store.SetHolds(entries); err != nil {
		return err
	}
	for _, h := range entries {
		what := "experiment released"
		if delete(d.holds.now, h.Experiment); h.Held {
			what = "experiment held"
			d.holds.now[h.Experiment] = h
		}
		d.log.Info(what, "experiment", h.Experiment, "reason", h.Reason, "by", h.By, "user", h.User, "remote", h.Remote)
	}
	return nil
}
