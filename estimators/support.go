package estimators

import (
	"math"

	"blipd/event"
)

// supportSums tell how much of what was seen a policy could have done itself.
// rho is the product over the rows of a trajectory of the
// probability of the arm drawn under the policy over that under which it was
// drawn.
type supportSums struct {
	agreeing  int64   // trajectories with rows whose arms all have positive probability under it
	rho       float64 // sum over these of rho
	squares   float64 // sum of rho^2
	differing float64 // sum over rows of the probability that it draws another arm
}

// largestRho bounds rho, so that its square is finite. A policy under which it
// is reached has an effective sample size of one either way.
const largestRho = 1e140

// PolicySupport is how much of what was seen a policy could have done itself. A
// gain beyond that rests on the blip model alone.
type PolicySupport struct {
	Outcome string `json:"outcome"`
	Policy  string `json:"policy"` // "" is never intervening
	// The lowest event time that its gain counts: that of the report, unless the
	// policy came later.
	Since     event.Time `json:"since,omitzero"`
	Agreement float64    `json:"agreement_share"`
	Effective float64    `json:"effective_sample_size"` // (sum rho)^2 / sum rho^2
	Differing float64    `json:"differing_share"`       // of decisions
	// The largest share that one of the 64 buckets has of the variance that the
	// gain would have were residuals alike: 1/64 where all weigh the same. 0 of
	// never intervening, and where there is no gain.
	Leverage float64 `json:"leverage,omitempty"`

	// The gain by ways that need no blip model, or do with half of it; nil where
	// the effective sample of the policy or of never is below 100.
	Importance *CrossCheck `json:"importance_sampling,omitempty"`
	Robust     *CrossCheck `json:"doubly_robust,omitempty"`
}

// lowAgreement is the agreement share below which support is low.
const lowAgreement = 0.01

// support adds what a trajectory tells of never intervening and every policy.
func (b *batch) support(m *Moments, to []supportSums, sign int64) {
	for i := range to {
		rho := 1.0
		differing := 0.0
		for _, r := range b.rows[:b.n] {
			own := r.underPolicy(m, i-1)
			differing += 1 - own
			rho = min(largestRho, rho*own/r.p[r.arm])
		}
		to[i].differing += float64(sign) * differing
		if rho > 0 {
			to[i].agreeing += sign
			to[i].rho += float64(sign) * rho
			to[i].squares += float64(sign) * rho * rho
		}
	}
}

// underPolicy is the probability of the arm drawn under a policy; -1 is never
// intervening.
func (r *row) underPolicy(m *Moments, policy int) float64 {
	pi, arm := 0.0, 0
	if policy >= 0 {
		pi, arm = r.policies[policy], 1+m.spec.Policies[policy].Arm
	}
	switch r.arm {
	case 0:
		return 1 - pi
	case arm:
		return pi
	}
	return 0
}

func (s *supportSums) add(o *supportSums) {
	s.agreeing += o.agreeing
	s.rho += o.rho
	s.squares += o.squares
	s.differing += o.differing
}

// support is how well never intervening and the policies are supported, in
// this order.
func (f *blipFit) support(outcome string, o int) []PolicySupport {
	every := f.p.cellAt(0, 0)
	out := make([]PolicySupport, len(f.p.blip.support))
	for i := range f.p.blip.support {
		s := &f.p.blip.support[i]
		out[i].Outcome, out[i].Since = outcome, f.m.earliest
		if i > 0 {
			out[i].Policy = f.m.spec.Policies[i-1].Name
		}
		if every == nil || every.decisions() == 0 {
			continue
		}
		out[i].Agreement = float64(s.agreeing) / float64(every.trajectories)
		out[i].Differing = s.differing / float64(every.decisions())
		if s.agreeing > 0 && s.squares > 0 {
			root := s.rho / math.Sqrt(s.squares)
			if out[i].Effective = min(root*root, float64(s.agreeing)); math.IsNaN(out[i].Effective) {
				out[i].Effective = 0
			}
		}
		if i > 0 && min(f.never.rcond, f.policies[i-1].rcond) >= leastCondition {
			out[i].Leverage = f.leverage(i - 1)
		}
		if i > 0 && f.n >= minBlipTrajectories && min(out[0].Effective, out[i].Effective) >= leastEffective &&
			min(f.never.rcond, f.policies[i-1].rcond) >= leastCondition {
			if importance, robust := f.crossCheck(i, o); importance.usable() && robust.usable() {
				out[i].Importance, out[i].Robust = &importance, &robust
			}
		}
	}
	return out
}

// leverage is the largest share that one bucket has of w'(sum Z Z')w,
//
//	w = J_pi'^-1 (sum (pi - 1{A=m}) f) + J_0'^-1 (sum 1{A=m} f),
//
// the weights by which Z times a residual enters the gain.
func (f *blipFit) leverage(i int) float64 {
	size, arms, arm := f.size(), f.m.axes.arms, f.m.spec.Policies[i].Arm
	taken, visited := leaveOut(&f.taken)[0], leaveOut(&f.totals[i])[0]
	rest := make([]float64, size)
	addScaled(rest, -1, taken)
	for c, x := range visited {
		rest[c*arms+arm] += x
	}
	w := make([]float64, size)
	for _, part := range []struct {
		j, r []float64
	}{{f.policies[i].j, rest}, {f.never.j, taken}} {
		transposed, right := make([]float64, size*size), newDense(size, 1)
		for r := range size {
			for c := range size {
				transposed[c*size+r] = part.j[r*size+c]
			}
		}
		copy(right.Data, part.r)
		newLU(size).solve(transposed, right, f.scale)
		addScaled(w, 1, right.Data)
	}
	sum, most := 0.0, 0.0
	for j := range f.squares {
		own := 0.0
		for r := range size {
			own += w[r] * dot(f.squares[j][r*size:(r+1)*size], w)
		}
		sum, most = sum+own, max(most, own)
	}
	if share := most / sum; share > 0 && share <= 1 {
		return share
	}
	return 0
}

// markSupport marks the gains of policies that, or whose alternative of never
// intervening, were hardly ever seen.
func markSupport(estimates []Estimate, support []PolicySupport) {
	low := map[string]bool{}
	for _, s := range support {
		low[s.Policy] = s.Agreement < lowAgreement
	}
	for i := range estimates {
		if e := &estimates[i]; e.Estimand == PolicyGain && e.Status == OK && e.Outcome == support[0].Outcome && (low[""] || low[e.Policy]) {
			e.Support = SupportLow
		}
	}
}
