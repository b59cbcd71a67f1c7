package sim

import (
	"iter"
	"math"
)

// The process of every scenario. A trajectory has a frailty U ~ N(0, σu²), a
// state S that the reviews move, and the last arm R; its length depends on them:
//
//	S_1 = 0.5 + 0.5·U/σu + N(0, 0.6²), R_1 = 0
//	decision t: tool G_t by share, review A_t with probability p(G_t)
//	after it:   goes on with probability 0.74 if reviewed, 0.82 if not,
//	            S_(t+1) = 0.5·S_t − 0.4·A_t + 0.1 + N(0, 0.5²), R_(t+1) = A_t
//	score:      1 + U + N(0, 0.6²) + Σ_t A_t·effect_t
//	success:    1 with probability expit(−0.3 + 1.2·U/σu + Σ_t A_t·effect_t)
const (
	onReviewed, onDirect           = 0.74, 0.82
	keep, push, drift, stateNoise  = 0.5, -0.4, 0.1, 0.5
	firstState, byFrailty, scatter = 0.5, 0.5, 0.6
	scoreMean, frailty, scoreNoise = 1.0, 0.6, 0.6
	logitMean, logitByFrailty      = -0.3, 1.2
)

// The arms of every experiment here.
const (
	directArm = "direct"
	reviewArm = "review"
)

const toolCount = 4

// tool is one tool of the agents: its share of the decisions, and the
// probability with which the experiment reviews it.
type tool struct {
	name, capability string
	share, reviewed  float64
}

var worldTools = [toolCount]tool{
	{"lookup_order", "read", 0.4, 0.5},
	{"cancel_order", "write", 0.3, 0.5},
	{"modify_item", "write", 0.2, 0.3},
	{"refund", "money", 0.1, 0.7},
}

var worldShares = shares()

func shares() []float64 {
	all := make([]float64, toolCount)
	for g := range all {
		all[g] = worldTools[g].share
	}
	return all
}

// Policy is how likely each tool is reviewed, in the order lookup_order,
// cancel_order, modify_item, refund.
type Policy [toolCount]float64

// Collection is the policy under which a scenario collects its events.
func Collection() Policy {
	var p Policy
	for g := range p {
		p[g] = worldTools[g].reviewed
	}
	return p
}

// Step is one decision of a run, with what was known before the draw.
type Step struct {
	Tool     int     // place in Policy
	S, R     float64 // the state; R is 1 after a review, else 0
	Prior    int     // reviews before this decision
	Reviewed bool    // the draw
	Effect   float64 // what a review here adds to the score, or to the logit
}

// Run is one trajectory as its world knows it.
type Run struct {
	Steps   []Step
	Base    float64 // the score without noise, or the logit, had nothing been reviewed
	Mean    float64 // mean of the outcome given all else: Monte Carlo with less noise
	Outcome float64
}

// Runs draws n trajectories under a policy, Collection or another. Equal seeds
// give equal runs. The run is reused: it is only good until the next.
func (s Scenario) Runs(n int, seed uint64, policy Policy) iter.Seq[*Run] {
	return func(yield func(*Run) bool) {
		src := newSource(seed, runStream)
		var r Run
		for range n {
			s.draw(&r, src, policy)
			if !yield(&r) {
				return
			}
		}
	}
}

// draw overwrites r with the next run of the stream.
func (s Scenario) draw(r *Run, src *source, policy Policy) {
	u := src.normal() // U/σu
	state := firstState + float64(byFrailty*u) + float64(scatter*src.normal())
	reviews, added := 0, 0.0
	last := 0.0
	r.Steps = r.Steps[:0]
	for going := true; going; {
		r.Steps = append(r.Steps, Step{Tool: src.pick(worldShares), S: state, R: last, Prior: reviews})
		step := &r.Steps[len(r.Steps)-1]
		step.Reviewed = src.chance(policy[step.Tool])
		step.Effect = s.effect(step, len(r.Steps))
		state = float64(keep*state) + drift + float64(stateNoise*src.normal())
		last = 0
		if step.Reviewed {
			added += step.Effect
			state += push
			reviews++
			last = 1
			going = src.chance(onReviewed)
		} else {
			going = src.chance(onDirect)
		}
	}
	if s.binary {
		r.Base = logitMean + float64(logitByFrailty*u)
		r.Mean = expit(r.Base + added)
		r.Outcome = 0
		if src.chance(r.Mean) {
			r.Outcome = 1
		}
		return
	}
	r.Base = scoreMean + float64(frailty*u)
	r.Mean = r.Base + added
	r.Outcome = r.Mean + float64(scoreNoise*src.normal())
}

func expit(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
