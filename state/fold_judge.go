package state

import (
	"cmp"

	"blipd/event"
)

// maxTrajectory is the size from which on a trajectory takes no more events:
// with it a commit fits into one transaction.
const maxTrajectory = 2 << 20

// judge says, changing nothing, why an event has no effect on a trajectory of
// experiment x (-1: not known yet); nil: it has one.
func (f *fold) judge(k *kept, x int, ev *event.Event) *event.Fault {
	if x < 0 {
		return f.judgeWaiting(k, ev)
	}
	var fault *event.Fault
	switch ev.Type {
	case event.TypeDecision:
		fault = f.judgeDecision(k, ev.Decision)
	case event.TypeIntervention:
		fault = f.judgeIntervention(k, ev.Intervention)
	case event.TypeOutcome:
		fault = f.judgeOutcome(k, x, ev.Outcome)
	case event.TypeEnd:
		fault = judgeEnd(k, ev.End)
	}
	if fault != nil {
		return fault
	}
	if k.phase == phaseClosed && f.closedFor(k, f.window(x)) {
		return event.Faultf(event.Late, "%s: trajectory %q closed at stream time %s and takes changes for revision_window (%s); it is now %s",
			ev.Type, k.ID, f.clock.since(k.closed), f.window(x), f.clock.now)
	}
	return f.judgeSize(k, ev)
}

func (f *fold) judgeSize(k *kept, ev *event.Event) *event.Fault {
	if int(k.size)+sizeOf(ev) > maxTrajectory {
		return event.Faultf(event.TooMany, "%s: trajectory %q takes %d bytes already, the limit is %d", ev.Type, k.ID, k.size, maxTrajectory)
	}
	return nil
}

func (f *fold) judgeDecision(k *kept, d *event.Decision) *event.Fault {
	if at := k.packed.Find(d.Index, d.ID); at >= 0 {
		if f.whole(k).Decisions[at].Same(d) {
			return event.Faultf(event.Duplicate, "decision %s of trajectory %q: the same again", nameOf(d.Index, d.ID), k.ID)
		}
		return event.Faultf(event.Conflict, "decision %s of trajectory %q: other content under a known identity: the first stands; every decision needs its own index and decision_id", nameOf(d.Index, d.ID), k.ID)
	}
	if n := k.packed.Decisions(); n >= f.limits.DecisionsPerTrajectory {
		return event.Faultf(event.TooMany, "decision %s: trajectory %q has %d decisions, the limit; raise limits.decisions_per_trajectory", nameOf(d.Index, d.ID), k.ID, n)
	}
	return nil
}

func (f *fold) judgeIntervention(k *kept, v *event.Intervention) (fault *event.Fault) {
	index, id := v.Index, v.DecisionID
	if at := k.packed.Find(index, id); at >= 0 { // what it names by one may be known by the other
		d := &f.whole(k).Decisions[at]
		index, id = max(index, d.Index), cmp.Or(id, d.ID)
	}
	known := 0
	k.packed.EachIntervention(func(u *event.Intervention) bool {
		known++
		same := index > 0 && u.Index == index || id != "" && u.DecisionID == id
		switch {
		case same && u.Same(v):
			fault = event.Faultf(event.Duplicate, "intervention on decision %s of trajectory %q: the same again", nameOf(v.Index, v.DecisionID), k.ID)
		case same:
			fault = event.Faultf(event.Conflict, "intervention on decision %s of trajectory %q: a decision has one at most: the first stands", nameOf(v.Index, v.DecisionID), k.ID)
		}
		return fault == nil
	})
	if fault == nil && known >= f.limits.DecisionsPerTrajectory {
		return event.Faultf(event.TooMany, "intervention on decision %s: trajectory %q has %d interventions, the limit; a decision has one at most; raise limits.decisions_per_trajectory", nameOf(v.Index, v.DecisionID), k.ID, known)
	}
	return fault
}

func judgeEnd(k *kept, e *event.End) *event.Fault {
	switch {
	case k.End == nil:
		return nil
	case k.End.Same(e):
		return event.Faultf(event.Duplicate, "end of trajectory %q: the same again", k.ID)
	}
	return event.Faultf(event.Conflict, "end of trajectory %q: other content than the first, which stands", k.ID)
}

// judgeOutcome looks at all values before any counts: one conflict sets the
// whole event aside; it has an effect when one value has.
func (f *fold) judgeOutcome(k *kept, x int, o *event.Outcome) *event.Fault {
	rules := &f.rules[x].Experiment
	effect, stale := false, false
	for _, v := range o.Values {
		at := rules.Outcome(v.Name)
		if at < 0 {
			return event.Faultf(event.UnknownOutcome, "outcomes.%s: experiment %q has no such outcome", v.Name, rules.Name)
		}
		if rule := &rules.Outcomes[at]; !within(rule, v.Value) {
			return event.Faultf(event.OutOfRange, "outcomes.%s: %v is outside [%v, %v], the range of experiment %q", v.Name, v.Value, rule.Low, rule.Up, rules.Name)
		}
		switch weigh(k.Held(v.Name), o, v.Value) {
		case event.Conflict:
			return event.Faultf(event.Conflict, "outcomes.%s of trajectory %q: revision %d has another value already: send a higher revision", v.Name, k.ID, o.Revision)
		case event.StaleRevision:
			stale = true
		case 0:
			effect = true
		}
	}
	switch {
	case effect:
		return nil
	case stale:
		return event.Faultf(event.StaleRevision, "revision %d of an outcome of trajectory %q: a higher one is held", o.Revision, k.ID)
	}
	return event.Faultf(event.Duplicate, "outcome of trajectory %q: the same again", k.ID)
}

// weigh compares one value with what is held: Conflict, StaleRevision,
// Duplicate, or 0 when it counts. Final values are compared with final ones;
// a provisional one counts while no final one of its revision or above does.
func weigh(h event.Held, o *event.Outcome, value float64) event.Reason {
	held := h.Final
	if o.Provisional {
		if h.Final.Given && o.Revision <= h.Final.Revision {
			return event.StaleRevision
		}
		held = h.Provisional
	}
	switch {
	case !held.Given || o.Revision > held.Revision:
		return 0
	case o.Revision < held.Revision:
		return event.StaleRevision
	case value == held.Value:
		return event.Duplicate
	}
	return event.Conflict
}
