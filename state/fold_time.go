package state

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"time"

	"blipd/event"
)

// keepFor is how long closed trajectories of an experiment are kept, in stream
// time. Limits of one that is no longer configured are those of all.
func (f *fold) keepFor(experiment string) time.Duration {
	return max(f.keep, f.window(f.experiment(experiment)))
}

// timeout is the trajectory_timeout of experiment x, of all of them for -1.
func (f *fold) timeout(x int) time.Duration {
	return f.longest(x, func(r *Rules) time.Duration { return r.Timeout })
}

// window is the revision_window of experiment x, of all of them for -1.
func (f *fold) window(x int) time.Duration {
	return f.longest(x, func(r *Rules) time.Duration { return r.RevisionWindow })
}

func (f *fold) longest(x int, of func(*Rules) time.Duration) time.Duration {
	if x >= 0 {
		return of(&f.rules[x])
	}
	longest := time.Duration(0)
	for i := range f.rules {
		longest = max(longest, of(&f.rules[i]))
	}
	return longest
}

// schedule sets when stream time closes an open trajectory: its first event
// and the time-out; sooner when it only waits out its grace. A trajectory
// without any timed event counts from when it was started.
func (f *fold) schedule(k *kept, x int) {
	from := k.First
	if from == event.NoTime {
		from = k.started
	}
	due := from.Add(f.timeout(x))
	if k.phase == phaseSettling {
		if grace := k.settled.Add(f.rules[x].CloseGrace); due == event.NoTime || grace < due {
			due = grace
		}
	}
	if due != event.NoTime && due != k.due {
		heap.Push(&f.due, dueAt{due, k.ID})
	}
	k.due = due
}

// advance closes what stream time has passed and completes periods.
func (f *fold) advance() {
	if now := f.clock.now; now != f.stats.Stream {
		if f.stats.Stream == event.NoTime {
			f.startClock()
		}
		f.stats.Stream = now
	}
	for len(f.due) > 0 && f.clock.now != event.NoTime && f.due[0].at <= f.clock.now {
		next := heap.Pop(&f.due).(dueAt)
		if k := f.open[next.id]; k != nil && k.due == next.at { // else it was rescheduled or is closed
			f.expire(k)
		}
	}
	for x := range f.books {
		f.complete(x)
	}
}

// startClock runs when stream time begins: trajectories that were opened
// before, by events without a time, begin to age now.
func (f *fold) startClock() {
	for _, k := range f.open {
		if k.due == event.NoTime {
			k.started = f.clock.now
			for x := range f.books {
				if own := f.experiment(k.Experiment); own < 0 || own == x {
					f.books[x].end(event.NoTime)
					f.books[x].begin(k.started)
				}
			}
			f.schedule(k, f.experiment(k.Experiment))
			f.touch(k)
		}
	}
}

// expire closes a trajectory whose time is over.
func (f *fold) expire(k *kept) {
	x := f.experiment(k.Experiment)
	if x < 0 {
		f.abandon(k)
		return
	}
	if k.phase == phaseSettling {
		f.close(k, x, ByOutcome)
		return
	}
	rules := &f.rules[x]
	for i, o := range rules.Experiment.Outcomes {
		if o.Required && rules.TimeoutValues[i] == nil && !k.Held(o.Name).Final.Given {
			f.close(k, x, Censored)
			return
		}
	}
	for i, o := range rules.Experiment.Outcomes {
		if h := k.Held(o.Name); o.Required && !h.Final.Given {
			h.Name, h.Final = o.Name, event.Valued{Given: true, Revision: atTimeout, Value: *rules.TimeoutValues[i]}
			k.Hold(h)
		}
	}
	f.close(k, x, ByTimeout)
}

// atTimeout is the revision of a value declared for the time-out: any that
// was measured supersedes it.
const atTimeout = -1

// abandon drops a trajectory that never named its experiment.
func (f *fold) abandon(k *kept) {
	delete(f.open, k.ID)
	f.stats.Open--
	for x := range f.books {
		f.books[x].end(k.started)
	}
	for i := range k.waiting {
		f.reject(&k.waiting[i].record, event.Faultf(event.NoExperiment, "experiment: none is named, %d are configured, and no decision of trajectory %q named one within trajectory_timeout (%s): send experiment",
			len(f.rules), k.ID, f.timeout(-1)))
	}
	f.changes.trajectories[k.ID] = nil
}

// finish is the end of all input: what only waits out its grace closes, and
// every period is complete, whatever is still open.
func (f *fold) finish() {
	var waiting []*kept
	for _, k := range f.open {
		if k.phase == phaseSettling {
			waiting = append(waiting, k)
		}
	}
	slices.SortFunc(waiting, func(a, b *kept) int { return strings.Compare(a.ID, b.ID) })
	for _, k := range waiting {
		f.close(k, f.experiment(k.Experiment), ByOutcome)
	}
	for x := range f.books {
		f.record(operation{kind: opComplete, experiment: x, period: math.MaxInt64})
		f.books[x].complete(math.MaxInt64)
		f.stats.Experiments[x].CompleteTo = f.clock.ahead
	}
}

// dues is a heap of due times, the earliest first, ids breaking ties.
type dues []dueAt

type dueAt struct {
	at event.Time
	id string
}

func (d dues) Len() int      { return len(d) }
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)   { *d = append(*d, x.(dueAt)) }

func (d dues) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].id < d[j].id
}

func (d *dues) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
