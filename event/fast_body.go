package event

// draft is what a body says before it is known what it means.
type draft struct {
	cursor      // of the body, which knows what was there
	experiment  string
	id          string
	index       int
	treatment   int
	probability float64
}

// body reads the members of the event of which the type is known.
func (r *Reader) body(v *vocabulary, i int, e *Event) int {
	switch e.Type {
	case TypeDecision:
		r.decision = Decision{}
	case TypeIntervention:
		r.intervention = Intervention{}
	case TypeOutcome:
		r.outcome = Outcome{}
	case TypeEnd:
		r.end = End{}
	}
	d := &r.draft
	*d = draft{cursor: r.open()}
	i, more := enter(r.value, i, '{', '}')
	for more {
		var place int
		place, i = r.name(v, &d.cursor, i)
		i = r.member(v, place, i, e)
		i, more = after(r.value, i, '}')
	}
	r.leave(&d.cursor)
	return i
}

// member reads what stands under a name of any type, or goes on to those of one.
func (r *Reader) member(v *vocabulary, place, i int, e *Event) int {
	d := &r.draft
	switch place {
	case stray:
		i = r.skip(i, 0)
	case memberType: // read by form
		i = quoted(r.value, i)
	case memberTrajectory:
		e.Trajectory, i = r.id(i)
	case memberTime:
		e.Time, i = r.when(i)
	case memberIndex:
		d.index, i = whole(r.value, i, 1, maxWhole)
	case memberDecisionID:
		d.id, i = r.id(i)
	case memberExperiment:
		d.experiment, i = r.word(&v.texts[place], i)
	default:
		if e.Type == TypeDecision {
			return r.decisionMember(place, i)
		}
		return r.otherMember(v, place, i)
	}
	return i
}

// finish is not ok when something is missing, or against the configuration.
func (r *Reader) finish(e *Event) bool {
	if e.Type == TypeExclude { // rare
		return false
	}
	d := &r.draft
	var exp *Experiment
	if e.Type != TypeIntervention {
		var ok bool
		if exp, ok = r.experiment(e.Type, d.experiment); !ok || e.Time == NoTime {
			return false
		}
		if d.experiment != "" {
			e.Experiment = exp.Name // stays when the record goes
		}
	}
	switch e.Type {
	case TypeDecision:
		e.Decision = &r.decision
		r.decision.Time = e.Time
		return r.finishDecision(exp)
	case TypeIntervention:
		e.Intervention = &r.intervention
		r.intervention.DecisionID, r.intervention.Index = d.id, d.index
		return d.named()
	case TypeOutcome:
		e.Outcome = &r.outcome
		return r.finishOutcome(exp)
	}
	e.End = &r.end
	return true
}

// named tells whether the decision has an index or an id.
func (d *draft) named() bool { return d.index != 0 || d.id != "" }

// experiment is what is configured under a name, or as the only one where none
// is sent; nil is an outcome or an end that waits until a decision names one.
func (r *Reader) experiment(t Type, name string) (exp *Experiment, ok bool) {
	all := r.decoder.Schema.Experiments
	switch {
	case name != "":
		for i := range all {
			if all[i].Name == name {
				return &all[i], true
			}
		}
		return nil, false
	case len(all) == 1:
		return &all[0], true
	}
	return nil, t != TypeDecision
}
