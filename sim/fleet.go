package sim

import (
	"fmt"
	"time"

	"blipd/event"
)

// Fleet is an endless fleet of travel agents whose calls are sent direct or to
// review, at random, with the outcomes success and violation, both 0 or 1, and a
// planted truth. A trajectory starts every half second on average and lasts two
// and a half minutes, between a half and six and a half; about 300 are in flight
// and send 18 records a second. State holds prior_failures, progress and tier.
//
// The log is honest about what producers do: some records come twice, some are
// sent broken first, some calls are ineligible or forced, some outcomes are first
// provisional, some are final and wrong and revised within 90 seconds. Nothing of
// this bears on the truth. A fleet is not safe for concurrent use.
type Fleet struct {
	runs, clock, faults *source
	started             int
	start               event.Time // of the next trajectory
	now                 event.Time
	queue               queue
}

// The clock of the fleet, in milliseconds where it is no duration.
const (
	betweenFleetStarts      = 500 * time.Millisecond
	stepLow, stepHigh       = 5e3, 30e3  // between calls, and a review comes on top
	reviewLow, reviewHigh   = 1e3, 12e3  // of a review
	outcomeLow, outcomeHigh = 20e3, 80e3 // from the end to the outcome
	reviseLow, reviseHigh   = 30e3, 90e3 // from a provisional or wrong outcome to the right one
	againLow, againHigh     = 50, 5e3    // from a record to its second delivery
)

// How often things are not as they should be.
const (
	provisional = 0.03  // of outcomes, sent as not final first
	mistaken    = 0.01  // of outcomes, final, wrong about success, and revised
	undelivered = 0.03  // of reviews: they run out of time
	redelivered = 0.005 // of records
	broken      = 0.002 // of records, sent a first time in a broken form
)

// NewFleet is a fleet whose first trajectories start after the given time.
func NewFleet(seed uint64, start event.Time) *Fleet {
	f := &Fleet{
		runs:   newSource(seed, runStream),
		clock:  newSource(seed, clockStream),
		faults: newSource(seed, faultStream),
		now:    start,
	}
	f.start = start.Add(f.clock.gap(betweenFleetStarts))
	return f
}

// Now is the simulated time of what Next or NextRecord gave last; it never goes
// back. Interventions have no other time.
func (f *Fleet) Now() event.Time { return f.now }

// Next is the next event; records that are broken are left out. It is not to be
// changed: a second delivery may share its memory.
func (f *Fleet) Next() event.Event {
	for {
		if p := f.next(); p.fault == 0 {
			return p.event
		}
	}
}

// NextRecord is the next record, for a log with the trajectory as key. The
// slices are the caller's to keep.
func (f *Fleet) NextRecord() (key, value []byte) {
	p := f.next()
	key = []byte(p.event.Trajectory)
	value = event.AppendJSON(nil, &p.event)
	if p.fault != 0 {
		value = breakages[p.fault-1](value)
	}
	return key, value
}

func (f *Fleet) next() pending {
	for {
		if p, ok := f.queue.next(f.start - 1); ok {
			f.now = p.at
			return p
		}
		f.launch()
		f.start = f.start.Add(f.clock.gap(betweenFleetStarts))
	}
}

// send queues an event, and what goes wrong on its way.
func (f *Fleet) send(at event.Time, e event.Event) {
	if f.faults.chance(broken) {
		f.queue.put(pending{at: at, event: e, fault: 1 + f.faults.pick(breakageShares)})
	}
	f.queue.put(pending{at: at, event: e})
	if f.faults.chance(redelivered) {
		f.queue.put(pending{at: f.faults.after(at, againLow, againHigh), event: e})
	}
}

// after is a time between low and high milliseconds later.
func (s *source) after(t event.Time, low, high float64) event.Time {
	return t.Add(milliseconds(s.between(low, high)))
}

// launch draws the next trajectory whole and queues its events.
func (f *Fleet) launch() {
	f.started++
	id := fmt.Sprintf("run-%06d", f.started)
	at := f.start
	calls := fewestCalls + int(f.runs.uniform()*(mostCalls-fewestCalls+1))
	r := fleetRun{tier: int(f.runs.uniform() * float64(len(tiers))), luck: f.runs.between(-luck, luck)}
	for call := 1; call <= calls; call++ {
		if call > 1 {
			at = f.clock.after(at, stepLow, stepHigh)
		}
		c := r.call(f.runs, call)
		d := c.decision(call, calls)
		d.ID, d.Time = fmt.Sprintf("%s-%d", id, call), at
		f.send(at, event.Event{Type: event.TypeDecision, Trajectory: id, Time: at, Decision: &d})
		if c.reviewed {
			var i event.Intervention
			i, at = f.review(at)
			i.DecisionID, i.Index = d.ID, call
			f.send(at, event.Event{Type: event.TypeIntervention, Trajectory: id, Time: event.NoTime, Intervention: &i})
		}
	}
	at = f.clock.after(at, stepLow, stepHigh)
	f.send(at, event.Event{Type: event.TypeEnd, Trajectory: id, Time: at, End: &event.End{Decisions: calls, Counted: true, Reason: "done"}})
	f.judge(at, id, &r)
}

// review is what comes of a review, and when it ends.
func (f *Fleet) review(at event.Time) (event.Intervention, event.Time) {
	end := f.clock.after(at, reviewLow, reviewHigh)
	took := float64((end - at) / event.Time(time.Millisecond))
	i := event.Intervention{Delivered: event.True, Reviewer: event.Source{Kind: "model", Name: "second-look", Version: "3"}}
	i.Verdict = verdicts[f.faults.pick(verdictShares)]
	if f.faults.chance(undelivered) {
		i.Delivered, i.Verdict = event.False, "none"
	}
	i.Cost.Seconds = event.Amount{Given: true, N: took / 1000}
	i.Cost.USD = event.Amount{Given: true, N: round(took*0.000002, 6)} // two cents for ten seconds
	return i, end
}

var (
	verdicts      = [...]string{"approve", "modify", "reject"}
	verdictShares = []float64{0.7, 0.2, 0.1}
)

// judge queues the outcome: at once final and right, or on the second attempt.
func (f *Fleet) judge(at event.Time, id string, r *fleetRun) {
	success, violation := r.outcome(f.runs)
	at = f.clock.after(at, outcomeLow, outcomeHigh)
	outcome := func(success float64, revision int, final bool) {
		f.send(at, event.Event{Type: event.TypeOutcome, Trajectory: id, Time: at, Outcome: &event.Outcome{
			Values:   []event.Measured{{Name: "success", Value: success}, {Name: "violation", Value: violation}},
			Revision: revision, Provisional: !final,
			Source: event.Source{Kind: "label", Name: "audit", Version: "1"},
		}})
	}
	revision := 0
	switch u := f.faults.uniform(); {
	case u < provisional:
		outcome(success, revision, false)
	case u < provisional+mistaken:
		outcome(1-success, revision, true)
		revision++
	default:
		outcome(success, revision, true)
		return
	}
	at = f.clock.after(at, reviseLow, reviseHigh)
	outcome(success, revision, true)
}
