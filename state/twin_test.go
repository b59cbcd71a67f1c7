package state

import (
	"slices"
	"strings"
	"time"

	"blipd/event"
)

// twin is a dumb state fold: it keeps all events of everything for ever, works
// everything out anew at each step, and never writes. One experiment.
type twin struct {
	rules   Rules
	keep    time.Duration
	latest  map[string]event.Time // of accepted events, by trajectory
	all     []*twinOne            // every trajectory there ever was
	refused int                   // events without an effect
}

type twinOne struct {
	id                       string
	events                   []event.Event
	started, settled, closed event.Time // stream times
	isClosed, isSettled      bool
	excluded, unknown        bool // unknown: of which nothing came before the exclude
}

// now is the second latest of the latest times.
func (w *twin) now() event.Time {
	var times []event.Time
	for _, t := range w.latest {
		times = append(times, t)
	}
	if len(times) < 2 {
		return event.NoTime
	}
	slices.Sort(times)
	return times[len(times)-2]
}

func (w *twin) apply(e event.Event) {
	if !w.accept(e) {
		w.refused++
	}
	for w.expire() {
	}
}

func (w *twin) accept(e event.Event) bool {
	one := w.find(e.Trajectory)
	if e.Type == event.TypeExclude {
		switch {
		case one == nil:
			one = &twinOne{id: e.Trajectory, unknown: true}
			w.all = append(w.all, one)
		case one.excluded:
			return false
		}
		if one.excluded = true; !one.isClosed {
			w.close(one)
		}
		return true
	}
	if one != nil && one.excluded {
		return false
	}
	if one == nil {
		if now := w.now(); now != event.NoTime && e.Time != event.NoTime && e.Time.Add(w.rules.Timeout+w.rules.RevisionWindow) < now {
			return false
		}
		one = &twinOne{id: e.Trajectory}
	}
	without, with := one.sum(), append(slices.Clone(one.events), e)
	if !effect(&without, e) {
		return false
	}
	if one.isClosed && w.now() > one.closed.Add(w.rules.RevisionWindow) {
		return false
	}
	one.events = with
	if e.Time != event.NoTime {
		if old, ok := w.latest[e.Trajectory]; !ok || e.Time > old {
			w.latest[e.Trajectory] = e.Time
		}
	}
	if len(with) == 1 {
		one.started = w.now()
		w.all = append(w.all, one)
	}
	if t := one.sum(); !one.isSettled && t.Held("success").Final.Given {
		one.isSettled, one.settled = true, w.now()
		if w.rules.CloseGrace == 0 && !one.isClosed {
			w.close(one)
		}
	}
	return true
}

func (w *twin) find(id string) *twinOne {
	for _, one := range slices.Backward(w.all) {
		if one.id == id && !(one.isClosed && w.now() > one.closed.Add(max(w.keep, w.rules.RevisionWindow))) {
			return one
		}
	}
	return nil
}

// effect compares an event with what is known.
func effect(t *event.Trajectory, e event.Event) bool {
	switch e.Type {
	case event.TypeDecision:
		return !slices.ContainsFunc(t.Decisions, func(d event.Decision) bool { return d.Index == e.Decision.Index })
	case event.TypeIntervention:
		return !slices.ContainsFunc(t.Interventions, func(v event.Intervention) bool { return v.Index == e.Intervention.Index })
	case event.TypeEnd:
		return t.End == nil
	}
	h, o := t.Held("success"), e.Outcome
	if o.Provisional {
		return !(h.Final.Given && h.Final.Revision >= o.Revision) && (!h.Provisional.Given || h.Provisional.Revision < o.Revision)
	}
	return !h.Final.Given || h.Final.Revision < o.Revision
}

// sum is what the events add up to.
func (one *twinOne) sum() event.Trajectory {
	t := event.Trajectory{ID: one.id}
	for _, e := range one.events {
		switch e.Type {
		case event.TypeDecision:
			t.Decisions = append(t.Decisions, *e.Decision)
		case event.TypeIntervention:
			t.Interventions = append(t.Interventions, *e.Intervention)
		case event.TypeEnd:
			t.End = e.End
		case event.TypeOutcome:
			h := t.Held("success")
			h.Name = "success"
			v := event.Valued{Given: true, Revision: e.Outcome.Revision, Value: e.Outcome.Values[0].Value}
			if e.Outcome.Provisional {
				h.Provisional = v
			} else if h.Final = v; h.Provisional.Revision <= v.Revision {
				h.Provisional = event.Valued{}
			}
			t.Hold(h)
		}
	}
	return t
}

func (w *twin) close(one *twinOne) { one.isClosed, one.closed = true, w.now() }

// expire closes one trajectory that stream time has passed.
func (w *twin) expire() bool {
	now := w.now()
	if now == event.NoTime {
		return false
	}
	for _, one := range w.all {
		if one.isClosed {
			continue
		}
		first := event.NoTime
		for _, e := range one.events {
			if e.Time != event.NoTime && (first == event.NoTime || e.Time < first) {
				first = e.Time
			}
		}
		if first == event.NoTime || one.started != event.NoTime && first > one.started.Add(w.rules.Timeout) && first > now {
			first = one.started
		}
		if first == event.NoTime && one.started == event.NoTime || one.settled == event.NoTime && one.isSettled {
			return false // not made by these tests
		}
		over := first.Add(w.rules.Timeout) <= now || one.isSettled && one.settled.Add(w.rules.CloseGrace) <= now
		if over {
			w.close(one)
			return true
		}
	}
	return false
}

// contributions are those that should be in the ledgers.
func (w *twin) contributions() []string {
	var all []string
	for _, one := range w.all {
		t := one.sum()
		if one.isClosed && !one.excluded && t.Held("success").Final.Given {
			all = append(all, describe(&t))
		}
	}
	slices.SortFunc(all, strings.Compare)
	return all
}

// counts are how many there were, and how many are open.
func (w *twin) counts() (started, open int) {
	for _, one := range w.all {
		if !one.unknown {
			started++
		}
		if !one.isClosed {
			open++
		}
	}
	return started, open
}
