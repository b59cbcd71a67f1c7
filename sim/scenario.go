package sim

import (
	"fmt"
	"math"
	"strings"
)

// Scenario is an experiment in a world with a known truth. Its arms are direct
// and review, its outcome is one number, its events name no experiment.
type Scenario struct {
	Name    string
	Outcome string // the name of its outcome

	binary bool
	effect func(step *Step, index int) float64
	truth  func() effects
	gain   func(Policy) float64 // nil: no closed form
}

// scenarios are all there are; a new one is a row here and what it needs.
var scenarios = []Scenario{
	{Name: "dgp", Outcome: "score", effect: linear.effect, truth: linear.truth, gain: linear.gain},
	{Name: "misspecified", Outcome: "success", binary: true, effect: nonlinear, truth: misspecified},
	{Name: "null", Outcome: "score", effect: none.effect, truth: none.truth, gain: none.gain},
}

// Scenarios are the names that Lookup knows:
//
//   - dgp: the effects are linear in tool and state, as a blip model of tool, s
//     and r has them; the outcome score has mean 1.26 and spread 0.95, and leaves
//     [-4, 6] three times in a million trajectories, [-6, 9] never in 20 million
//   - misspecified: no such model is true; the outcome success is 0 or 1
//   - null: dgp without effects
func Scenarios() []string {
	names := make([]string, len(scenarios))
	for i := range names {
		names[i] = scenarios[i].Name
	}
	return names
}

// Lookup finds a scenario by its name.
func Lookup(name string) (Scenario, error) {
	for _, s := range scenarios {
		if s.Name == name {
			return s, nil
		}
	}
	return Scenario{}, fmt.Errorf("sim: scenario %q is not known; send one of %s", name, strings.Join(Scenarios(), ", "))
}

// blip holds the coefficients ψ of a linear effect f'ψ = ψ_G + ψ_S·S + ψ_R·R.
type blip struct {
	tool [toolCount]float64
	s, r float64
}

var (
	linear = blip{tool: [toolCount]float64{0.30, 0.10, 0, -0.10}, s: 0.15, r: -0.10}
	none   = blip{}
)

func (b blip) effect(step *Step, _ int) float64 {
	return b.tool[step.Tool] + float64(b.s*step.S) + float64(b.r*step.R)
}

// nonlinear are effects on the logit that no f'ψ describes: waves and a step in
// S for two tools, fatigue by earlier reviews, a bonus late in the trajectory.
func nonlinear(step *Step, index int) float64 {
	effect := linear.tool[step.Tool]
	switch {
	case step.Tool == 0:
		effect += float64(0.9 * math.Sin(float64(2.5*step.S)))
	case step.Tool == 1 && step.S > 0.8:
		effect += 0.6
	}
	prior := float64(step.Prior)
	effect -= 0.5 * step.R * prior / (1 + prior)
	if index > 4 {
		effect += 0.4
	}
	return effect
}
