package config

import (
	"slices"

	"blipd/estimators"
)

// blipParts reads what rests on the blip model; names are those of what was
// read before.
type blipParts struct {
	vocabulary
	features   []estimators.Feature
	dimensions []estimators.Dimension
	arms       []string // the interventions
}

// blipModel is how the effect of one decision depends on what it stands in.
type blipModel struct {
	Groups      string   `json:"groups"`
	Moderators  []string `json:"moderators"`
	Checks      []string `json:"checks"`
	Unmoderated bool     `json:"unmoderated,omitempty"`

	checks []estimators.Expression
}

// readBlipModel reads blip_model; nil when the file has none.
func (l *blipParts) readBlipModel(n node) *blipModel {
	m := n.mapping()
	b := l.readModel(m)
	b.Unmoderated = !m.get("moderated_effects").flag(true)
	m.done()
	if len(m.keys) == 0 {
		return nil
	}
	return b
}

// readModel reads the keys of one blip model.
func (l *blipParts) readModel(m *mapping) *blipModel {
	b := &blipModel{Groups: estimators.All, Moderators: []string{}, Checks: []string{}}
	if groups := m.get("groups"); groups.given() {
		b.Groups = groups.oneOf(estimators.All, dimensionNames(l.dimensions)...)
	}
	names := distinct{what: "moderators"}
	for _, item := range m.get("moderators").list() {
		b.Moderators = append(b.Moderators, names.add(item, l.readModerator(item)))
	}
	for _, item := range m.get("checks").list() {
		x, _ := l.expression(item, aNumber)
		b.Checks, b.checks = append(b.Checks, x.Text), append(b.checks, x)
	}
	return b
}

// readModerator is the name of a numeric feature.
func (l *blipParts) readModerator(n node) string {
	name := n.text("")
	known := numeric(l.features)
	category := slices.ContainsFunc(l.features, func(f estimators.Feature) bool { return f.Name == name && f.Category })
	switch {
	case name == "" || slices.Contains(known, name):
	case category:
		n.fault("names a category, and a moderator is a number; name a feature without category: true")
	case len(known) == 0:
		n.fault("names no feature, and there is no numeric one; add it to features")
	default:
		n.oneOf("", known...)
	}
	return name
}

// spec is the blip model as the sums see it; nil where nothing asks for one.
// Policies and candidates alone get the model of one effect for all decisions.
func (b *blipModel) spec(l *blipParts, needed bool) *estimators.BlipModel {
	switch {
	case b == nil && !needed:
		return nil
	case b == nil:
		return &estimators.BlipModel{Masks: true}
	}
	out := &estimators.BlipModel{Checks: b.checks, Unmoderated: b.Unmoderated, Masks: true}
	out.Dimension = 1 + slices.IndexFunc(l.dimensions, func(d estimators.Dimension) bool { return d.Name == b.Groups })
	for _, name := range b.Moderators {
		// A name that is none has a fault, and the file is refused.
		if i := slices.IndexFunc(l.features, func(f estimators.Feature) bool { return f.Name == name }); i >= 0 {
			out.Moderators = append(out.Moderators, i)
		}
	}
	return out
}

// readCandidates reads further blip models to rank.
func (l *blipParts) readCandidates(n node) (models []*blipModel) {
	for _, item := range n.list() {
		m := item.mapping()
		models = append(models, l.readModel(m))
		m.done()
	}
	return models
}

// specs are candidates as the sums see them.
func specs(models []*blipModel, l *blipParts) (out []estimators.BlipModel) {
	for _, b := range models {
		out = append(out, *b.spec(l, true))
	}
	return out
}

// readPolicies reads the policies whose gain is asked for.
func (l *blipParts) readPolicies(n node) (policies []estimators.Policy) {
	names := distinct{what: "policies"}
	for _, item := range n.list() {
		m := item.mapping()
		var p estimators.Policy
		name := m.need("name", "the name of the policy")
		p.Name = names.add(name, name.name(l.text))
		p.Arm = l.readArm(m)
		if intervene := m.need("intervene", "an expression that is true where the policy intervenes"); intervene.given() {
			p.Intervene, _ = l.expression(intervene, aBool)
		}
		p.Probability = 1
		probability := m.get("probability")
		if x, ok := probability.number(); ok && (x < 0 || x > 1) {
			probability.fault("%s is outside [0, 1]; write a probability", probability.shownNumber(x))
		} else if ok {
			p.Probability = x
		}
		m.done()
		policies = append(policies, p)
	}
	return policies
}

// readArm reads the arm that a policy draws, as its place among the
// interventions; it goes without saying where there is one.
func (l *blipParts) readArm(m *mapping) int {
	arm := m.get("arm")
	switch {
	case arm.given() && len(l.arms) > 0:
		return max(0, slices.Index(l.arms, arm.oneOf("", l.arms...)))
	case !arm.given() && len(l.arms) > 1 && !m.broken:
		arm.fault("missing, and there are %d interventions; name the one that the policy draws", len(l.arms))
	}
	return 0
}
