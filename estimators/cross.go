package estimators

import "math"

// crossSums are, of one bucket and of a policy (or of never intervening), what
// its value is worked out from without the blip model: rho_t is the product up
// to row t of the probability of the arm drawn under the policy over that under
// which it was drawn, rho_0 = 1, and rho that of the last row.
type crossSums struct {
	rho float64   // sum rho
	y   []float64 // per outcome, sum rho Y
	x   vector    // sum over rows of (rho_(t-1) - rho_t) x
	f   vector    // sum over rows of rho_(t-1) pi f in the policy's arm, less rho_t f in the arm drawn
}

// CrossCheck is a policy's gain over never intervening by another way.
type CrossCheck struct {
	Gain     float64 `json:"gain"`
	StdError float64 `json:"std_error"` // 64-bucket jackknife
}

// leastEffective is the effective sample size, of the policy and of never
// intervening, from which on a gain is cross-checked.
const leastEffective = 100

// cross adds what a trajectory tells of never intervening and every policy.
func (b *batch) cross(m *Moments, to []crossSums, y []float64, sign float64) {
	for i := range to {
		rho := 1.0
		if b.n > 0 {
			b.sum = zeros(b.sum, len(b.cols))
			b.s = zeros(b.s, len(b.blip.z.places))
		}
		for t, r := range b.rows[:b.n] {
			before := rho
			rho = min(largestRho, rho*r.underPolicy(m, i-1)/r.p[r.arm])
			for c, at := range r.local {
				b.sum[at] += (before - rho) * r.x[c]
			}
			pi, arm := 0.0, 0
			if i > 0 {
				pi, arm = r.policies[i-1], m.spec.Policies[i-1].Arm
			}
			for c, f := range b.blip.f.row(t) {
				b.s[c*m.axes.arms+arm] += before * pi * f
				if r.arm > 0 {
					b.s[c*m.axes.arms+r.arm-1] -= rho * f
				}
			}
			if rho == 0 {
				break
			}
		}
		s := &to[i]
		s.rho += sign * rho
		for o, v := range y {
			s.y[o] += sign * rho * v
		}
		if b.n > 0 {
			s.x.addSparse(sign, b.cols, b.sum)
			s.f.addSparse(sign, b.blip.z.places, b.s)
		}
	}
}

// crossCheck is the gain of policy i (from 1) on outcome o by self-normalised
// importance sampling, and by its doubly robust form
//
//	V(h_1) + sum_t rho_t (V(h_(t+1)) - Q(h_t, A_t)),  V of what comes after the last row: Y,
//	V(h) = x'b + pi f'psi^pi,  Q(h, a) = x'b + (f in arm a)'psi^pi,
//
// b the out-of-fold ridge of Y - (A f + F^pi)'psi^pi on x; psi and b are kept
// when a bucket is left out.
func (f *blipFit) crossCheck(i, o int) (importance, robust CrossCheck) {
	var importances, robusts [1 + Buckets]float64
	for _, which := range []struct {
		policy int
		sign   float64
		psi    *solved
	}{{i, 1, f.policies[i-1]}, {0, -1, f.never}} {
		rho, y, value := f.crossValues(which.policy, o, which.psi)
		for b := range importances {
			importances[b] += which.sign * without(&y, b) / without(&rho, b)
			n := f.without(b)
			robusts[b] += which.sign * without(&value, b) / float64(n)
		}
	}
	_, half := scale(&f.m.spec.Experiment.Outcomes[f.p.outcomes[o]])
	return CrossCheck{importances[0] * half, jackknife(&importances) * half}, CrossCheck{robusts[0] * half, jackknife(&robusts) * half}
}

// crossValues are, by bucket, sum rho, sum rho Y and the doubly robust sum.
func (f *blipFit) crossValues(policy, o int, psi *solved) (rho, y, value [Buckets]float64) {
	arms, outcomes := f.m.axes.arms, len(f.p.outcomes)
	zTo := f.pooling.places(f.m.axes.z)
	own := make([]float64, f.size())
	for z := range own {
		own[z] = psi.psi[0].Data[z*outcomes+o]
	}
	models := make([][]float64, len(f.folds))
	for k := range f.folds {
		n := &f.folds[k]
		b := make([]float64, n.y.Rows)
		for c := range b {
			b[c] = n.y.Data[c*n.y.Stride+o] - dot(n.taken.Data[c*n.taken.Stride:][:n.taken.Cols], own) - dot(n.f.Data[c*n.f.Stride:][:n.f.Cols], own)
			if policy > 0 {
				l, arm := n.l[policy-1], f.m.spec.Policies[policy-1].Arm
				for i := range l.Cols {
					b[c] += l.Data[c*l.Stride+i] * own[i*arms+arm]
				}
			}
		}
		models[k] = b
	}
	for j := range f.p.blip.buckets {
		s := &f.p.blip.buckets[j].cross[policy]
		rho[j], y[j] = s.rho, s.y[o]
		value[j] = s.y[o] + s.x.dot(models[j%len(models)]) + dot(s.f.mapped(zTo, len(own)), own)
	}
	return rho, y, value
}

// without is the sum over all buckets, or all but bucket b-1.
func without(x *[Buckets]float64, b int) float64 {
	sum := 0.0
	for j, v := range x {
		if j != b-1 {
			sum += v
		}
	}
	return sum
}

// usable tells whether a cross-check came to a number.
func (c CrossCheck) usable() bool {
	return !math.IsNaN(c.Gain+c.StdError) && !math.IsInf(c.Gain, 0) && !math.IsInf(c.StdError, 0)
}
