package sim

// Effect is one true value, under the names that an estimate of it has.
type Effect struct {
	Estimand  string  `json:"estimand"`
	Outcome   string  `json:"outcome"`
	Arm       string  `json:"arm"`
	Dimension string  `json:"dimension,omitempty"` // "" for a policy_gain
	Group     string  `json:"group,omitempty"`
	Policy    string  `json:"policy,omitempty"` // "" but for a policy_gain
	Value     float64 `json:"estimate"`
}

// The estimands that have a truth here.
const (
	randomized  = "randomized_continuation"
	noTreatment = "no_treatment_continuation"
	policyGain  = "policy_gain"
)

// policies are those whose gain over never reviewing is known.
var policies = [...]struct {
	name   string
	policy Policy
}{
	{"always", Policy{1, 1, 1, 1}},
	{"writes", Policy{0, 1, 1, 0}},   // capability write
	{"groups01", Policy{1, 1, 0, 0}}, // lookup_order and cancel_order
}

// effects is the truth of a scenario: by tool, and by policy where known.
type effects struct {
	randomized, untreated [toolCount]float64
	gains                 [len(policies)]float64
}

// misspecified is known from Monte Carlo to about 1e-4: by tool, for always and
// for groups01 from 12 million trajectories of another program (derivation.md,
// 10.2); for writes from 40 million runs, standard error 6e-5. The heavy part of
// TestMisspecifiedTruth computes all of it again.
func misspecified() effects {
	return effects{
		randomized: [toolCount]float64{0.01171, -0.00624, -0.03723, -0.05327},
		untreated:  [toolCount]float64{0.06007, 0.03883, 0.00490, -0.01287},
		gains:      [len(policies)]float64{-0.01188, 0.05731, 0.09107},
	}
}

// Truth lists the true effects: the two blips by tool, by capability and over
// all decisions, and the gains of the policies always, writes (capability
// write) and groups01 (lookup_order, cancel_order) over never reviewing.
//
// An effect of several tools is the mean over their decisions, as a ratio of
// sums has it: each tool counts by its share of the decisions, which is the same
// at every point of every trajectory.
func (s Scenario) Truth() []Effect {
	e := s.truth()
	var all []Effect
	add := func(estimand string, byTool [toolCount]float64) {
		tools := make([]mixed, toolCount)
		for g, t := range worldTools {
			tools[g] = mixed{t.name, t.capability, t.share, byTool[g]}
		}
		all = appendMixes(all, Effect{Estimand: estimand, Outcome: s.Outcome, Arm: reviewArm}, tools)
	}
	add(randomized, e.randomized)
	add(noTreatment, e.untreated)
	for i, p := range policies {
		all = append(all, Effect{Estimand: policyGain, Outcome: s.Outcome, Arm: reviewArm, Policy: p.name, Value: decimals(e.gains[i])})
	}
	return all
}

// Gain is what a policy gains over never reviewing, in the outcome's unit, where
// that has a closed form: not in the misspecified world.
func (s Scenario) Gain(p Policy) (gain float64, known bool) {
	if s.gain == nil {
		return 0, false
	}
	return s.gain(p), true
}

// mixed is the effect of a tool and what it counts in a mean over tools.
type mixed struct {
	tool, capability string
	share, effect    float64
}

// appendMixes appends the effects over all tools, by capability and by tool.
func appendMixes(all []Effect, e Effect, tools []mixed) []Effect {
	mean := func(dimension, group string, in func(mixed) bool) {
		share, sum := 0.0, 0.0
		for _, t := range tools {
			if in(t) {
				share += t.share
				sum += t.share * t.effect
			}
		}
		e.Dimension, e.Group, e.Value = dimension, group, decimals(sum/share)
		all = append(all, e)
	}
	mean("all", "all", func(mixed) bool { return true })
	seen := map[string]bool{}
	for _, t := range tools {
		if !seen[t.capability] {
			seen[t.capability] = true
			mean("capability", t.capability, func(o mixed) bool { return o.capability == t.capability })
		}
	}
	for _, t := range tools {
		mean("tool", t.tool, func(o mixed) bool { return o.tool == t.tool })
	}
	return all
}

// decimals keeps of a truth what every machine computes alike.
func decimals(x float64) float64 {
	if x = round(x, 12); x == 0 {
		return 0 // and not -0
	}
	return x
}
