package estimators

import (
	"math"

	"blipd/estimators/interval"
)

// precision is the share of its own size below which a sum of squares is said
// to be zero: what is left is rounding (derivation 5.9).
const precision = 1e-9

// Randomized is the blip with randomized continuation, for every outcome,
// intervention and group that has a row in any arm:
//
//	W = 1{A=m}/p_m - 1{A=0}/p_0
//	S_i = sum_t W (Y - x'b^(-k(i))),  N_i rows,  theta = sum S_i / sum N_i
//	e_i = S_i - theta N_i,  V = c/(c-1) sum e_i^2 / (sum N_i)^2,  c trajectories
//
// with Student's interval of (sum N_i)^2 / sum N_i^2 - 1 degrees of freedom.
// It is valid by design: the probabilities are known and the outcome models
// have not seen the rows they are applied to, so a poor model costs precision
// only. Groups stand in the order of their appearance.
func (m *Moments) Randomized() []Estimate {
	var all []Estimate
	for _, p := range m.panels {
		for a := range p.nuisance {
			models := m.outcomeModels(p, a)
			for o := range p.outcomes {
				for d, cells := range p.cells {
					for g, c := range cells {
						if c != nil && c.decisions() > 0 {
							all = append(all, m.randomized(p, c, a, o, d, g, models))
						}
					}
				}
			}
		}
	}
	return all
}

func (c *cell) decisions() int64 {
	n := int64(0)
	for _, rows := range c.rows {
		n += rows
	}
	return n
}

// randomized is the estimate of one group: intervention a, outcome o of the
// panel, group g of dimension d.
func (m *Moments) randomized(p *panel, c *cell, a, o, d, g int, models outcomeModels) Estimate {
	rule := &m.spec.Experiment.Outcomes[p.outcomes[o]]
	n := float64(c.decisions())
	e := Estimate{
		Estimand: RandomizedContinuation, Outcome: rule.Name, Arm: m.spec.Experiment.Interventions[a],
		Dimension: All, Group: m.groups[d].names[g],
		Decisions: c.decisions(), Trajectories: c.trajectories,
		EffectiveTrajectories: n * n / float64(c.squares),
	}
	if d > 0 {
		e.Dimension = m.spec.Dimensions[d-1].Name
	}
	switch {
	case c.trajectories < minTrajectories:
		return e.without(InsufficientData, FewTrajectories)
	case c.rows[0] == 0 || c.rows[1+a] == 0:
		return e.without(NotIdentified, ArmAbsent)
	}
	theta := c.total(p, a, o, models) / n
	squares, size := c.residual(p, a, o, theta, models)
	if !(squares > precision*size) {
		return e.without(NotIdentified, NoVariation)
	}
	clusters := float64(c.trajectories)
	se := math.Sqrt(clusters/(clusters-1)*squares) / n
	_, half := scale(rule)
	return e.with(theta*half, se*half)
}

// with fills in a value and its intervals, in the outcome's unit.
func (e Estimate) with(theta, se float64) Estimate {
	e.DF = e.EffectiveTrajectories - 1
	width, ok := interval.Student(e.DF)
	if !ok || math.IsInf(width*se, 0) {
		return e.without(InsufficientData, FewTrajectories) // one trajectory outweighs all others
	}
	e.Status, e.Value, e.StdError = OK, theta, se
	e.Low, e.Up = theta-width*se, theta+width*se
	sequence := interval.Sequence(e.Trajectories)
	e.SequenceLow, e.SequenceUp = theta-sequence*se, theta+sequence*se
	return e
}

func (e Estimate) without(s Status, r Reason) Estimate {
	e.Status, e.Reason, e.DF = s, r, 0
	return e
}

// total is sum S_i: over folds, the first moments against (0, 1 at o, -b).
func (c *cell) total(p *panel, a, o int, models outcomeModels) float64 {
	sum, lead := 0.0, p.lead()
	for k := range c.scores[a] {
		first := c.scores[a][k].first
		sum += first.at(1 + o)
		for i, b := range models[k][o] {
			sum -= b * first.at(lead+i)
		}
	}
	return sum
}

// residual is sum e_i^2: over folds q'M2q with q = (-theta, 1 at o, -b), and
// the same with every term positive, its size before cancellation.
func (c *cell) residual(p *panel, a, o int, theta float64, models outcomeModels) (squares, size float64) {
	lead := p.lead()
	var q []float64
	for k := range c.scores[a] {
		model := models[k][o]
		q = append(q[:0], make([]float64, lead+len(model))...)
		q[0], q[1+o] = -theta, 1
		for i, b := range model {
			q[lead+i] = -b
		}
		v, s := c.scores[a][k].second.form(q)
		squares, size = squares+v, size+s
	}
	return squares, size
}
