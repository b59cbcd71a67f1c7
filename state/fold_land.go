package state

import (
	"fmt"
	"strings"

	"blipd/event"
)

// land puts an event that was judged to have an effect onto its trajectory. A
// closed one is taken out as it was put in before anything of it changes: a
// ledger removes exactly what it added.
func (f *fold) land(k *kept, x int, ev *event.Event) {
	if k.phase == phaseClosed {
		f.stats.Experiments[x].Changed++
		f.count(opRemove, k, x)
	}
	f.put(k, x, ev)
	if k.phase == phaseClosed {
		f.enter(k, x)
		return
	}
	if f.settle(k, x); !k.left {
		f.touch(k)
	}
}

// put puts an event onto its trajectory and counts its decision.
func (f *fold) put(k *kept, x int, ev *event.Event) {
	k.put(ev)
	if ev.Type == event.TypeDecision {
		f.tally(x, ev.Decision)
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
		if h.Name == "" {
			h.Name = strings.Clone(v.Name)
		}
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

// sizeOf is what an event takes on disk, in bytes, or a little more.
func sizeOf(e *event.Event) int {
	size := 40
	if d := e.Decision; d != nil {
		size += 60 + len(d.ID) + len(d.Agent.Name) + len(d.Agent.Version) + len(d.Agent.Model) + len(d.Assignment.Arm) + len(d.Assignment.Policy)
		for _, c := range d.Calls {
			size += 6 + len(c.Tool) + len(c.Capability)
		}
		for _, m := range d.State {
			size += 12 + len(m.Name) + len(m.Value.Str)
		}
		for _, m := range d.Scores {
			size += 12 + len(m.Name) + len(m.Value.Str)
		}
		for _, p := range d.Assignment.Probabilities {
			size += 11 + len(p.Arm)
		}
	}
	if v := e.Intervention; v != nil {
		size += 40 + len(v.DecisionID) + len(v.Verdict) + len(v.Reviewer.Kind) + len(v.Reviewer.Name) + len(v.Reviewer.Version)
	}
	if o := e.Outcome; o != nil {
		size += len(o.Source.Kind) + len(o.Source.Name) + len(o.Source.Version)
		for _, v := range o.Values {
			size += 40 + len(v.Name)
		}
	}
	if e.End != nil {
		size += len(e.End.Reason)
	}
	return size
}
