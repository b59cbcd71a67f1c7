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
	recall  func(id string) (*kept, error)      // a closed trajectory that is still on disk, or nil
	reload  func(k *kept) (event.Packed, error) // the events of an open trajectory, from disk
	keep    time.Duration                       // state.keep_closed
	letters bool                                // dead letters are wanted
	topic   string                              // for their headers
	block   int                                 // see pace

	held   int64 // bytes that the events of open trajectories take in memory
	waits  int64 // bytes of the events that wait for their experiment
	round  int32 // commits so far; see sleep
	tight  bool  // until the next commit: memory is scarce, what is touched is written whole
	broken error // what advance and finish could not read; nothing may follow

	scratch event.Trajectory // of whole
	unpack  event.Unpacker   // the same

	clock   clock
	open    map[string]*kept // those not closed
	due     dues             // of them, by when stream time closes them
	books   []book           // per experiment
	learn   []Learner        // per experiment, nil where there is none
	epochs  []int32          // per experiment, the number of the epoch
	stats   Stats
	changes changes // since the last commit
}

// changes is what a commit has to write beside the counters.
type changes struct {
	open       []*kept          // touched while they were open, each once; some may have left since
	left       []*kept          // no longer open, and the journal has them
	closed     map[string]*kept // closed, or changed after that, by id
	archive    blocks           // of closed trajectories, as each was counted, in log order
	operations []operation      // on ledgers, in log order
	erasures   []erasure
	outbox     []Letter
	size       int // of all that, about, in bytes
}

// count is the number of things in it, about.
func (c *changes) count() int {
	return len(c.open) + len(c.left) + len(c.closed) + len(c.operations) + len(c.erasures) + len(c.outbox)
}

func newFold(rules []Rules, limits Limits, ledger NewLedger, recall func(string) (*kept, error)) *fold {
	f := &fold{rules: rules, limits: limits, recall: recall, clock: newClock(), open: map[string]*kept{}}
	f.stats = Stats{Stream: event.NoTime, Rejected: make([]int64, len(event.Reasons())+1)}
	for x := range rules {
		f.stats.Experiments = append(f.stats.Experiments, newExperimentStats(&rules[x].Experiment))
		f.books = append(f.books, newBook(int64(rules[x].StartPeriod), x, ledger, []part{{policies: rules[x].Policies}}))
	}
	f.learn, f.epochs = make([]Learner, len(rules)), make([]int32, len(rules))
	f.reset()
	return f
}

// reset forgets the changes, which have been written.
func (f *fold) reset() {
	f.changes = changes{closed: map[string]*kept{}, archive: blocks{first: f.changes.archive.next(), limit: f.block}}
}

// apply takes the next record of the log; advance must follow, until it is
// done, before the next one. An error is one of recall: the record is then not
// counted.
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
	return nil
}

// accept lands an event on its trajectory, or says why not; then it has
// changed nothing.
func (f *fold) accept(e *event.Entry) (*event.Fault, error) {
	ev := &e.Event
	k, err := f.find(ev.Trajectory)
	if err != nil {
		return nil, err
	}
	switch {
	case ev.Type == event.TypeExclude:
		return f.exclude(k, ev.Trajectory), nil
	case k != nil && k.how == Excluded:
		return event.Faultf(event.Excluded, "%s: trajectory %q was excluded", ev.Type, ev.Trajectory), nil
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
		k = newKept(ev.Trajectory)
	}
	against := k
	if x >= 0 && len(k.waiting) > 0 {
		against = f.joined(k, x)
	}
	if fault := f.judge(against, x, ev); fault != nil {
		return fault, nil
	}
	if x < 0 {
		if fault := f.roomToWait(e); fault != nil {
			return fault, nil
		}
	}
	if ev.Time != event.NoTime {
		f.clock.see(k.ID, ev.Time)
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
	}
	f.land(k, x, ev)
	return nil, nil
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

// leave takes a trajectory out of the open ones.
func (f *fold) leave(k *kept) {
	delete(f.open, k.ID)
	f.due.remove(k)
	f.held, k.room, k.left = f.held-int64(k.room), 0, true
	if k.written {
		f.changes.left = append(f.changes.left, k)
	}
	f.stats.Open--
	for x := range f.books {
		if f.holds(k, x) {
			f.books[x].end(k.started)
		}
	}
}

// holds tells whether an open trajectory keeps the periods of experiment x from
// being complete: it belongs to it, or may yet.
func (f *fold) holds(k *kept, x int) bool {
	return k.Experiment == "" || k.Experiment == f.rules[x].Experiment.Name
}

// touch marks an open trajectory to be written, with the size it has by now.
func (f *fold) touch(k *kept) {
	if !k.touched {
		k.touched = true
		f.changes.open = append(f.changes.open, k)
		f.changes.size += k.headSize()
		if !k.written || f.tight || len(k.waiting) > 0 {
			k.counted = 0
		}
	}
	f.changes.size += int(k.size - k.counted)
	k.counted, k.round = k.size, f.round
	f.account(k)
}

// headSize is what is written of a trajectory beside its events, about.
func (k *kept) headSize() int {
	size := 150 + len(k.ID) + len(k.Experiment) + 60*len(k.Outcomes)
	for i := range k.Outcomes {
		size += len(k.Outcomes[i].Name)
	}
	if k.End != nil {
		size += len(k.End.Reason)
	}
	return size
}
