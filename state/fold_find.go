package state

import "blipd/event"

// maxID is the length from which on the id of a trajectory is refused: it is
// part of a key, and Badger takes keys of up to 65000 bytes.
const maxID = 60_000

// find is the trajectory of an id, where it is open or still kept.
func (f *fold) find(id string) (*kept, error) {
	if k := f.open[id]; k != nil {
		return k, f.wake(k)
	}
	k := f.changes.closed[id]
	if k == nil {
		var err error
		if k, err = f.recall(id); err != nil {
			return nil, err
		}
	}
	if k == nil || f.forgotten(k) {
		return nil, nil
	}
	return k, nil
}

// forgotten tells whether a closed trajectory counts as gone: a function of
// stream time, whenever the disk gives it up.
func (f *fold) forgotten(k *kept) bool { return f.closedFor(k, f.keepFor(k.Experiment)) }

// experimentOf is the experiment that an event belongs to, -1 while none is
// known. The first name a trajectory hears is its own for ever.
func (f *fold) experimentOf(ev *event.Event, k *kept) (int, *event.Fault) {
	if k == nil || k.Experiment == "" {
		if ev.Experiment == "" && len(f.rules) == 1 {
			return 0, nil
		}
		return f.experiment(ev.Experiment), nil
	}
	x := f.experiment(k.Experiment)
	switch {
	case ev.Experiment != "" && ev.Experiment != k.Experiment:
		return 0, event.Faultf(event.Conflict, "experiment: trajectory %q belongs to %q, this event names %q: a trajectory has one experiment for ever", ev.Trajectory, k.Experiment, ev.Experiment)
	case x < 0:
		return 0, event.Faultf(event.UnknownExperiment, "experiment: trajectory %q belongs to %q, which is no longer configured", ev.Trajectory, k.Experiment)
	}
	return x, nil
}

// experiment is the place of a name among the rules, or -1.
func (f *fold) experiment(name string) int {
	if name == "" {
		return -1
	}
	for x := range f.rules {
		if f.rules[x].Experiment.Name == name {
			return x
		}
	}
	return -1
}

// admit says whether an event may open a trajectory.
func (f *fold) admit(ev *event.Event, x int) *event.Fault {
	if len(ev.Trajectory) > maxID {
		return event.Faultf(event.TooLarge, "trajectory_id: %d bytes, state keeps ids of up to %d: send a shorter one", len(ev.Trajectory), maxID)
	}
	if now := f.clock.now; now != event.NoTime && ev.Time != event.NoTime && ev.Time.Add(f.timeout(x)).Add(f.window(x)) < now {
		return event.Faultf(event.Late, "time: %s is more than trajectory_timeout + revision_window (%s) before stream time %s, and trajectory %q is neither open nor kept",
			ev.Time, f.timeout(x)+f.window(x), now, ev.Trajectory)
	}
	if len(f.open) >= f.limits.OpenTrajectories {
		return event.Faultf(event.TooMany, "trajectory %q: %d trajectories are open in this partition, the limit; send outcomes, or raise limits.open_trajectories", ev.Trajectory, len(f.open))
	}
	return nil
}
