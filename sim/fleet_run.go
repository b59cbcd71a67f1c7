package sim

import (
	"math"

	"blipd/event"
)

// fleetRun is what a trajectory of the fleet adds up to while it is drawn.
type fleetRun struct {
	tier           int
	luck           float64
	failures       int // of calls so far
	counted        int // of them before the latest call
	gained, risked float64
}

// fleetCall is one call, with what was known before the draw.
type fleetCall struct {
	tool               *fleetTool
	failures           int
	tier               string
	draw               float64
	reviewed           bool
	ineligible, forced bool
}

// call draws one call and its review and adds what they do to the outcomes.
func (r *fleetRun) call(src *source, index int) fleetCall {
	c := fleetCall{tool: &fleetTools[src.pick(stageShares[stageOf(index)])], failures: r.failures, tier: tiers[r.tier].name}
	direct := written(1 - c.tool.reviewed)
	c.draw = math.Floor(src.uniform()*draws) / draws
	kind := src.uniform()
	c.ineligible = kind < fleetIneligible
	c.forced = !c.ineligible && kind < fleetIneligible+fleetForced
	c.reviewed = c.forced || !c.ineligible && c.draw >= direct
	r.counted = r.failures
	if src.chance(callFails) {
		r.failures++
	}
	r.risked += c.tool.risk
	if c.reviewed {
		r.gained += c.tool.success
		r.risked -= c.tool.averted
	}
	return c
}

// outcome draws both outcomes from what has added up.
func (r *fleetRun) outcome(src *source) (success, violation float64) {
	if src.chance(baseSuccess + tiers[r.tier].success + r.luck + float64(perFailure*float64(r.counted)) + r.gained) {
		success = 1
	}
	if src.chance(baseViolation + r.risked) {
		violation = 1
	}
	return success, violation
}

// decision is the call as its router reports it. The draw picks the first arm,
// sorted by name, whose cumulative probability exceeds it.
func (c *fleetCall) decision(index, calls int) event.Decision {
	d := event.Decision{
		Index: index,
		Agent: event.Agent{Name: "concierge", Version: "4.2", Model: "medium"},
		Calls: []event.Call{{Tool: c.tool.name, Capability: c.tool.capability}},
		State: []event.Member{
			{Name: "prior_failures", Value: event.NumberOf(float64(c.failures))},
			{Name: "progress", Value: event.NumberOf(round(float64(index-1)/float64(calls), 2))},
			{Name: "tier", Value: event.TextOf(c.tier)},
		},
		Ineligible: c.ineligible,
	}
	switch {
	case c.ineligible:
	case c.forced:
		d.Assignment = event.Assignment{Given: true, Arm: reviewArm, Policy: fleetRouter, Forced: true}
	default:
		d.Assignment = event.Assignment{Given: true, Arm: directArm, Policy: fleetRouter,
			Probabilities: probabilities(c.tool.reviewed), Draw: event.Draw{Given: true, U: c.draw}}
		if c.reviewed {
			d.Assignment.Arm = reviewArm
		}
	}
	return d
}

const (
	fleetRouter = "router@12"
	draws       = 1e6 // a draw is a multiple of 1/draws, as the probabilities are
)
