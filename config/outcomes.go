package config

import (
	"math"

	"go.yaml.in/yaml/v4"

	"blipd/event"
)

const seq = yaml.SequenceNode

// outcome is one outcome as the file has it.
type outcome struct {
	event.OutcomeRule
	better, role string
	timeout      *float64
}

// readOutcomes reads the list of outcomes.
func readOutcomes(n node, text int) []outcome {
	var outcomes []outcome
	names := distinct{what: "outcomes"}
	required := false
	for _, item := range n.list() {
		m := item.mapping()
		o := readOutcome(m, text, &names)
		m.done()
		required = required || o.Required || m.broken
		outcomes = append(outcomes, o)
	}
	switch {
	case !n.given() || required:
	case len(outcomes) > 0:
		n.fault("none is required, so that no trajectory would close by its outcomes; write required: true for at least one")
	case n.null() || n.value.Kind == seq:
		n.fault("no outcome; write at least one")
	}
	return outcomes
}

func readOutcome(m *mapping, text int, names *distinct) outcome {
	var o outcome
	name := m.need("name", "the name of the outcome")
	o.Name = names.add(name, name.name(text))
	o.Low, o.Up, o.Ranged = readRange(m.get("range"))
	o.better = m.get("better").oneOf("higher", "higher", "lower")
	o.Required = m.get("required").flag(true)
	o.role = m.get("role").oneOf("", "", "harm")
	timeout := m.get("timeout_value")
	if timeout.null() {
		return o
	}
	if x, ok := timeout.number(); ok {
		if o.Ranged && (x < o.Low || x > o.Up) {
			timeout.fault("%s is outside range [%s, %s]; write a value within", timeout.shownNumber(x), show(o.Low), show(o.Up))
		}
		o.timeout = &x
	}
	return o
}

// readRange reads [lo, hi], lo < hi, whose width is finite.
func readRange(n node) (low, up float64, ranged bool) {
	if !n.given() || n.null() {
		return 0, 0, false
	}
	before := len(n.r.faults)
	items := n.list()
	if len(n.r.faults) > before {
		return 0, 0, false
	}
	if len(items) != 2 {
		n.fault("not two values but %d; write [lo, hi]", len(items))
		return 0, 0, false
	}
	low, lowOK := items[0].number()
	up, upOK := items[1].number()
	switch {
	case !lowOK || !upOK:
		return 0, 0, false
	case low >= up:
		n.fault("[%s, %s]: the first is not below the second; write [lo, hi] with lo < hi", items[0].shownNumber(low), items[1].shownNumber(up))
		return 0, 0, false
	case math.IsInf(up-low, 0):
		n.fault("[%s, %s] is wider than any double; write a narrower range", items[0].shownNumber(low), items[1].shownNumber(up))
		return 0, 0, false
	}
	return low, up, true
}

func timeoutValues(outcomes []outcome) []*float64 {
	values := make([]*float64, len(outcomes))
	for i, o := range outcomes {
		values[i] = o.timeout
	}
	return values
}

func better(outcomes []outcome) []string {
	words := make([]string, len(outcomes))
	for i, o := range outcomes {
		words[i] = o.better
	}
	return words
}

// distinct are the names of one list, each of which may be there once.
type distinct struct {
	what  string
	lines map[string]int
}

// add notes a name, and a fault where it is there already.
func (d *distinct) add(n node, name string) string {
	if d.lines == nil {
		d.lines = map[string]int{}
	}
	if line, twice := d.lines[name]; twice && name != "" {
		n.fault("the name is taken by another of the %s, in line %d; choose another", d.what, line)
		return name
	}
	d.lines[name] = n.line
	return name
}
