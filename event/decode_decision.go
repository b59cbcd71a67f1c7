package event

import (
	"slices"
	"strconv"
	"strings"
)

// What one event may list.
const (
	maxMembers = 1000 // of state and of scores
	maxCalls   = 256  // that one draw decides together
)

func decodeDecision(o object, exp *Experiment) *Decision {
	d := &Decision{}
	d.Index, _ = o.whole("index", 1, maxWhole)
	d.ID = o.text("decision_id")
	o.checkIdentity(d.Index, d.ID)
	agent := o.object("agent", "name", "version", "model")
	d.Agent = Agent{Name: agent.text("name"), Version: agent.text("version"), Model: agent.text("model")}
	d.Calls = o.calls()
	d.State = o.values("state", object.stateValue)
	d.Ineligible = o.flag("eligible") == False
	d.Assignment = o.assignment(exp)
	d.Scores = o.values("scores", object.scoreValue)
	return d
}

// checkIdentity holds that a decision is named by its place in the trajectory,
// by an id of its own, or by both.
func (o object) checkIdentity(index int, id string) {
	if index == 0 && id == "" {
		o.refuse(MissingMember, "%s and %s are both missing; send at least one of them", o.at("index"), o.at("decision_id"))
	}
}

// calls are the one call of an action, or all those that one draw decides.
func (o object) calls() []Call {
	const send = "the name of the tool that is called"
	a := o.asObject("action", o.need("action", `{"tool": "…"}, the call that is proposed`), []string{"tool", "capability", "calls"})
	n := a.get("calls")
	if n == nil {
		return []Call{{Tool: a.needText("tool", send), Capability: a.text("capability")}}
	}
	for _, name := range []string{"tool", "capability"} {
		if a.text(name) != "" {
			a.refuse(DuplicateMember, "%s stands beside %s; send the one call as action.tool and action.capability, or all calls in action.calls",
				a.at(name), a.at("calls"))
		}
	}
	switch {
	case n.kind != kindList:
		a.wrong("calls", n, "a list", `send [{"tool": "…"}, …]`)
	case len(n.items) == 0:
		a.refuse(MissingMember, "%s is empty; send the calls that the draw decides, or action.tool for one", a.at("calls"))
	case len(n.items) > maxCalls:
		a.refuse(TooMany, "%s has %d calls, and one draw decides at most %d; send the others with the draw that decides them",
			a.at("calls"), len(n.items), maxCalls)
	}
	var calls []Call
	place := object{walk: o.walk, path: a.at("calls") + "."}
	for i := range n.items {
		c := place.asObject(strconv.Itoa(i), &n.items[i], []string{"tool", "capability"})
		calls = append(calls, Call{Tool: c.needText("tool", send), Capability: c.text("capability")})
	}
	return calls
}

// values are the members of state or scores, sorted. null is an absent member.
func (o object) values(name string, value func(object, *member) Value) []Member {
	inner := o.object(name)
	var all []Member
	for i := range inner.members {
		m := &inner.members[i]
		if m.node.kind == kindNull {
			continue
		}
		if !inner.fits(m.name) {
			return nil
		}
		if len(all) == maxMembers {
			o.refuse(TooMany, "%s has more than %d members; send only those that features and groups use", o.at(name), maxMembers)
			return nil
		}
		all = append(all, Member{Name: m.name, Value: value(inner, m)})
	}
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (o object) stateValue(m *member) Value {
	switch m.node.kind {
	case kindNumber:
		return o.scoreValue(m)
	case kindText:
		return TextOf(o.fitting(m.name, m.node.text))
	case kindTrue, kindFalse:
		return BoolOf(m.node.kind == kindTrue)
	}
	o.wrong(m.name, &m.node, "a number, a truth value or a text", "send each value under a name of its own")
	return Value{}
}

func (o object) scoreValue(m *member) Value {
	x, _ := o.asNumber(m.name, &m.node)
	return NumberOf(x)
}
