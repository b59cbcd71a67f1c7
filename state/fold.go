package state

import (
	"time"

	"blipd/event"
)

// fold is what a prefix of the log adds up to in one partition. It is pure:
// what lies on disk it asks of recall, what is to be written it leaves in
// changes. Not safe for concurrent use.
type fold struct {
	rules   []Rules
	limits  Limits
	recall  func(id string) (*kept, error) // a closed trajectory that is still on disk, or nil
	keep    time.Duration                  // state.keep_closed
	letters bool                           // dead letters are wanted
	topic   string                         // for their headers

	clock   clock
	open    map[string]*kept // those not closed
	due     dues             // when stream time closes them
	books   []book           // per experiment
	orders  int64            // closings so far
	stats   Stats
	changes changes // since the last commit
}

// changes is what a commit has to write beside the counters.
type changes struct {
	trajectories map[string]*kept // touched, by id; nil: gone
	operations   []operation      // on ledgers, in log order
	outbox       []Letter
	size         int // of all that, about, in bytes
}

func newFold(rules []Rules, limits Limits, ledger NewLedger, recall func(string) (*kept, error)) *fold {
	f := &fold{rules: rules, limits: limits, recall: recall, clock: newClock(), open: map[string]*kept{}}
	f.stats = Stats{Stream: event.NoTime, Rejected: make([]int64, len(event.Reasons())+1)}
	for x := range rules {
		arms := 1 + len(rules[x].Experiment.Interventions)
		f.stats.Experiments = append(f.stats.Experiments, ExperimentStats{
			NotRandomized: make([]int64, len(event.NotRandomizedReasons())+1),
			Assigned:      make([]int64, arms), Expected: make([]float64, arms), CensoredRows: make([]int64, arms),
			CompleteTo: event.NoTime,
		})
		f.books = append(f.books, newBook(int64(rules[x].StartPeriod), x, ledger))
	}
	f.reset()
	return f
}

// reset forgets the changes, which have been written.
func (f *fold) reset() { f.changes = changes{trajectories: map[string]*kept{}} }

// apply takes the next record of the log. An error is one of recall: the
// record is then not counted.
func (f *fold) apply(e *event.Entry) error {
	fault := e.Fault
	if fault == nil {
		var err error
		if fault, err = f.accept(e); err != nil {
			return err
		}
	}
	f.stats.Records++
	if fault != nil {
		f.reject(&e.Record, fault)
	}
	f.advance()
	return nil
}

// accept lands an event on its trajectory, or says why not.
func (f *fold) accept(e *event.Entry) (*event.Fault, error) {
	ev := &e.Event
	k, err := f.find(ev.Trajectory)
	if err != nil {
		return nil, err
	}
	x, fault := f.experimentOf(ev, k)
	if fault != nil {
		return fault, nil
	}
	fresh := k == nil
	if fresh {
		if fault := f.admit(ev, x); fault != nil {
			return fault, nil
		}
		k = &kept{Trajectory: event.Trajectory{ID: ev.Trajectory, First: event.NoTime, Last: event.NoTime}, due: event.NoTime}
	}
	if fault := f.judge(k, x, ev); fault != nil {
		return fault, nil
	}
	if ev.Time != event.NoTime {
		f.clock.see(ev.Trajectory, ev.Time)
	}
	if fresh {
		f.begin(k)
	}
	if x < 0 {
		f.wait(k, e)
		return nil, nil
	}
	if k.Experiment == "" {
		f.join(k, x)
		if fault := f.judge(k, x, ev); fault != nil { // against what waited
			return fault, nil
		}
	}
	f.land(k, x, ev)
	return nil, nil
}

// find is the trajectory of an id, where it is open or still kept.
func (f *fold) find(id string) (*kept, error) {
	if k := f.open[id]; k != nil {
		return k, nil
	}
	k, touched := f.changes.trajectories[id]
	if !touched {
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
func (f *fold) forgotten(k *kept) bool {
	return f.clock.now != event.NoTime && f.clock.now > k.closed.Add(f.keepFor(k.Experiment))
}

// experimentOf is the experiment that an event belongs to, -1 while none is
// known. The first name a trajectory hears is its own for ever.
func (f *fold) experimentOf(ev *event.Event, k *kept) (int, *event.Fault) {
	named, known := f.experiment(ev.Experiment), -1
	if k != nil {
		known = f.experiment(k.Experiment)
	}
	switch {
	case named < 0 && known < 0 && len(f.rules) == 1:
		return 0, nil
	case named < 0:
		return known, nil
	case known >= 0 && known != named:
		return 0, event.Faultf(event.Conflict, "experiment: trajectory %q belongs to %q, this event names %q: a trajectory has one experiment for ever", ev.Trajectory, k.Experiment, ev.Experiment)
	}
	return named, nil
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
	if now := f.clock.now; now != event.NoTime && ev.Time != event.NoTime && ev.Time.Add(f.timeout(x)).Add(f.window(x)) < now {
		return event.Faultf(event.Late, "time: %s is more than trajectory_timeout + revision_window (%s) before stream time %s, and trajectory %q is neither open nor kept",
			ev.Time, f.timeout(x)+f.window(x), now, ev.Trajectory)
	}
	if len(f.open) >= f.limits.OpenTrajectories {
		return event.Faultf(event.TooMany, "trajectory %q: %d trajectories are open in this partition, the limit; send outcomes, or raise limits.open_trajectories", ev.Trajectory, len(f.open))
	}
	return nil
}

// begin opens a trajectory.
func (f *fold) begin(k *kept) {
	k.started = f.clock.now
	f.open[k.ID] = k
	f.stats.Open++
	for x := range f.books { // it may come to belong to any of them
		f.books[x].begin(k.started)
	}
	f.touch(k)
}

// wait keeps an event until the trajectory's experiment is known.
func (f *fold) wait(k *kept, e *event.Entry) {
	k.waiting = append(k.waiting, waiting{e.Record, e.Event})
	k.size += len(e.Record.Value) + sizeOf(&e.Event)
	k.see(e.Event.Time)
	f.schedule(k, -1)
	f.touch(k)
}

// join gives a trajectory its experiment, and lands what has waited for it.
func (f *fold) join(k *kept, x int) {
	k.Experiment = f.rules[x].Experiment.Name
	for other := range f.books {
		if other != x {
			f.books[other].end(k.started)
		}
	}
	f.stats.Experiments[x].Started++
	f.stats.Experiments[x].Open++
	waited := k.waiting
	k.waiting = nil
	for i := range waited {
		w := &waited[i]
		if fault := f.judge(k, x, &w.event); fault != nil {
			f.reject(&w.record, fault)
			continue
		}
		f.land(k, x, &w.event)
	}
}

// touch marks a trajectory to be written.
func (f *fold) touch(k *kept) {
	if _, known := f.changes.trajectories[k.ID]; !known {
		f.changes.size += k.size + 100
	}
	f.changes.trajectories[k.ID] = k
}

// see widens the span of the trajectory's event times.
func (k *kept) see(t event.Time) {
	if t == event.NoTime {
		return
	}
	if k.First == event.NoTime || t < k.First {
		k.First = t
	}
	k.Last = max(k.Last, t)
}
