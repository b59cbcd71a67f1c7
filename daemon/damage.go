package daemon

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"blipd/state"
)

// openStore opens state. Where that finds damage, the directory is set aside and an
// empty one opened in its place, unless the configuration wants it otherwise.
func (d *Daemon) openStore() (err error) {
	cfg := d.config.Load()
	for {
		begun := time.Now()
		if d.store, err = state.Open(cfg.State, cfg.Kafka.Topic); err == nil {
			d.storeOpened(begun)
			break
		}
		if err = d.putAside(err); err != nil {
			return err
		}
	}
	if words := d.store.Settled(); words != "" {
		d.log.Warn("state was put right after a kill", "dir", cfg.State.Dir, "what", words)
	}
	origin, err := state.ReadOrigin(cfg.State.Dir)
	if err != nil {
		d.log.Warn("what state says of its own beginning cannot be read", "err", err)
	}
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	d.intake.origin = origin
	return nil
}

// putAside sets a directory that is damaged aside; another error, or one that it may
// not answer so, comes back.
func (d *Daemon) putAside(err error) error {
	dir := d.config.Load().State.Dir
	if !errors.Is(err, state.ErrDamaged) || d.config.Load().State.StopOnDamage {
		return err
	}
	origin, aside := state.SetAside(dir, err, time.Now())
	if aside != nil {
		return errors.Join(err, aside)
	}
	d.setAside.Add(1)
	d.log.Error("state was damaged and is set aside: everything is counted again from where the log begins", "dir", dir, "set_aside", origin.Aside, "err", origin.Why)
	return nil
}

// bringBack restores the partitions that have state and that this process may read,
// before the log is asked for anything: it is then that damage within them shows. It
// can take long, and pages answer meanwhile.
func (d *Daemon) bringBack() error {
	d.house.Lock()
	defer d.house.Unlock()
	if d.closed {
		return nil
	}
	d.intake.waits("state is being brought back")
	defer d.intake.waits("")
	for {
		err := d.restoreAll()
		if !errors.Is(err, state.ErrDamaged) || d.config.Load().State.StopOnDamage {
			return err
		}
		if err := d.beginAgain(err); err != nil {
			return err
		}
	}
}

func (d *Daemon) restoreAll() error {
	cfg := d.config.Load()
	numbers, err := d.store.Partitions()
	if err != nil {
		return err
	}
	restored := map[int]*state.Partition{}
	for _, number := range numbers {
		if mine := cfg.Kafka.Partitions; len(mine) > 0 && !slices.Contains(mine, number) {
			continue
		}
		if restored[number], err = d.restore(number, cfg); err != nil {
			return err
		}
	}
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	d.intake.restored = restored
	return nil
}

// beginAgain puts an empty state in the place of one in which damage was found. What
// people hold stays held: it does not come from the log.
func (d *Daemon) beginAgain(damage error) error {
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	d.shelf.Lock()
	defer d.shelf.Unlock()
	err := d.store.Close()
	d.store = nil
	if err == nil {
		err = d.putAside(damage)
	}
	if err == nil {
		err = d.openStore()
	}
	if err == nil {
		d.watchesSpaceOf(d.store)
		err = d.store.SetHolds(slices.Collect(maps.Values(d.holds.now)))
	}
	return err
}

// restore brings back one partition, as cfg has it.
func (d *Daemon) restore(number int, cfg *Config) (*state.Partition, error) {
	options := cfg.stateOptions()
	options.Clock, options.Committed = time.Now, d.committed
	return d.store.Partition(number, options)
}

// condemn has the next start find what this one has found.
func (d *Daemon) condemn(err error) error {
	if d.store == nil || !errors.Is(err, state.ErrDamaged) {
		return err
	}
	return errors.Join(err, d.store.Condemn(err))
}

// beganLate is told that a partition without state is read from a log that has lost
// its beginning. That is as it should be when blipd is new here, but not when it
// counts again.
func (d *Daemon) beganLate(number int, start int64) {
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	if d.intake.origin == nil {
		return
	}
	origin := *d.intake.origin
	if origin.Late = maps.Clone(origin.Late); origin.Late == nil {
		origin.Late = map[int]int64{}
	}
	origin.Late[number] = start
	d.intake.origin = &origin
	d.log.Error("counting again gives another answer than before: the log has lost its beginning meanwhile", "topic", d.config.Load().Kafka.Topic, "partition", number, "begins_at", start, "set_aside", origin.Aside)
	if err := origin.Write(d.config.Load().State.Dir); err != nil {
		d.log.Warn("the next start will not say so", "err", err)
	}
}

// notes are what people should know of state though it hinders nothing.
func (i *intake) notes(dir string) []string {
	if i.origin == nil {
		return nil
	}
	notes := []string{fmt.Sprintf("state was damaged and set aside as %s at %s, and everything counted again: %s (remove %s/blipd.rebuilt to no longer see this)",
		i.origin.Aside, i.origin.At.Format(time.RFC3339), i.origin.Why, dir)}
	for _, number := range slices.Sorted(maps.Keys(i.origin.Late)) {
		notes = append(notes, fmt.Sprintf("partition %d is not what it was before: its log began at offset %d when it was counted again, and what was before that is in no estimate", number, i.origin.Late[number]))
	}
	return notes
}
