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
//	e_i = S_i - theta N_i,  V = c/(c-1) sum e_i^2 / (sum N_i)^2,  c clusters
//
// with Student's interval of (sum N_i)^2 / sum N_i^2 - 1 degrees of freedom.
// It is valid by design: the probabilities are known and the outcome models
// have not seen the rows they are applied to, so a poor model costs precision
// only. With an outcome model for each arm, S_i is the difference of the two
// levels' scores (see levels). Groups stand in the order of their appearance.
func (m *Moments) Randomized() []Estimate {
	var all []Estimate
	for _, p := range m.panels {
		var armModels []outcomeModels
		for a := range p.armModels {
			armModels = append(armModels, m.outcomeModels(p.armModels[a]))
		}
		for a := range p.models {
			var models outcomeModels
			if !p.perArm {
				models = m.outcomeModels(p.models[a])
			}
			for o := range p.outcomes {
				if p.perArm {
					all = m.scored(all, p, scoring{RandomizedContinuation, a, o, 1 + a, p.perArmForm(o, armModels[1+a], armModels[0], 1, -1)})
					all = m.scored(all, p, scoring{ArmLevel, a, o, 1 + a, p.perArmForm(o, armModels[1+a], armModels[0], 1, 0)})
					if a == 0 {
						all = m.scored(all, p, scoring{ArmLevel, a, o, 0, p.perArmForm(o, armModels[1], armModels[0], 0, 1)})
					}
					continue
				}
				all = m.scored(all, p, scoring{RandomizedContinuation, a, o, 1 + a, p.form(o, models)})
			}
		}
	}
	return all
}

// scoring is one linear form of scores: S_i = q'v_i, q by fold.
type scoring struct {
	estimand        string
	scores, outcome int // which scores of a cell; which outcome of the panel
	arm             int // of the Experiment's Arms
	q               [][]float64
}

// form is q of W (Y - x'b): 1 at the outcome, -b.
func (p *panel) form(o int, models outcomeModels) [][]float64 {
	q := make([][]float64, len(models))
	for k := range q {
		b := models[k][o]
		q[k] = make([]float64, p.v.lead+len(b))
		q[k][1+o] = 1
		for i, x := range b {
			q[k][p.v.lead+i] = -x
		}
	}
	return q
}

// perArmForm is q of s_m times the level of the intervention, plus s_0 times
// that of the control, a level being 1{A=a}/p_a Y + (1 - 1{A=a}/p_a) x'b_a.
func (p *panel) perArmForm(o int, own, control outcomeModels, sm, s0 float64) [][]float64 {
	q := make([][]float64, len(own))
	for k := range q {
		b, b0 := own[k][o], control[k][o]
		q[k] = make([]float64, p.v.lead+2*len(b))
		q[k][1+o], q[k][1+len(p.outcomes)+o] = sm, s0
		for i := range b {
			q[k][p.v.lead+2*i] = sm * b[i]
			q[k][p.v.lead+2*i+1] = s0 * b0[i]
		}
	}
	return q
}

// scored appends the estimates of one scoring, one for each group with a row.
func (m *Moments) scored(all []Estimate, p *panel, s scoring) []Estimate {
	for d, cells := range p.cells {
		for g, c := range cells {
			if c != nil && c.decisions() > 0 {
				all = append(all, m.score(p, c, d, g, s))
			}
		}
	}
	return all
}

func (m *Moments) score(p *panel, c *cell, d, g int, s scoring) Estimate {
	rule := &m.spec.Experiment.Outcomes[p.outcomes[s.outcome]]
	e, clusters := m.describe(c, d, g)
	e.Estimand, e.Outcome, e.Arm = s.estimand, rule.Name, m.armName(s.arm)
	n := float64(c.decisions())
	effect := s.estimand == RandomizedContinuation
	switch {
	case clusters < minTrajectories:
		return e.without(InsufficientData, FewTrajectories)
	case c.rows[s.arm] == 0 || effect && c.rows[0] == 0:
		return e.without(NotIdentified, ArmAbsent)
	}
	for k := range s.q {
		s.q[k][0] = 0
	}
	theta := c.scores[s.scores].total(s.q, m.clusters.buckets) / n
	for k := range s.q {
		s.q[k][0] = -theta
	}
	squares, size := c.scores[s.scores].squares(s.q, m.clusters.buckets)
	if !(squares > precision*size) {
		return e.without(NotIdentified, NoVariation)
	}
	se := math.Sqrt(float64(clusters)/float64(clusters-1)*squares) / n
	centre, half := scale(rule)
	if effect {
		centre = 0
	}
	return e.with(centre+theta*half, se*half, e.EffectiveTrajectories-1, clusters)
}

// describe is what every estimate of a group says of it, and its clusters.
func (m *Moments) describe(c *cell, d, g int) (e Estimate, clusters int64) {
	e = Estimate{Dimension: All, Group: m.groups[d].names[g], Decisions: c.decisions(), Trajectories: c.trajectories}
	if d > 0 {
		e.Dimension = m.spec.Dimensions[d-1].Name
	}
	clusters, squares := c.trajectories, float64(c.squares)
	if m.spec.clustered() {
		clusters, squares = c.scores[0].effective()
	}
	n := float64(e.Decisions)
	e.EffectiveTrajectories = n * n / squares
	return e, clusters
}

// armName is the name of arm a: 0 is the control.
func (m *Moments) armName(a int) string {
	if a == 0 {
		return m.spec.Experiment.Control
	}
	return m.spec.Experiment.Interventions[a-1]
}

// with fills in a value and its intervals, in the outcome's unit.
func (e Estimate) with(theta, se, df float64, clusters int64) Estimate {
	e.DF = df
	width, ok := interval.Student(e.DF)
	if !ok || math.IsInf(width*se, 0) {
		return e.without(InsufficientData, FewTrajectories) // one trajectory outweighs all others
	}
	e.Status, e.Value, e.StdError = OK, theta, se
	e.Low, e.Up = theta-width*se, theta+width*se
	sequence := interval.Sequence(clusters)
	e.SequenceLow, e.SequenceUp = theta-sequence*se, theta+sequence*se
	return e
}

func (e Estimate) without(s Status, r Reason) Estimate {
	e.Status, e.Reason, e.DF = s, r, 0
	return e
}
