package sim

// Under a policy that reviews tool g with probability π(g) everything in the
// linear world has a closed form, since tools are drawn alike at every decision
// and S and R follow linear equations.

// mean is how often a decision under a policy is reviewed, and how likely the
// trajectory goes on after it.
func (p Policy) mean() (reviewed, on float64) {
	for g := range p {
		reviewed += worldTools[g].share * p[g]
	}
	return reviewed, reviewed*onReviewed + (1-reviewed)*onDirect
}

// value gives c0, cS, cR with E[Σ_{s≥t} A_s f_s'ψ | S_t, R_t] = c0 + cS·S_t + cR·R_t
// under policy p: what all reviews from t on add to the score. With b and q the
// mean review and survival probabilities it solves the recursion
//
//	c(S, R) = Σ_g P_g π_g f'ψ + b·q1·c(S', 1) + (1−b)·q0·c(S″, 0)
//
// by comparing coefficients, S' and S″ the next state after a review and none.
func (b blip) value(p Policy) (c0, cS, cR float64) {
	reviewed, on := p.mean()
	cS = reviewed * b.s / (1 - keep*on)
	cR = reviewed * b.r
	for g := range p {
		c0 += worldTools[g].share * p[g] * b.tool[g]
	}
	c0 += reviewed*onReviewed*(cS*(push+drift)+cR) + (1-reviewed)*onDirect*cS*drift
	return c0 / (1 - on), cS, cR
}

// continued is the blip when decisions after t follow policy p: one review more
// at t also changes how long the trajectory lasts and in which state it goes on.
// It is linear in f again.
func (b blip) continued(p Policy) blip {
	c0, cS, cR := b.value(p)
	shift := (onReviewed-onDirect)*c0 + onReviewed*(cS*(push+drift)+cR) - onDirect*cS*drift
	for g := range b.tool {
		b.tool[g] += shift
	}
	b.s += (onReviewed - onDirect) * keep * cS
	return b
}

// occupancy is the mean number of decisions of a trajectory under policy p, and
// the means of S and R over decisions. Every review that the trajectory outlives
// makes one decision with R = 1.
func occupancy(p Policy) (decisions, s, r float64) {
	reviewed, on := p.mean()
	decisions = 1 / (1 - on)
	inflow := decisions * (reviewed*onReviewed*(push+drift) + (1-reviewed)*onDirect*drift)
	sum := (firstState + inflow) / (1 - on*keep)
	return decisions, sum / decisions, reviewed * onReviewed
}

// byTool averages a linear effect over the decisions of each tool, which meet
// the same states under the collection policy.
func (b blip) byTool() [toolCount]float64 {
	_, s, r := occupancy(Collection())
	effects := b.tool
	for g := range effects {
		effects[g] += b.s*s + b.r*r
	}
	return effects
}

// truth is what the three estimands aim at in a linear world.
func (b blip) truth() effects {
	e := effects{randomized: b.continued(Collection()).byTool(), untreated: b.byTool()}
	for i, p := range policies {
		e.gains[i] = b.gain(p.policy)
	}
	return e
}

// gain is E[Y(p)] - E[Y(never)]: the value of policy p at the first decision,
// where S has the mean firstState and R is 0.
func (b blip) gain(p Policy) float64 {
	c0, cS, _ := b.value(p)
	return c0 + cS*firstState
}
