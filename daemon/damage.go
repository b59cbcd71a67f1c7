package daemon

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"blipd/state"
)

// openState opens state and every partition of it that this process may read. Where
// that finds damage, the directory is set aside and an empty one opened in its place,
// unless the configuration wants it otherwise.
func (d *Daemon) openState() error {
	for {
		err := d.tryState()
		if !errors.Is(err, state.ErrDamaged) || d.config.Load().State.StopOnDamage {
			return err
		}
		origin, aside := state.SetAside(d.config.Load().State.Dir, err, time.Now())
		if aside != nil {
			return errors.Join(err, aside)
		}
		d.setAside.Add(1)
		d.log.Error("state was damaged and is set aside: everything is counted again from where the log begins", "dir", d.config.Load().State.Dir, "set_aside", origin.Aside, "err", origin.Why)
	}
}

// tryState opens what there is.
func (d *Daemon) tryState() (err error) {
	begun := time.Now()
	if d.store, err = state.Open(d.config.Load().State, d.config.Load().Kafka.Topic); err != nil {
		return err
	}
	d.storeOpened(begun)
	if words := d.store.Settled(); words != "" {
		d.log.Warn("state was put right after a kill", "dir", d.config.Load().State.Dir, "what", words)
	}
	if err = d.openPartitions(); err != nil {
		err = errors.Join(err, d.store.Close())
		d.store = nil
	}
	return err
}

// openPartitions opens the partitions that have state, before the log is asked for
// anything: it is then that damage shows.
func (d *Daemon) openPartitions() (err error) {
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	if d.intake.origin, err = state.ReadOrigin(d.config.Load().State.Dir); err != nil {
		d.log.Warn("what state says of its own beginning cannot be read", "err", err)
	}
	numbers, err := d.store.Partitions()
	if err != nil {
		return err
	}
	clear(d.intake.restored)
	for _, number := range numbers {
		if mine := d.config.Load().Kafka.Partitions; len(mine) > 0 && !slices.Contains(mine, number) {
			continue
		}
		if d.intake.restored[number], err = d.restore(number, d.config.Load()); err != nil {
			return err
		}
	}
	return nil
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
