package config

import (
	"math"
	"sync"

	"github.com/expr-lang/expr/vm"

	"blipd/estimators"
	"blipd/event"
)

// direct reads without a machine.
func (v vocabulary) direct(r read, want kind) func(*estimators.Point) event.Value {
	return func(p *estimators.Point) event.Value { return v.wanted(r.from(p), want) }
}

// machine is what one evaluation needs, taken from a pool: a stack and the
// values that are read.
type machine struct {
	vm  vm.VM
	env map[string]any
}

func (v vocabulary) machine(program *vm.Program, reads []read, gives, want kind) func(*estimators.Point) event.Value {
	if gives == aBool { // && and || check their operands, a condition its two answers not
		want = aBool
	}
	pool := sync.Pool{New: func() any { return &machine{env: make(map[string]any, len(reads))} }}
	return func(p *estimators.Point) event.Value {
		m := pool.Get().(*machine)
		defer pool.Put(m)
		for i := range reads {
			r := &reads[i]
			value := r.from(p)
			switch {
			case value.Kind == event.Missing:
				return event.Value{}
			case value.Kind == event.Text:
				m.env[r.name] = value.Str
			case value.Kind == event.Bool:
				m.env[r.name] = value.Num != 0
			case r.typed == anInteger:
				m.env[r.name] = int(value.Num)
			default:
				m.env[r.name] = value.Num
			}
		}
		out, err := m.vm.Run(program, m.env)
		if err != nil {
			return event.Value{}
		}
		return v.wanted(valueOf(out), want)
	}
}

// valueOf is what the machine gives: a finite number, a truth value, a text,
// or missing.
func valueOf(out any) event.Value {
	switch out := out.(type) {
	case bool:
		return event.BoolOf(out)
	case string:
		return event.TextOf(out)
	case int:
		return event.NumberOf(float64(out))
	case float64:
		if !math.IsNaN(out) && !math.IsInf(out, 0) {
			return event.NumberOf(out)
		}
	}
	return event.Value{}
}

// wanted is a value of the wanted kind, within the limit for texts; any other
// is missing.
func (v vocabulary) wanted(value event.Value, want kind) event.Value {
	switch {
	case value.Kind == event.Text && (len(value.Str) > v.text || want == aNumber || want == aBool),
		value.Kind == event.Number && want == aBool:
		return event.Value{}
	}
	return value
}
