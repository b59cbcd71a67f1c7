package config

import (
	"fmt"
	"slices"

	"blipd/estimators"
)

// laterParts reads what later versions compute. It is parsed, typed and
// checked now, and what the file asks for is named in notYet.
type laterParts struct {
	vocabulary
	features   []estimators.Feature
	dimensions []estimators.Dimension
	arms       []string // the interventions
	notYet     []string
}

// blipModel is how the effect of one decision depends on what it stands in.
type blipModel struct {
	Groups     string   `json:"groups"`
	Moderators []string `json:"moderators"`
	Checks     []string `json:"checks"`
}

// readBlipModel reads blip_model; nil when the file has none.
func (l *laterParts) readBlipModel(n node) *blipModel {
	m := n.mapping()
	b := l.readModel(m)
	m.done()
	if len(m.keys) == 0 {
		return nil
	}
	l.later("blip_model: effects with no-treatment continuation are not computed by this version")
	return b
}

// readCandidates reads further blip models to rank.
func (l *laterParts) readCandidates(n node) {
	items := n.list()
	for _, item := range items {
		m := item.mapping()
		l.readModel(m)
		m.done()
	}
	if len(items) > 0 {
		l.later(fmt.Sprintf("blip_candidates (%d): blip models are not ranked by this version", len(items)))
	}
}

// readModel reads the keys of one blip model.
func (l *laterParts) readModel(m *mapping) *blipModel {
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
		b.Checks = append(b.Checks, x.Text)
	}
	return b
}

// readModerator is the name of a numeric feature.
func (l *laterParts) readModerator(n node) string {
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

// readPolicies reads the policies whose gain is asked for.
func (l *laterParts) readPolicies(n node) {
	items := n.list()
	names := distinct{what: "policies"}
	for _, item := range items {
		m := item.mapping()
		name := m.need("name", "the name of the policy")
		names.add(name, name.name(l.text))
		l.readArm(m)
		if intervene := m.need("intervene", "an expression that is true where the policy intervenes"); intervene.given() {
			l.expression(intervene, aBool)
		}
		probability := m.get("probability")
		if p, ok := probability.number(); ok && (p < 0 || p > 1) {
			probability.fault("%s is outside [0, 1]; write a probability", probability.shownNumber(p))
		}
		m.done()
	}
	if len(items) > 0 {
		l.later(fmt.Sprintf("policies (%d): policy gains are not computed by this version", len(items)))
	}
}

// readArm reads the arm that a policy draws, which goes without saying where
// there is one intervention.
func (l *laterParts) readArm(m *mapping) {
	arm := m.get("arm")
	switch {
	case arm.given() && len(l.arms) > 0:
		arm.oneOf("", l.arms...)
	case !arm.given() && len(l.arms) > 1 && !m.broken:
		arm.fault("missing, and there are %d interventions; name the one that the policy draws", len(l.arms))
	}
}

// harm notes outcomes that mark violations.
func (l *laterParts) harm(outcomes []outcome) {
	marked := 0
	for _, o := range outcomes {
		if o.role == "harm" {
			marked++
		}
	}
	if marked > 0 {
		l.later(fmt.Sprintf("outcomes with role harm (%d): violations are not shown apart by this version", marked))
	}
}

func (l *laterParts) later(words string) { l.notYet = append(l.notYet, words) }
