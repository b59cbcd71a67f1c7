package validity

import (
	"fmt"

	"blipd/estimators"
)

// truth is the effect that a claim is about, from the description of the world.
func (s *story) truth(c *claim) float64 {
	if pi, ok := s.policies[c.group]; ok && c.estimand == estimators.PolicyGain {
		sum, tool := 0.0, 0.0
		for _, t := range s.tools {
			tool += t.share * t.effect
		}
		for k, p := range pi {
			sum += p * (tool + s.staged(k+1))
			if k > 0 {
				sum += p * pi[k-1] * s.again
			}
		}
		return sum
	}
	sum, share := 0.0, 0.0
	for k := 1; k <= s.decisions; k++ {
		for _, t := range s.tools {
			if !s.holds(c, k, &t) {
				continue
			}
			effect := t.effect + s.staged(k)
			if k > 1 {
				effect += coin * s.again
			}
			if k < s.decisions && c.estimand == estimators.RandomizedContinuation {
				effect += coin * s.again
			}
			sum += t.share * effect
			share += t.share
		}
	}
	return sum / share
}

// holds tells whether a decision is in the group of a claim.
func (s *story) holds(c *claim, k int, t *storyTool) bool {
	switch c.dimension + " " + c.group {
	case "tool " + t.name, "capability " + t.capability:
		return true
	case "place first":
		return k == 1
	case "stage before_the_half":
		return 2*k <= s.decisions
	case "stage near_completion":
		return 5*k > 4*s.decisions
	}
	return false
}

// find is the estimate that a claim is about.
func (c *claim) find(all []estimators.Estimate) *estimators.Estimate {
	for i := range all {
		if e := &all[i]; e.Estimand == c.estimand && (e.Dimension == c.dimension && e.Group == c.group || c.dimension == "policy" && e.Policy == c.group) {
			return e
		}
	}
	return nil
}

func (c *claim) String() string { return fmt.Sprintf("%s %s %s", c.estimand, c.dimension, c.group) }
