package estimators

import (
	"fmt"
	"math"

	"blipd/estimators/interval"
)

// leastVariation is the standard error, on the scaled outcome, below which
// there is no variation.
const leastVariation = 1e-9

// The least numbers of trajectories and, with a cluster expression, of clusters
// for what rests on the blip model.
const (
	minBlipTrajectories = 200
	minBlipClusters     = 50
)

// Blip is everything that rests on the blip model f'psi: for every group the
// blip with no-treatment continuation, mean of f over its rows times psi of
// never intervening; for every policy its gain over never intervening,
//
//	mean_i [sum (pi - 1{A=m}) f]'psi^pi + mean_i [sum 1{A=m} f]'psi^0,
//
// with errors from leaving out one of 64 buckets at a time: nuisances and
// pooling kept, all else computed again.
func (m *Moments) Blip() (all []Estimate, models []FittedModel, support []PolicySupport) {
	return m.blipOf(m.fitBlips())
}

// fitBlips solves the blip model of every panel; none without one.
func (m *Moments) fitBlips() (fits []*blipFit) {
	if m.spec.Blip != nil {
		for _, p := range m.panels {
			fits = append(fits, m.fitBlip(p))
		}
	}
	return fits
}

func (m *Moments) blipOf(fits []*blipFit) (all []Estimate, models []FittedModel, support []PolicySupport) {
	for _, f := range fits {
		p := f.p
		from := len(all)
		all = f.noTreatment(all)
		all = f.gains(all)
		for o := range p.outcomes {
			model := f.check(o)
			model.Comparisons = f.compare(o)
			models = append(models, model)
			own := f.support(model.Outcome, o)
			markSupport(all[from:], own)
			support = append(support, own...)
			if model.Check == CheckFail {
				mark(all[from:], model.Outcome)
			}
		}
	}
	return all, models, support
}

func mark(estimates []Estimate, outcome string) {
	for i := range estimates {
		if e := &estimates[i]; e.Outcome == outcome && e.Status == OK {
			e.Model = ModelProjection
		}
	}
}

func (f *blipFit) noTreatment(all []Estimate) []Estimate {
	for d, cells := range f.p.cells {
		for g, c := range cells {
			if c == nil || c.decisions() == 0 {
				continue
			}
			means, oneBucket := f.meansOf([]signed{{c, 1}})
			e, clusters := f.m.describe(c, d, g)
			e.Estimand = NoTreatmentContinuation
			for o := range f.p.outcomes {
				for a := range f.m.axes.arms {
					all = append(all, f.group(e, c, clusters, o, a, &means, oneBucket))
				}
			}
		}
	}
	return all
}

// meansOf are the means of f over the rows of a group, or of what is left of
// one without another: on everything and without each bucket.
func (f *blipFit) meansOf(parts []signed) (means [1 + Buckets][]float64, oneBucket bool) {
	cols := f.pooling.size(f.m.axes.f)
	fTo := f.pooling.places(f.m.axes.f)
	var sums [Buckets][]float64
	var rows [Buckets]float64
	for j := range sums {
		sums[j] = make([]float64, cols)
		for _, p := range parts {
			addScaled(sums[j], p.sign, p.cell.means[j].f.mapped(fTo, cols))
			rows[j] += p.sign * float64(p.cell.means[j].rows)
		}
	}
	means = leaveOut(&sums)
	for b := range means {
		n := without(&rows, b)
		oneBucket = oneBucket || n == 0
		for i := range means[b] {
			means[b][i] /= n
		}
	}
	return means, oneBucket
}

// effect is the mean of f times psi of never intervening.
func (f *blipFit) effect(means *[1 + Buckets][]float64, a, o int) [1 + Buckets]float64 {
	return f.effectOf(f.never, means, a, o)
}

func (f *blipFit) effectOf(s *solved, means *[1 + Buckets][]float64, a, o int) (theta [1 + Buckets]float64) {
	arms, outcomes := f.m.axes.arms, len(f.p.outcomes)
	for b := range theta {
		for i, x := range means[b] {
			theta[b] += x * s.psi[b].Data[(i*arms+a)*outcomes+o]
		}
	}
	return theta
}

// group is the effect of intervention a on outcome o with mean columns of f.
func (f *blipFit) group(e Estimate, c *cell, clusters int64, o, a int, means *[1 + Buckets][]float64, oneBucket bool) Estimate {
	rule := &f.m.spec.Experiment.Outcomes[f.p.outcomes[o]]
	e.Outcome, e.Arm = rule.Name, f.m.armName(1+a)
	if early, ok := f.early(e, clusters, c, a); !ok {
		return early
	}
	theta := f.effect(means, a, o)
	return f.finish(e, &theta, clusters, o, oneBucket, f.never)
}

// gains is the gain of every policy over never intervening.
func (f *blipFit) gains(all []Estimate) []Estimate {
	for i, policy := range f.m.spec.Policies {
		all = f.gain(all, policy.Name, policy.Arm, &f.totals[i], f.policies[i])
	}
	return all
}

// gain appends the gain of one policy for every outcome: total is, by bucket,
// the sum of pi f.
func (f *blipFit) gain(all []Estimate, name string, arm int, total *[Buckets][]float64, policy *solved) []Estimate {
	arms, outcomes := f.m.axes.arms, len(f.p.outcomes)
	every := f.p.cellAt(0, 0)
	if every == nil {
		every = newCell(f.m.spec)
	}
	visited, taken := leaveOut(total), leaveOut(&f.taken)
	for o := range f.p.outcomes {
		rule := &f.m.spec.Experiment.Outcomes[f.p.outcomes[o]]
		e := Estimate{Estimand: PolicyGain, Outcome: rule.Name, Arm: f.m.armName(1 + arm), Policy: name,
			Decisions: every.decisions(), Trajectories: f.n}
		if early, ok := f.early(e, f.clusters, every, arm); !ok {
			all = append(all, early)
			continue
		}
		var theta [1 + Buckets]float64
		for b := range theta {
			n := f.without(b)
			own, never := policy.psi[b].Data, f.never.psi[b].Data
			sum := 0.0
			for c, x := range visited[b] {
				sum += x * own[(c*arms+arm)*outcomes+o]
			}
			for z, x := range taken[b] {
				sum += x * (never[z*outcomes+o] - own[z*outcomes+o])
			}
			theta[b] = sum / float64(n)
		}
		all = append(all, f.finish(e, &theta, f.clusters, o, f.holding < 2, f.never, policy))
	}
	return all
}

// leaveOut is the sum over buckets, and behind it the sums without each.
func leaveOut(x *[Buckets][]float64) (out [1 + Buckets][]float64) {
	out[0] = make([]float64, len(x[0]))
	for j := range x {
		addScaled(out[0], 1, x[j])
	}
	for j := range x {
		out[1+j] = append([]float64(nil), out[0]...)
		addScaled(out[1+j], -1, x[j])
	}
	return out
}

// tooFew tells whether nothing that rests on the blip model is said yet.
func (f *blipFit) tooFew() bool {
	return f.n < minBlipTrajectories || f.m.spec.clustered() && f.clusters < minBlipClusters
}

// early tells, before anything is solved, why there is no value.
func (f *blipFit) early(e Estimate, clusters int64, c *cell, a int) (Estimate, bool) {
	switch {
	case clusters < minTrajectories, f.tooFew():
		return e.without(InsufficientData, FewTrajectories), false
	case c.rows[0] == 0 || c.rows[1+a] == 0:
		return e.without(NotIdentified, ArmAbsent), false
	}
	return e, true
}

// least is the standard error of outcome o below which nothing can be told: there is
// no variation, or precision is lost to an outcome that lies far from zero for its
// spread, which a range that is centred on it would mend.
func (f *blipFit) least(o int) float64 {
	rows, sum := 0.0, 0.0
	for k := range f.p.blip.folds {
		rows += f.p.blip.folds[k].gram.at(0, 0)
		sum += f.p.blip.folds[k].cross[o].at(0)
	}
	return leastVariation * max(1, math.Abs(sum)/max(1, rows))
}

// finish turns a value and the values without each bucket into an estimate.
func (f *blipFit) finish(e Estimate, theta *[1 + Buckets]float64, clusters int64, o int, oneBucket bool, from ...*solved) Estimate {
	se := jackknife(theta)
	if se < f.least(o) {
		return e.without(NotIdentified, NoVariation)
	}
	if oneBucket {
		return e.without(NotIdentified, OneBucket)
	}
	for _, s := range from {
		if s.rcond < leastCondition || math.IsNaN(se) {
			e = e.without(NotIdentified, IllConditioned)
			for _, place := range s.columns {
				e.Columns = append(e.Columns, f.place(place))
			}
			return e
		}
	}
	_, half := scale(&f.m.spec.Experiment.Outcomes[f.p.outcomes[o]])
	e.Status, e.Value, e.StdError, e.DF = OK, theta[0]*half, se*half, f.df
	e.Low, e.Up = e.Value-f.width*e.StdError, e.Value+f.width*e.StdError
	sequence := interval.Sequence(clusters)
	e.SequenceLow, e.SequenceUp = e.Value-sequence*e.StdError, e.Value+sequence*e.StdError
	return e
}

// jackknife is the standard error of theta[0] from the values without each of
// the 64 buckets: V = 63/64 sum (theta_(-j) - their mean)^2.
func jackknife(theta *[1 + Buckets]float64) float64 {
	mean := 0.0
	for _, x := range theta[1:] {
		mean += x / Buckets
	}
	v := 0.0
	for _, x := range theta[1:] {
		v += (x - mean) * (x - mean)
	}
	return math.Sqrt(v * (Buckets - 1) / Buckets)
}

// place names a place of Z.
func (f *blipFit) place(i int) string {
	arms := f.m.axes.arms
	if arms == 1 {
		return f.pooling.names[i]
	}
	return fmt.Sprintf("%s: %s", f.m.armName(1+i%arms), f.pooling.names[i/arms])
}
