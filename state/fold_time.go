package state

import (
	"container/heap"
	"time"

	"blipd/event"
)

// keepFor is how long closed trajectories of an experiment are kept, in stream
// time. Limits of one that is no longer configured are those of all.
func (f *fold) keepFor(experiment string) time.Duration {
	return max(f.keep, f.window(f.experiment(experiment)))
}

// closedFor tells whether a closed trajectory has been so for longer than d.
func (f *fold) closedFor(k *kept, d time.Duration) bool {
	return f.clock.now != event.NoTime && f.clock.now > f.clock.since(k.closed).Add(d)
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

// schedule sets when an open trajectory may have to be closed.
func (f *fold) schedule(k *kept, x int) { f.due.set(k, f.dueOf(k, x)) }

// dueOf is when stream time closes an open trajectory: the time-out after its
// first event; sooner when it only waits out its grace. A trajectory without
// any timed event counts from when it was started. So does one whose events
// all lie further ahead than the time-out, as long as stream time has not come
// to them: else one wrong clock would keep a period from ever being complete.
func (f *fold) dueOf(k *kept, x int) event.Time {
	from, started, timeout := k.First, f.clock.since(k.started), f.timeout(x)
	if from == event.NoTime || started != event.NoTime && from > started.Add(timeout) && from > f.clock.now {
		from = started
	}
	due := from.Add(timeout)
	if k.phase == phaseSettling {
		if grace := f.clock.since(k.settled).Add(f.rules[x].CloseGrace); grace != event.NoTime && (due == event.NoTime || grace < due) {
			due = grace
		}
	}
	return due
}

// advance closes what stream time has passed, then completes periods. False:
// it has stopped at a full commit, or one event that moves time far would
// close more than a transaction holds; it is to be called again.
func (f *fold) advance(full func() bool) bool {
	if f.stats.Stream == event.NoTime && f.clock.now != event.NoTime {
		for _, k := range f.open { // what began before stream time did has its moments now
			f.schedule(k, f.experiment(k.Experiment))
		}
	}
	f.stats.Stream = f.clock.now
	for len(f.due) > 0 && f.clock.now != event.NoTime && f.due[0].due <= f.clock.now {
		k := f.due[0]
		x := f.experiment(k.Experiment)
		if due := f.dueOf(k, x); due > f.clock.now { // stream time has come to its events
			f.due.set(k, due)
			continue
		}
		if full() {
			return false
		}
		if f.broken = f.wake(k); f.broken != nil {
			return true
		}
		f.expire(k, x)
	}
	for x := range f.books {
		f.complete(x)
	}
	return true
}

// dues is a heap of open trajectories, the earliest due first, ids breaking
// ties. Each knows its place, so that the heap never holds more than are open.
type dues []*kept

// set puts a trajectory in, or moves it to another due time.
func (d *dues) set(k *kept, due event.Time) {
	if due == k.due {
		return
	}
	k.due = due
	if k.slot > 0 {
		heap.Fix(d, int(k.slot)-1)
	} else {
		heap.Push(d, k)
	}
}

// remove takes a trajectory out, if it is in.
func (d *dues) remove(k *kept) {
	if k.slot > 0 {
		heap.Remove(d, int(k.slot)-1)
	}
}

func (d dues) Len() int { return len(d) }

func (d dues) Less(i, j int) bool {
	return d[i].due < d[j].due || d[i].due == d[j].due && d[i].ID < d[j].ID
}

func (d dues) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].slot, d[j].slot = int32(i)+1, int32(j)+1
}

// Push and Pop are those of heap.Interface.
func (d *dues) Push(x any) {
	k := x.(*kept)
	*d = append(*d, k)
	k.slot = int32(len(*d))
}

func (d *dues) Pop() any {
	last := (*d)[len(*d)-1]
	(*d)[len(*d)-1] = nil
	*d = (*d)[:len(*d)-1]
	last.slot = 0
	return last
}
