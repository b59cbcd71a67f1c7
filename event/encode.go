package event

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the bare form of an event that Decode accepted, or of one
// that is as complete and finite: decoding it gives the event again. What was
// left out stays left out. Equal events give equal bytes: members stand in one
// order, numbers have the fewest digits that read back exactly.
func AppendJSON(dst []byte, e *Event) []byte {
	w := writer{dst}
	w.byte('{')
	w.name("type")
	w.string(e.Type.String())
	w.text("experiment", e.Experiment)
	w.text("trajectory_id", e.Trajectory)
	switch e.Type {
	case TypeDecision:
		w.decision(e.Decision, e.Time)
	case TypeIntervention:
		w.intervention(e.Intervention)
	case TypeOutcome:
		w.outcome(e.Outcome, e.Time)
	case TypeEnd:
		w.end(e.End, e.Time)
	case TypeExclude:
		w.text("reason", e.Exclude.Reason)
	}
	w.byte('}')
	return w.dst
}

// writer puts one value behind the other; name puts the commas.
type writer struct{ dst []byte }

func (w *writer) byte(b byte) { w.dst = append(w.dst, b) }

func (w *writer) name(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.byte(',')
	}
	w.string(name)
	w.byte(':')
}

// string has an error only for what is no UTF-8, which no accepted event holds.
func (w *writer) string(s string) { w.dst, _ = jsontext.AppendQuote(w.dst, s) }

func (w *writer) float(x float64) { w.dst = jsontext.AppendFloat(w.dst, x, 64) }

func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.string(s)
	}
}

func (w *writer) whole(name string, i int, given bool) {
	if given {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, int64(i), 10)
	}
}

func (w *writer) number(name string, x float64, given bool) {
	if given {
		w.name(name)
		w.float(x)
	}
}

func (w *writer) flag(name string, value, given bool) {
	if given {
		w.name(name)
		w.dst = strconv.AppendBool(w.dst, value)
	}
}

// object writes an object where one is given; members writes what is in it.
func (w *writer) object(name string, given bool, members func()) {
	if given {
		w.name(name)
		w.byte('{')
		members()
		w.byte('}')
	}
}

func (w *writer) decision(d *Decision, t Time) {
	w.text("decision_id", d.ID)
	w.whole("index", d.Index, d.Index != 0)
	w.text("time", t.String())
	w.object("agent", d.Agent != Agent{}, func() {
		w.text("name", d.Agent.Name)
		w.text("version", d.Agent.Version)
		w.text("model", d.Agent.Model)
	})
	w.object("action", true, func() { w.calls(d.Calls) })
	w.values("state", d.State)
	w.flag("eligible", false, d.Ineligible)
	w.object("assignment", d.Assignment.Given, func() { w.assignment(&d.Assignment) })
	w.values("scores", d.Scores)
}

func (w *writer) calls(calls []Call) {
	if len(calls) == 1 {
		w.call(calls[0])
		return
	}
	w.name("calls")
	w.byte('[')
	for i, c := range calls {
		if i > 0 {
			w.byte(',')
		}
		w.byte('{')
		w.call(c)
		w.byte('}')
	}
	w.byte(']')
}

func (w *writer) call(c Call) {
	w.text("tool", c.Tool)
	w.text("capability", c.Capability)
}

func (w *writer) values(name string, all []Member) {
	w.object(name, len(all) > 0, func() {
		for _, m := range all {
			w.name(m.Name)
			switch m.Value.Kind {
			case Number:
				w.float(m.Value.Num)
			case Bool:
				w.dst = strconv.AppendBool(w.dst, m.Value.Num != 0)
			case Text:
				w.string(m.Value.Str)
			default: // absent, and no accepted event holds it
				w.dst = append(w.dst, "null"...)
			}
		}
	})
}

func (w *writer) assignment(a *Assignment) {
	w.text("arm", a.Arm)
	w.object("probabilities", len(a.Probabilities) > 0, func() {
		for _, p := range a.Probabilities {
			w.number(p.Arm, p.P, true)
		}
	})
	w.text("policy", a.Policy)
	w.number("draw", a.Draw.U, a.Draw.Given)
	w.flag("forced", true, a.Forced)
	w.flag("holdback", true, a.Holdback)
}

func (w *writer) source(name string, s Source) {
	w.object(name, s != Source{}, func() {
		w.text("kind", s.Kind)
		w.text("name", s.Name)
		w.text("version", s.Version)
	})
}

func (w *writer) intervention(i *Intervention) {
	w.text("decision_id", i.DecisionID)
	w.whole("index", i.Index, i.Index != 0)
	w.flag("delivered", i.Delivered == True, i.Delivered != Unset)
	w.text("verdict", i.Verdict)
	w.source("reviewer", i.Reviewer)
	w.object("cost", i.Cost != Cost{}, func() {
		w.number("seconds", i.Cost.Seconds.N, i.Cost.Seconds.Given)
		w.number("usd", i.Cost.USD.N, i.Cost.USD.Given)
		w.number("tokens", i.Cost.Tokens.N, i.Cost.Tokens.Given)
	})
}

func (w *writer) outcome(o *Outcome, t Time) {
	w.text("time", t.String())
	w.object("outcomes", true, func() {
		for _, m := range o.Values {
			w.number(m.Name, m.Value, true)
		}
	})
	w.whole("revision", o.Revision, o.Revision != 0)
	w.flag("final", false, o.Provisional)
	w.source("source", o.Source)
}

func (w *writer) end(e *End, t Time) {
	w.text("time", t.String())
	w.whole("decisions", e.Decisions, e.Counted)
	w.text("reason", e.Reason)
}
