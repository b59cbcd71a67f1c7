package config

import (
	"slices"
	"strings"
	"sync/atomic"

	"blipd/estimators"
	"blipd/event"
)

// read is one thing that an expression looks at: a member of action, agent,
// state or scores, or a built-in. Its value is missing where it is absent.
type read struct {
	name  string // as expressions write it: state.errors
	typed kind
	call  bool // of the call, of which one decision may have several
	from  func(*estimators.Point) event.Value
}

// roots are the names that have members.
var roots = []string{"action", "agent", "state", "scores"}

// builtins are the names that stand for themselves.
var builtins = []string{"index", "prior_interventions", "prior_same_tool", "since_last_intervention"}

// readMember is the read of root.member; when there is none, known says which
// members the root has.
func readMember(root, member string) (r read, known []string) {
	name := root + "." + member
	switch name {
	case "action.tool":
		return read{name, aText, true, func(p *estimators.Point) event.Value { return textOf(p.Call.Tool) }}, nil
	case "action.capability":
		return read{name, aText, true, func(p *estimators.Point) event.Value { return textOf(p.Call.Capability) }}, nil
	case "agent.name":
		return read{name, aText, false, func(p *estimators.Point) event.Value { return textOf(p.Decision.Agent.Name) }}, nil
	case "agent.version":
		return read{name, aText, false, func(p *estimators.Point) event.Value { return textOf(p.Decision.Agent.Version) }}, nil
	case "agent.model":
		return read{name, aText, false, func(p *estimators.Point) event.Value { return textOf(p.Decision.Agent.Model) }}, nil
	}
	switch root {
	case "state":
		find := finder(member)
		return read{name, anyValue, false, func(p *estimators.Point) event.Value { return find(p.Decision.State) }}, nil
	case "scores":
		find := finder(member)
		return read{name, aNumber, false, func(p *estimators.Point) event.Value { return find(p.Decision.Scores) }}, nil
	case "action":
		return read{}, []string{"tool", "capability"}
	}
	return read{}, []string{"name", "version", "model"}
}

// readBuiltin is the read of a built-in; ok is false when the name is none.
func readBuiltin(name string) (r read, ok bool) {
	switch name {
	case "index":
		return read{name, anInteger, false, func(p *estimators.Point) event.Value { return countOf(p.Index) }}, true
	case "prior_interventions":
		return read{name, anInteger, false, func(p *estimators.Point) event.Value { return countOf(p.PriorInterventions) }}, true
	case "prior_same_tool":
		return read{name, anInteger, false, func(p *estimators.Point) event.Value { return countOf(p.PriorSameTool) }}, true
	case "since_last_intervention":
		return read{name, anInteger, false, func(p *estimators.Point) event.Value {
			if p.SinceLastIntervention == 0 {
				return event.Value{}
			}
			return countOf(p.SinceLastIntervention)
		}}, true
	}
	return read{}, false
}

// textOf is an optional text: left out and empty are the same.
func textOf(s string) event.Value {
	if s == "" {
		return event.Value{}
	}
	return event.TextOf(s)
}

func countOf(n int) event.Value { return event.NumberOf(float64(n)) }

// finder gives the value of a name among members sorted by name. Most decisions
// have it in the place where the last one had it: that place is tried first.
func finder(name string) func(members []event.Member) event.Value {
	var last atomic.Int64 // several partitions read at once
	return func(members []event.Member) event.Value {
		if i := int(last.Load()); i < len(members) && members[i].Name == name {
			return members[i].Value
		}
		i, ok := slices.BinarySearchFunc(members, name, func(m event.Member, name string) int {
			return strings.Compare(m.Name, name)
		})
		if !ok {
			return event.Value{}
		}
		last.Store(int64(i))
		return members[i].Value
	}
}
