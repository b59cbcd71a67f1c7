package estimators

import (
	"fmt"
	"math/rand/v2"

	"blipd/event"
)

// stateOf reads a member of state.
func stateOf(name string) Expression {
	return Expression{Text: "state." + name, Eval: func(p *Point) event.Value {
		for _, m := range p.Decision.State {
			if m.Name == name {
				return m.Value
			}
		}
		return event.Value{}
	}}
}

func toolOf() Expression {
	return Expression{Text: "action.tool", PerCall: true, Eval: func(p *Point) event.Value { return event.TextOf(p.Call.Tool) }}
}

// panelSpec is a definition with everything in it: arms interventions, two
// required outcomes and an optional one, categories that overflow, features
// that are missing.
func panelSpec(arms int) *Spec {
	s := &Spec{
		Experiment: event.Experiment{
			Name: "panel", Control: "direct", MinProbability: 1e-4,
			Outcomes: []event.OutcomeRule{
				{Name: "score", Ranged: true, Low: -4, Up: 4, Required: true},
				{Name: "success", Ranged: true, Low: 0, Up: 1, Required: true},
				{Name: "later", Ranged: true, Low: -1, Up: 1},
			},
		},
		Folds: 5, Ridge: 1, MaxGroups: 1000, Hash: "panel",
		Features: []Feature{
			{Name: "tool", Expr: toolOf(), Category: true, MaxLevels: 64},
			{Name: "channel", Expr: stateOf("channel"), Category: true, MaxLevels: 3},
			{Name: "s", Expr: stateOf("s"), Ranged: true, Low: -2, Up: 2},
			{Name: "index", Expr: Expression{Text: "index", Eval: func(p *Point) event.Value { return event.NumberOf(float64(p.Index)) }}, Ranged: true, Low: 0, Up: 8},
			{Name: "prior", Expr: Expression{Text: "prior_interventions", Eval: func(p *Point) event.Value { return event.NumberOf(float64(p.PriorInterventions)) }}},
			{Name: "since", Expr: Expression{Text: "since_last_intervention", Eval: func(p *Point) event.Value {
				if p.SinceLastIntervention == 0 {
					return event.Value{}
				}
				return event.NumberOf(float64(p.SinceLastIntervention))
			}}, Ranged: true, Low: 0, Up: 8},
		},
		Dimensions: []Dimension{
			{Name: "tool", Expr: toolOf()},
			{Name: "channel", Expr: stateOf("channel")},
		},
	}
	for a := range arms {
		s.Experiment.Interventions = append(s.Experiment.Interventions, fmt.Sprintf("review%d", a+1))
	}
	return s
}

// drawPanel draws n trajectories of a small centred world.
func drawPanel(rng *rand.Rand, spec *Spec, n int) []*event.Trajectory {
	ts := make([]*event.Trajectory, n)
	for i := range ts {
		t := &event.Trajectory{ID: fmt.Sprintf("t%d-%d", i, rng.IntN(1_000_000)), Experiment: spec.Experiment.Name}
		u := rng.NormFloat64() / 2
		effect := 0.0
		for k := range rng.IntN(6) {
			tool := fmt.Sprintf("tool%d", rng.IntN(4))
			if rng.IntN(40) == 0 {
				tool = fmt.Sprintf("rare%d", rng.IntN(4))
			}
			d := event.Decision{Index: k + 1, Calls: []event.Call{{Tool: tool}}}
			if rng.IntN(8) == 0 {
				d.Calls = append(d.Calls, event.Call{Tool: fmt.Sprintf("tool%d", rng.IntN(4))})
			}
			if rng.IntN(10) > 0 {
				d.State = append(d.State, event.Member{Name: "channel", Value: event.TextOf(fmt.Sprintf("v%d", rng.IntN(7)))})
			}
			if rng.IntN(10) > 0 {
				d.State = append(d.State, event.Member{Name: "task", Value: event.TextOf(fmt.Sprintf("task%d", (i+rng.IntN(30)/29)%60))})
			}
			if rng.IntN(10) > 0 {
				d.State = append(d.State, event.Member{Name: "s", Value: event.NumberOf(u + rng.NormFloat64()/2)})
			}
			assign(rng, spec, &d)
			if d.Assignment.Arm != spec.Experiment.Control {
				effect += 0.3
			}
			if rng.IntN(12) == 0 {
				d.Ineligible = true
			}
			t.Decisions = append(t.Decisions, d)
		}
		rng.Shuffle(len(t.Decisions), func(a, b int) { t.Decisions[a], t.Decisions[b] = t.Decisions[b], t.Decisions[a] })
		t.Hold(event.Held{Name: "score", Final: event.Valued{Given: true, Value: u + effect + rng.NormFloat64()/2}})
		t.Hold(event.Held{Name: "success", Final: event.Valued{Given: true, Value: float64(rng.IntN(2))}})
		if rng.IntN(3) > 0 {
			t.Hold(event.Held{Name: "later", Final: event.Valued{Given: true, Value: rng.Float64()*2 - 1}})
		}
		ts[i] = t
	}
	return ts
}

// blipSpec is panelSpec with a blip model by tool, policies and, if asked for,
// clusters or an outcome model for each arm.
func blipSpec(arms int, clustered, perArm bool) *Spec {
	s := panelSpec(arms)
	s.Blip = &BlipModel{Dimension: 1, Moderators: []int{2, 4}, Masks: true}
	number := func(name string, test func(float64) bool) Expression {
		of := stateOf(name)
		return Expression{Text: name, Eval: func(p *Point) event.Value {
			if x, ok := of.Eval(p).Float(); ok {
				return event.BoolOf(test(x))
			}
			return event.Value{}
		}}
	}
	s.Policies = []Policy{
		{Name: "always", Arm: 0, Intervene: Expression{Eval: func(*Point) event.Value { return event.BoolOf(true) }}, Probability: 1},
		{Name: "half", Arm: arms - 1, Intervene: number("s", func(x float64) bool { return x > 0.1 }), Probability: 0.5},
		{Name: "tool", Arm: 0, Intervene: Expression{PerCall: true, Eval: func(p *Point) event.Value { return event.BoolOf(p.Call.Tool == "tool1") }}, Probability: 1},
	}
	if clustered {
		s.Cluster, s.MaxClusters = stateOf("task"), 10_000
	}
	s.PerArm = perArm
	return s
}

func assign(rng *rand.Rand, spec *Spec, d *event.Decision) {
	arms := spec.Experiment.Arms()
	p := make([]float64, len(arms))
	sum := 0.0
	for i := range p {
		p[i] = 0.2 + rng.Float64()
		sum += p[i]
	}
	u, drawn := rng.Float64()*sum, len(arms)-1
	for i := range p {
		if u -= p[i]; u < 0 {
			drawn = i
			break
		}
	}
	d.Assignment = event.Assignment{Given: true, Arm: arms[drawn]}
	for i := range p {
		d.Assignment.Probabilities = append(d.Assignment.Probabilities, event.Probability{Arm: arms[i], P: p[i] / sum})
	}
}
