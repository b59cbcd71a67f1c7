package state

import (
	"slices"
	"strings"

	"blipd/event"
	"blipd/event/pack"
)

// settle closes a trajectory that has its outcomes, now or after the grace.
func (f *fold) settle(k *kept, x int) {
	if k.phase == phaseOpen && f.hasOutcomes(k, x) {
		k.phase, k.settled = phaseSettling, f.clock.now
		if f.rules[x].CloseGrace == 0 {
			f.close(k, x, ByOutcome)
			return
		}
	}
	f.schedule(k, x)
}

// final tells whether a trajectory has the final value of an outcome. One that
// is outside the range, which an earlier epoch allowed, is none.
func final(k *kept, o *event.OutcomeRule) bool {
	h := k.Held(o.Name).Final
	return h.Given && within(o, h.Value)
}

func within(o *event.OutcomeRule, value float64) bool {
	return !o.Ranged || o.Low <= value && value <= o.Up
}

// hasOutcomes tells whether every required outcome is final.
func (f *fold) hasOutcomes(k *kept, x int) bool {
	outcomes := f.rules[x].Experiment.Outcomes
	for i := range outcomes {
		if outcomes[i].Required && !final(k, &outcomes[i]) {
			return false
		}
	}
	return true
}

// close closes a trajectory for ever.
func (f *fold) close(k *kept, x int, how How) {
	f.leave(k)
	k.phase, k.how, k.closed, k.at = phaseClosed, how, f.clock.now, noPlace
	s := &f.stats.Experiments[x]
	s.Open--
	s.Closed[how]++
	f.enter(k, x)
}

// enter counts a closed trajectory as it is now.
func (f *fold) enter(k *kept, x int) {
	if l := f.learn[x]; l != nil {
		k.Learned, k.epoch = nil, f.epochs[x]
		if t := f.contribution(k, x); t != nil {
			k.Learned = l.Predict(t)
		}
	}
	f.archive(k)
	f.count(opAdd, k, x)
}

// archive puts a closed trajectory, as it is now, behind all that closed or
// changed before.
func (f *fold) archive(k *kept) {
	f.changes.closed[k.ID], k.before = k, k.at
	before := f.changes.archive.size
	k.at, _ = f.changes.archive.add(func(w *pack.Writer) { k.pack(w, 0) })
	f.changes.size += f.changes.archive.size - before + len(k.ID) + 60
}

// expire closes a trajectory whose time is over.
func (f *fold) expire(k *kept, x int) {
	switch {
	case x < 0:
		f.abandon(k)
	case k.phase == phaseSettling:
		f.close(k, x, ByOutcome)
	case !f.contributes(k, x):
		f.close(k, x, Censored)
	default:
		f.close(k, x, ByTimeout)
	}
}

// atTimeout is the revision of a value declared for the time-out. It is filled
// in when a trajectory is counted and never kept: any that was measured
// supersedes it, and a new epoch declares its own.
const atTimeout = -1

// contributes tells whether a closed trajectory adds to a ledger: each of its
// required outcomes is final, or has a value declared for the time-out.
func (f *fold) contributes(k *kept, x int) bool {
	if k.how == Excluded {
		return false
	}
	outcomes := f.rules[x].Experiment.Outcomes
	for i := range outcomes {
		if outcomes[i].Required && !final(k, &outcomes[i]) && f.declared(x, i) == nil {
			return false
		}
	}
	return true
}

// declared is the value of outcome i at the time-out, nil where there is none.
func (f *fold) declared(x, i int) *float64 {
	if values := f.rules[x].TimeoutValues; i < len(values) {
		return values[i]
	}
	return nil
}

// contribution is what a closed trajectory adds to a ledger: itself, with the
// values declared for the time-out where required outcomes are missing; nil
// where it adds nothing: it is censored. It is valid until the next whole.
func (f *fold) contribution(k *kept, x int) *event.Trajectory {
	if !f.contributes(k, x) {
		return nil
	}
	t := f.whole(k)
	if k.epoch != f.epochs[x] {
		t.Learned = nil // another epoch's model said that
	}
	own := true // its outcomes are those of k
	outcomes := f.rules[x].Experiment.Outcomes
	for i := range outcomes {
		o := &outcomes[i]
		if !o.Required || final(k, o) {
			continue
		}
		if own {
			own, t.Outcomes = false, slices.Clone(k.Outcomes)
		}
		h := t.Held(o.Name)
		h.Name, h.Final = o.Name, event.Valued{Given: true, Revision: atTimeout, Value: *f.declared(x, i)}
		t.Hold(h)
	}
	return t
}

// count puts a closed trajectory's contribution in, or takes it out.
func (f *fold) count(kind opKind, k *kept, x int) {
	if t := f.contribution(k, x); t != nil {
		op := operation{kind: kind, experiment: x, period: f.books[x].period(k.started), at: k.at}
		f.record(op)
		f.operate(op, t)
		return
	}
	if kind == opAdd {
		f.censor(k, x, 1)
	} else {
		f.censor(k, x, -1)
	}
}

// censor counts a censored trajectory and its rows by arm.
func (f *fold) censor(k *kept, x int, sign int64) {
	s, e := &f.stats.Experiments[x], &f.rules[x].Experiment
	s.Censored += sign
	t := f.whole(k)
	for i := range t.Decisions {
		if d := &t.Decisions[i]; e.Randomized(d) == event.Randomized {
			s.CensoredRows[e.Arm(d.Assignment.Arm)] += sign
		}
	}
}

// finish is the end of all input: what only waits out its grace closes, and
// every period is complete, whatever is still open. False: it has stopped at a
// full commit and is to be called again.
func (f *fold) finish(full func() bool) bool {
	var waiting []*kept
	for _, k := range f.open {
		if k.phase == phaseSettling {
			waiting = append(waiting, k)
		}
	}
	slices.SortFunc(waiting, func(a, b *kept) int { return strings.Compare(a.ID, b.ID) })
	for _, k := range waiting {
		if full() {
			return false
		}
		if f.broken = f.wake(k); f.broken != nil {
			return true
		}
		f.close(k, f.experiment(k.Experiment), ByOutcome)
	}
	for x := range f.books {
		f.record(operation{kind: opComplete, experiment: x, period: allPeriods})
		f.books[x].complete(allPeriods)
		f.stats.Experiments[x].CompleteTo = f.clock.ahead
	}
	return true
}
