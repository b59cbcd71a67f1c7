package state

import (
	"strconv"
	"strings"
	"time"

	"blipd/event"
)

// The commands of a story:
//
//	rules|restart [experiments=a,b] [required=a,b] [optional=c] [timeout_values=a:0] [timeout=24h] [grace=0s]
//	              [window=24h] [period=1h] [keep=72h] [open=9] [decisions=9] [hash=h] [range=0:1]
//	decide ID INDEX TIME ARM [id=D] [tool=T] [p=0.25] [experiment=E]
//	outcome ID TIME NAME=VALUE... [revision=1] [final=false] [experiment=E]
//	intervene ID INDEX [id=D] [verdict=approve]
//	end ID TIME [decisions=3] [experiment=E]
//	exclude ID
//	finish | stats | ledger
//
// A TIME is 10:04 of the first day, 2/10:04 of the second.

func (s *story) event(command string, words []string) event.Event {
	var e event.Event
	id := words[0]
	plain, named := split(words[1:])
	switch command {
	case "decide":
		e = decide(id, s.number(plain[0]), s.time(plain[1]), plain[2])
		e.Decision.ID = named["id"]
		if tool, ok := named["tool"]; ok {
			e.Decision.Calls[0].Tool = tool
		}
		if p, ok := named["p"]; ok {
			e.Decision.Assignment.Probabilities = []event.Probability{{Arm: "direct", P: 1 - s.float(p)}, {Arm: "review", P: s.float(p)}}
		}
	case "outcome":
		e = event.Event{Type: event.TypeOutcome, Trajectory: id, Time: s.time(plain[0]), Outcome: &event.Outcome{}}
		e.Outcome.Revision = s.number(or(named["revision"], "0"))
		e.Outcome.Provisional = named["final"] == "false"
		for _, word := range words[2:] {
			name, value, _ := strings.Cut(word, "=")
			if name != "revision" && name != "final" && name != "experiment" {
				e.Outcome.Values = append(e.Outcome.Values, event.Measured{Name: name, Value: s.float(value)})
			}
		}
	case "intervene":
		e = intervene(id, s.number(plain[0]), or(named["verdict"], "approve"))
		e.Intervention.DecisionID = named["id"]
	case "end":
		e = ended(id, s.time(plain[0]), s.number(or(named["decisions"], "0")))
	case "exclude":
		e = excluded(id)
	default:
		s.t.Fatalf("no command %q", command)
	}
	e.Experiment = named["experiment"]
	return e
}

func (s *story) setRules(words []string) {
	_, named := split(words)
	if names, ok := named["experiments"]; ok {
		old := s.rules
		s.rules = nil
		for _, name := range strings.Split(names, ",") {
			r := old[0]
			for i := range old {
				if old[i].Experiment.Name == name {
					r = old[i]
				}
			}
			r.Experiment.Name = name
			s.rules = append(s.rules, r)
		}
	}
	for name, value := range named {
		switch name {
		case "keep":
			s.keep = s.duration(value)
		case "open":
			s.limits.OpenTrajectories = s.number(value)
		case "decisions":
			s.limits.DecisionsPerTrajectory = s.number(value)
		}
	}
	for x := range s.rules {
		s.setRule(&s.rules[x], named)
	}
}

func (s *story) setRule(r *Rules, named map[string]string) {
	required, optional := named["required"], named["optional"]
	if required+optional != "" {
		r.Experiment.Outcomes = nil
		for _, name := range strings.Split(required, ",") {
			r.Experiment.Outcomes = append(r.Experiment.Outcomes, event.OutcomeRule{Name: name, Up: 1, Ranged: true, Required: true})
		}
		if optional != "" {
			r.Experiment.Outcomes = append(r.Experiment.Outcomes, event.OutcomeRule{Name: optional, Up: 1, Ranged: true})
		}
		r.TimeoutValues = make([]*float64, len(r.Experiment.Outcomes))
	}
	for name, value := range named {
		switch name {
		case "timeout_values":
			r.TimeoutValues = make([]*float64, len(r.Experiment.Outcomes))
			for _, pair := range strings.Split(value, ",") {
				outcome, number, _ := strings.Cut(pair, ":")
				x := s.float(number)
				r.TimeoutValues[r.Experiment.Outcome(outcome)] = &x
			}
		case "range":
			low, up, _ := strings.Cut(value, ":")
			for i := range r.Experiment.Outcomes {
				r.Experiment.Outcomes[i].Low, r.Experiment.Outcomes[i].Up = s.float(low), s.float(up)
			}
		case "timeout":
			r.Timeout = s.duration(value)
		case "grace":
			r.CloseGrace = s.duration(value)
		case "window":
			r.RevisionWindow = s.duration(value)
		case "period":
			r.StartPeriod = s.duration(value)
		case "hash":
			r.Hash = value
		}
	}
}

func split(words []string) (plain []string, named map[string]string) {
	named = map[string]string{}
	for _, word := range words {
		if name, value, ok := strings.Cut(word, "="); ok {
			named[name] = value
		} else {
			plain = append(plain, word)
		}
	}
	return plain, named
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (s *story) number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *story) float(word string) float64 {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

func (s *story) duration(word string) time.Duration {
	d, err := time.ParseDuration(word)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *story) time(word string) event.Time {
	day := "1"
	if d, rest, ok := strings.Cut(word, "/"); ok {
		day, word = d, rest
	}
	hours, minutes, _ := strings.Cut(word, ":")
	return at(24*(s.number(day)-1)+s.number(hours), s.number(minutes))
}

// clockOf writes a time as stories read it.
func clockOf(t event.Time) string {
	if t == event.NoTime {
		return "none"
	}
	word := t.Std().Format("15:04")
	if day := int(t.Std().Sub(morning.Std()).Hours()/24) + 1; day != 1 {
		word = strconv.Itoa(day) + "/" + word
	}
	return word
}
