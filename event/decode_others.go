package event

import (
	"cmp"
	"slices"
)

// source is who reviewed a call or measured an outcome.
func (o object) source(name string) Source {
	in := o.object(name, "kind", "name", "version")
	return Source{Kind: in.text("kind"), Name: in.text("name"), Version: in.text("version")}
}

func decodeIntervention(o object) *Intervention {
	i := &Intervention{}
	i.DecisionID = o.text("decision_id")
	i.Index, _ = o.whole("index", 1, maxWhole)
	o.checkIdentity(i.Index, i.DecisionID)
	i.Delivered = o.flag("delivered")
	i.Verdict = o.text("verdict")
	if i.Verdict != "" && !slices.Contains(Verdicts, i.Verdict) {
		hint := "one of these, or leave it out"
		if near, ok := nearest(i.Verdict, Verdicts); ok {
			hint = quote(near) + ", the nearest name"
		}
		o.refuse(WrongType, "%s is %s, not one of %s; send %s", o.at("verdict"), quote(i.Verdict), list(Verdicts), hint)
	}
	i.Reviewer = o.source("reviewer")
	cost := o.object("cost", "seconds", "usd", "tokens")
	i.Cost = Cost{Seconds: cost.part("seconds"), USD: cost.part("usd"), Tokens: cost.part("tokens")}
	return i
}

// part is one part of a cost, never below zero.
func (o object) part(name string) Amount {
	a := o.amount(name)
	if a.N < 0 {
		o.refuse(BadNumber, "%s is the number %s, below zero; send what the review took, or leave it out",
			o.at(name), shorten(o.find(name).text))
	}
	return a
}

func (d *Decoder) decodeOutcome(o object, exp *Experiment) *Outcome {
	out := &Outcome{}
	in := o.asObject("outcomes", o.need("outcomes", `{"success": 1}, each outcome as a number`), nil)
	if len(in.members) == 0 {
		o.refuse(MissingMember, `%s is empty; send at least one outcome, such as {"success": 1}`, o.at("outcomes"))
	}
	for i := range in.members {
		m := &in.members[i]
		if !in.fits(m.name) {
			break
		}
		d.checkOutcomeName(in, m.name, exp)
		x, _ := in.asNumber(m.name, &m.node)
		in.checkRange(m, x, exp)
		out.Values = append(out.Values, Measured{Name: m.name, Value: x})
	}
	slices.SortFunc(out.Values, func(a, b Measured) int { return cmp.Compare(a.Name, b.Name) })
	out.Revision, _ = o.whole("revision", 0, maxWhole)
	out.Provisional = o.flag("final") == False
	out.Source = o.source("source")
	return out
}

// checkOutcomeName holds a name against the experiment, or against all of them
// as long as it is open which one the trajectory belongs to.
func (d *Decoder) checkOutcomeName(o object, name string, exp *Experiment) {
	candidates := d.Schema.Experiments
	whose := "no experiment has"
	if exp != nil {
		candidates = []Experiment{*exp}
		whose = "experiment " + quote(exp.Name) + " does not have"
	}
	var known []string
	for i := range candidates {
		if candidates[i].Outcome(name) >= 0 {
			return
		}
		for _, rule := range candidates[i].Outcomes {
			if !slices.Contains(known, rule.Name) {
				known = append(known, rule.Name)
			}
		}
	}
	o.refuse(UnknownOutcome, "%s is an outcome that %s; %s", o.at(name), whose, instead(name, known))
}

// checkRange holds a value against the range that its outcome is scaled by.
func (o object) checkRange(m *member, x float64, exp *Experiment) {
	if o.fault != nil || exp == nil || exp.Outcome(m.name) < 0 {
		return
	}
	rule := exp.Outcomes[exp.Outcome(m.name)]
	if rule.Ranged && (x < rule.Low || x > rule.Up) {
		o.refuse(OutOfRange, "%s is the number %s, outside its range [%s, %s]; send a value within, or widen the range in the configuration",
			o.at(m.name), shorten(m.node.text), shortest(rule.Low), shortest(rule.Up))
	}
}

func decodeEnd(o object) *End {
	e := &End{}
	e.Decisions, e.Counted = o.whole("decisions", 0, maxWhole)
	e.Reason = o.text("reason")
	return e
}
