package event

import "slices"

// otherMember reads a member of an intervention, an outcome or an end.
func (r *Reader) otherMember(v *vocabulary, place, i int) int {
	switch place {
	case memberDelivered:
		var yes bool
		yes, i = flag(r.value, i)
		r.intervention.Delivered = False
		if yes {
			r.intervention.Delivered = True
		}
	case memberVerdict:
		r.intervention.Verdict, i = r.word(&v.texts[place], i)
		if s := r.intervention.Verdict; s != "" && !slices.Contains(Verdicts, s) {
			return nowhere
		}
	case memberReviewer:
		r.intervention.Reviewer, i = r.source(&r.words.reviewer, i)
	case memberCost:
		i = r.cost(i)
	case memberOutcomes:
		r.outcome.Values, i = r.values(i)
	case memberRevision:
		r.outcome.Revision, i = whole(r.value, i, 0, maxWhole)
	case memberFinal:
		var final bool
		final, i = flag(r.value, i)
		r.outcome.Provisional = !final
	case memberSource:
		r.outcome.Source, i = r.source(&r.words.measurer, i)
	case memberDecisions:
		r.end.Counted = true
		r.end.Decisions, i = whole(r.value, i, 0, maxWhole)
	case memberReason:
		r.end.Reason, i = r.word(&v.texts[place], i)
	default:
		return nowhere
	}
	return i
}

func (r *Reader) source(v *vocabulary, i int) (Source, int) {
	var texts [3]string
	i = r.names(v, i, &texts)
	return Source{Kind: texts[sourceKind], Name: texts[sourceName], Version: texts[sourceVersion]}, i
}

// cost reads what a review took, no part of it below zero.
func (r *Reader) cost(i int) int {
	cost := &r.intervention.Cost
	parts := [...]*Amount{&cost.Seconds, &cost.USD, &cost.Tokens}
	c := r.open()
	i, more := enter(r.value, i, '{', '}')
	for more {
		var place int
		place, i = r.name(&r.words.cost, &c, i)
		if place == stray {
			i = r.skip(i, 0)
		} else {
			part := parts[place]
			part.Given = true
			if part.N, i = number(r.value, i); part.N < 0 {
				i = nowhere
			}
		}
		i, more = after(r.value, i, '}')
	}
	r.leave(&c)
	return i
}

// finishOutcome holds each outcome to be one of the experiment and in its range,
// or one of any as long as it is open which one the trajectory belongs to.
func (r *Reader) finishOutcome(exp *Experiment) bool {
	values := r.outcome.Values
	for i := range values {
		if exp != nil {
			rule := exp.rule(values[i].Name)
			if x := values[i].Value; rule == nil || rule.Ranged && (x < rule.Low || x > rule.Up) {
				return false
			}
			continue
		}
		all := r.decoder.Schema.Experiments
		if !slices.ContainsFunc(all, func(e Experiment) bool { return e.Outcome(values[i].Name) >= 0 }) {
			return false
		}
	}
	return len(values) > 0
}

// rule is the outcome of a name, or nil.
func (e *Experiment) rule(name string) *OutcomeRule {
	for i := range e.Outcomes {
		if e.Outcomes[i].Name == name {
			return &e.Outcomes[i]
		}
	}
	return nil
}
