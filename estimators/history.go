package estimators

import (
	"slices"

	"blipd/event"
)

// walk visits the decisions of a trajectory in their order, each as a Point
// with its history. The Point is reused; visit must not keep it.
func walk(t *event.Trajectory, e *event.Experiment, visit func(*Point)) {
	var p Point
	seen := make([]*event.Decision, 0, len(t.Decisions))
	tools := map[string]int{} // decisions seen with a tool
	width := len(t.Learned) / max(1, len(t.Decisions))
	for _, i := range t.Order() {
		d := &t.Decisions[i]
		p.learned = t.Learned[i*width : (i+1)*width]
		p.Decision, p.Call, p.Index = d, d.Calls[0], t.IndexOf(i)
		p.PriorSameTool = tools[p.Call.Tool]
		if len(d.Calls) > 1 {
			p.PriorSameTool = sharing(seen, d)
		}
		visit(&p)

		seen = append(seen, d)
		for c, call := range d.Calls {
			if !slices.ContainsFunc(d.Calls[:c], func(o event.Call) bool { return o.Tool == call.Tool }) {
				tools[call.Tool]++
			}
		}
		if e.Arm(d.Assignment.Arm) > 0 {
			p.PriorInterventions++
			p.SinceLastIntervention = 1
		} else if p.SinceLastIntervention > 0 {
			p.SinceLastIntervention++
		}
	}
}

// sharing counts the decisions that share a tool with d.
func sharing(seen []*event.Decision, d *event.Decision) int {
	n := 0
	for _, earlier := range seen {
		if shareTool(earlier, d) {
			n++
		}
	}
	return n
}

func shareTool(a, b *event.Decision) bool {
	for _, x := range a.Calls {
		for _, y := range b.Calls {
			if x.Tool == y.Tool {
				return true
			}
		}
	}
	return false
}

// values evaluates an expression at a point: once, or once for each call when
// it reads the call and one draw decides several. The result holds distinct
// values in the order of the calls; a missing one is among them.
func values(x *Expression, p *Point, into []event.Value) []event.Value {
	if !x.PerCall || len(p.Decision.Calls) == 1 {
		return append(into, x.Eval(p))
	}
	first := p.Call
	for _, call := range p.Decision.Calls {
		p.Call = call
		v := x.Eval(p)
		known := false
		for _, u := range into {
			known = known || u == v
		}
		if !known {
			into = append(into, v)
		}
	}
	p.Call = first
	return into
}

// levels turns values into the names of distinct groups or levels. Values that
// cannot be named, or bear a reserved name, are MissingLevel.
func levels(vs []event.Value, into []string) []string {
	for _, v := range vs {
		name, ok := v.Level()
		if !ok || name == MissingLevel || name == OtherLevel || name == PooledLevel {
			name = MissingLevel
		}
		known := false
		for _, u := range into {
			known = known || u == name
		}
		if !known {
			into = append(into, name)
		}
	}
	return into
}
