package state

import (
	"fmt"
	"reflect"

	"blipd/event"
)

// land puts an event that was judged to have an effect onto its trajectory.
func (f *fold) land(k *kept, x int, ev *event.Event) {
	counts := ev.Type == event.TypeDecision || ev.Type == event.TypeOutcome
	if k.phase == phaseClosed && counts {
		f.uncount(k, x)
	}
	k.see(ev.Time)
	k.size += sizeOf(ev)
	switch ev.Type {
	case event.TypeDecision:
		k.Decisions = append(k.Decisions, *ev.Decision)
		f.tally(x, ev.Decision)
	case event.TypeIntervention:
		k.Interventions = append(k.Interventions, *ev.Intervention)
	case event.TypeOutcome:
		hold(k, ev.Outcome)
	case event.TypeEnd:
		k.End = ev.End
	}
	f.touch(k)
	switch {
	case k.phase == phaseClosed && counts:
		f.recount(k, x)
	case k.phase != phaseClosed:
		f.settle(k, x)
	}
}

// tally counts a decision by the arm drawn, or by why it is not randomized.
func (f *fold) tally(x int, d *event.Decision) {
	s, e := &f.stats.Experiments[x], &f.rules[x].Experiment
	if why := e.Randomized(d); why != event.Randomized {
		s.NotRandomized[why]++
		return
	}
	s.Assigned[e.Arm(d.Assignment.Arm)]++
	for _, p := range d.Assignment.Probabilities {
		s.Expected[e.Arm(p.Arm)] += p.P
	}
}

func hold(k *kept, o *event.Outcome) {
	for _, v := range o.Values {
		h := k.Held(v.Name)
		if weigh(h, o, v.Value) != 0 {
			continue
		}
		value := event.Valued{Given: true, Revision: o.Revision, Value: v.Value}
		h.Name = v.Name
		if o.Provisional {
			h.Provisional = value
		} else {
			h.Final = value
			if h.Provisional.Revision <= o.Revision {
				h.Provisional = event.Valued{}
			}
		}
		k.Hold(h)
	}
}

// settle closes a trajectory that has its outcomes, now or after the grace.
func (f *fold) settle(k *kept, x int) {
	if k.phase == phaseOpen && f.hasOutcomes(k, x) {
		k.phase, k.settled = phaseSettling, f.clock.now
		if k.settled == event.NoTime {
			k.settled = k.Last
		}
		if f.rules[x].CloseGrace == 0 {
			f.close(k, x, ByOutcome)
			return
		}
	}
	f.schedule(k, x)
}

// hasOutcomes tells whether every required outcome is final.
func (f *fold) hasOutcomes(k *kept, x int) bool {
	for _, o := range f.rules[x].Experiment.Outcomes {
		if o.Required && !k.Held(o.Name).Final.Given {
			return false
		}
	}
	return true
}

// close closes a trajectory for ever.
func (f *fold) close(k *kept, x int, how How) {
	delete(f.open, k.ID)
	k.phase, k.how, k.order = phaseClosed, how, f.orders
	f.orders++
	if k.closed = f.clock.now; k.closed == event.NoTime {
		k.closed = k.Last
	}
	f.books[x].end(k.started)
	s := &f.stats.Experiments[x]
	f.stats.Open--
	s.Open--
	s.Closed[how]++
	f.touch(k)
	f.recount(k, x)
}

// uncount takes a closed trajectory's contribution out, as it was put in. A
// closed trajectory is in a ledger if and only if it has its outcomes.
func (f *fold) uncount(k *kept, x int) {
	f.stats.Experiments[x].Changed++
	if f.hasOutcomes(k, x) {
		f.operate(operation{kind: opRemove, experiment: x, period: f.books[x].period(k.started)}, &k.Trajectory)
		return
	}
	f.censor(k, x, -1)
}

// recount puts a closed trajectory's contribution in, where it has one.
func (f *fold) recount(k *kept, x int) {
	if f.hasOutcomes(k, x) {
		f.operate(operation{kind: opAdd, experiment: x, period: f.books[x].period(k.started)}, &k.Trajectory)
		return
	}
	f.censor(k, x, 1)
}

// censor counts a censored trajectory and its rows by arm.
func (f *fold) censor(k *kept, x int, sign int64) {
	s, e := &f.stats.Experiments[x], &f.rules[x].Experiment
	s.Censored += sign
	for i := range k.Decisions {
		if d := &k.Decisions[i]; e.Randomized(d) == event.Randomized {
			s.CensoredRows[e.Arm(d.Assignment.Arm)] += sign
		}
	}
}

// sameContent compares two events of one type, all but their times.
func sameContent(a, b *event.Event) bool {
	x, y := *a, *b
	x.Time, y.Time = 0, 0
	return reflect.DeepEqual(x, y)
}

// nameOf names a decision to its producer.
func nameOf(index int, id string) string {
	switch {
	case id == "":
		return fmt.Sprint(index)
	case index == 0:
		return fmt.Sprintf("%q", id)
	}
	return fmt.Sprintf("%d (%q)", index, id)
}

// sizeOf is about what an event takes on disk, in bytes.
func sizeOf(e *event.Event) int {
	size := 64
	if d := e.Decision; d != nil {
		size += len(d.ID) + len(d.Agent.Name) + len(d.Agent.Version) + len(d.Agent.Model) + len(d.Assignment.Policy)
		for _, c := range d.Calls {
			size += 4 + len(c.Tool) + len(c.Capability)
		}
		for _, m := range d.State {
			size += 12 + len(m.Name) + len(m.Value.Str)
		}
		for _, m := range d.Scores {
			size += 12 + len(m.Name)
		}
		for _, p := range d.Assignment.Probabilities {
			size += 12 + len(p.Arm)
		}
	}
	if o := e.Outcome; o != nil {
		for _, v := range o.Values {
			size += 24 + len(v.Name)
		}
	}
	return size
}
