package estimators

import (
	"fmt"
	"slices"
)

// Policies may come and go within an epoch. Those that were there when it began are
// summed with everything else. One that comes later has moments of its own, a part
// beside the others: its gain is of the trajectories counted since then and of those
// that were still kept, and so is the never intervening that it is compared with.

// Key names a policy with everything that decides what is summed of it.
func (p *Policy) Key() string {
	return fmt.Sprintf("%s: arm %d with probability %v where %s", p.Name, p.Arm, p.Probability, p.Intervene.Text)
}

// PolicyKeys are the keys of the policies.
func (s *Spec) PolicyKeys() (keys []string) {
	for i := range s.Policies {
		keys = append(keys, s.Policies[i].Key())
	}
	return keys
}

// Part is the Spec of what is summed of everything, with the policies of these
// keys, in their order; or, late, of only what the gains of these policies need.
func (s *Spec) Part(late bool, keys []string) *Spec {
	part := *s
	part.Policies = nil
	for _, key := range keys {
		if i := slices.Index(s.PolicyKeys(), key); i >= 0 {
			part.Policies = append(part.Policies, s.Policies[i])
		}
	}
	switch {
	case late:
		blip := *s.Blip
		blip.Implied, blip.Unmoderated, blip.Masks = false, true, false
		if !s.PoliciesApart() { // else this is the only blip model, and groups outside of it are compared with it
			part.Dimensions = nil
			if blip.Dimension > 0 {
				part.Dimensions, blip.Dimension = s.Dimensions[blip.Dimension-1:blip.Dimension], 1
			}
		}
		part.Blip, part.PerArm, part.Candidates, part.Contrasts = &blip, false, nil, nil
		part.Hash += " late"
	case s.PoliciesApart():
		part.Blip, part.Policies = nil, nil
	}
	return &part
}

// PoliciesApart tells whether no policy is ever summed with everything else: there
// the blip model is theirs alone, and comes and goes with them.
func (s *Spec) PoliciesApart() bool { return s.Blip != nil && s.Blip.Implied }

// AddGains adds to a report the gains that follow from a late part, with their
// support; and its model and health where the report has none, or they are worse.
func (r *Report) AddGains(late *Moments) {
	fits := late.fitBlips()
	estimates, models, support := late.blipOf(fits)
	for _, e := range estimates {
		if e.Estimand == PolicyGain {
			r.Estimates = append(r.Estimates, e)
		}
	}
	for _, s := range support {
		if s.Policy != "" {
			r.Support = append(r.Support, s)
		}
	}
	for _, m := range models {
		if !slices.ContainsFunc(r.Models, func(own FittedModel) bool { return own.Outcome == m.Outcome }) {
			r.Models = append(r.Models, m)
		}
	}
	for _, c := range append(late.limits(), late.assertions(fits)...) {
		switch i := slices.IndexFunc(r.Health, func(own Check) bool { return own.Name == c.Name }); {
		case i < 0:
			r.Health = append(r.Health, c)
		case r.Health[i].OK && !c.OK:
			c.Detail = fmt.Sprintf("of policies that came later (%s and others): %s", late.spec.Policies[0].Name, c.Detail)
			r.Health[i] = c
		}
	}
}
