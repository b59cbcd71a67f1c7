package event

func (r *Reader) decisionMember(place, i int) int {
	d := &r.decision
	var found kinds
	switch place {
	case memberAgent:
		var texts [3]string
		i = r.names(&r.words.agent, i, &texts)
		d.Agent = Agent{Name: texts[textName], Version: texts[textVersion], Model: texts[textModel]}
	case memberAction:
		i = r.action(i)
	case memberState:
		r.state, _, i = r.members(&r.stateShapes, i, r.state)
		d.State = orNil(r.state)
	case memberScores:
		r.scores, found, i = r.members(&r.scoreShapes, i, r.scores)
		if found&^(numbers|nulls) != 0 {
			return nowhere
		}
		d.Scores = orNil(r.scores)
	case memberEligible:
		var eligible bool
		eligible, i = flag(r.value, i)
		d.Ineligible = !eligible
	case memberAssignment:
		d.Assignment.Given = true
		i = r.assignment(i)
	case memberTreatment:
		r.draft.treatment, i = whole(r.value, i, 0, 1)
	case memberProbability:
		r.draft.probability, i = number(r.value, i)
	default:
		return nowhere
	}
	return i
}

// names reads an object of up to three texts, at their places.
func (r *Reader) names(v *vocabulary, i int, texts *[3]string) int {
	c := r.open()
	i, more := enter(r.value, i, '{', '}')
	for more {
		var place int
		place, i = r.name(v, &c, i)
		if place == stray {
			i = r.skip(i, 0)
		} else {
			texts[place], i = r.word(&v.texts[place], i)
		}
		i, more = after(r.value, i, '}')
	}
	r.leave(&c)
	return i
}

// action reads one call, or those that one draw decides.
func (r *Reader) action(i int) int {
	var one Call
	v := &r.words.action
	calls := r.calls[:0]
	c := r.open()
	i, more := enter(r.value, i, '{', '}')
	for more {
		var place int
		place, i = r.name(v, &c, i)
		switch place {
		case actionTool:
			one.Tool, i = r.word(&v.texts[place], i)
		case actionCapability:
			one.Capability, i = r.word(&v.texts[place], i)
		case actionCalls:
			calls, i = r.list(calls, i)
		default:
			i = r.skip(i, 0)
		}
		i, more = after(r.value, i, '}')
	}
	r.leave(&c)
	switch {
	case !c.has(actionCalls) && one.Tool != "":
		calls = append(calls, one)
	case !c.has(actionCalls) || one != Call{}:
		i = nowhere
	}
	r.calls = shorter(r.calls, calls)
	r.decision.Calls = calls
	return i
}

// list reads the calls of one draw.
func (r *Reader) list(calls []Call, i int) ([]Call, int) {
	i, more := enter(r.value, i, '[', ']')
	for more && len(calls) < maxCalls {
		var texts [3]string
		i = r.names(&r.words.call, i, &texts)
		if texts[textTool] == "" {
			i = nowhere
		}
		calls = append(calls, Call{Tool: texts[textTool], Capability: texts[textCapability]})
		i, more = after(r.value, i, ']')
	}
	if more || len(calls) == 0 {
		return calls, nowhere
	}
	return calls, i
}

// The places in assignmentNames.
const (
	drawArm = iota
	drawProbabilities
	drawPolicy
	drawNumber
	drawForced
	drawHoldback
)

func (r *Reader) assignment(i int) int {
	a := &r.decision.Assignment
	v := &r.words.assignment
	c := r.open()
	i, more := enter(r.value, i, '{', '}')
	for more {
		var place int
		place, i = r.name(v, &c, i)
		switch place {
		case drawArm:
			a.Arm, i = r.word(&v.texts[place], i)
		case drawProbabilities:
			a.Probabilities, i = r.probabilities(i)
		case drawPolicy:
			a.Policy, i = r.word(&v.texts[place], i)
		case drawNumber:
			a.Draw.Given = true
			if a.Draw.U, i = number(r.value, i); a.Draw.U < 0 || a.Draw.U >= 1 {
				i = nowhere
			}
		case drawForced:
			a.Forced, i = flag(r.value, i)
		case drawHoldback:
			a.Holdback, i = flag(r.value, i)
		default:
			i = r.skip(i, 0)
		}
		i, more = after(r.value, i, '}')
	}
	r.leave(&c)
	return i
}

func (r *Reader) finishDecision(exp *Experiment) bool {
	d, draft := &r.decision, &r.draft
	d.ID, d.Index = draft.id, draft.index
	if !draft.has(memberAction) || !draft.named() {
		return false
	}
	if draft.has(memberTreatment) || draft.has(memberProbability) {
		return r.shortForm(exp)
	}
	return true
}

// shortForm makes an assignment of "treatment": 0|1, "probability": p.
func (r *Reader) shortForm(exp *Experiment) bool {
	draft := &r.draft
	if !draft.has(memberTreatment) || !draft.has(memberProbability) || draft.has(memberAssignment) ||
		exp.ProbabilityOf == "" || len(exp.Interventions) != 1 {
		return false
	}
	p, q := draft.probability, 1-draft.probability
	arm := exp.Interventions[0]
	if draft.treatment == 0 {
		arm = exp.Control
		if exp.ProbabilityOf == OfArm {
			p, q = q, p
		}
	}
	odds := append(r.odds[:0], Probability{Arm: exp.Interventions[0], P: p}, Probability{Arm: exp.Control, P: q})
	sortProbabilities(odds)
	r.odds = shorter(r.odds, odds)
	r.decision.Assignment = Assignment{Given: true, Arm: arm, Probabilities: odds}
	return true
}
