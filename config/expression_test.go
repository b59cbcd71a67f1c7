package config

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"blipd/estimators"
	"blipd/event"
)

var retail = vocabulary{text: 16, outcomes: []event.OutcomeRule{{Name: "success"}}}

// point is a decision as the tables below read it.
func point() *estimators.Point {
	call := event.Call{Tool: "cancel_order", Capability: "write"}
	return &estimators.Point{
		Decision: &event.Decision{
			Agent: event.Agent{Name: "retail", Version: "1.4"},
			Calls: []event.Call{call},
			State: []event.Member{
				{Name: "a text", Value: event.TextOf("spaced")},
				{Name: "big", Value: event.NumberOf(1e300)},
				{Name: "long", Value: event.TextOf("0123456789abcdefg")},
				{Name: "n", Value: event.NumberOf(3)},
				{Name: "null"},
				{Name: "off", Value: event.BoolOf(false)},
				{Name: "on", Value: event.BoolOf(true)},
				{Name: "text", Value: event.TextOf("vip")},
				{Name: "x", Value: event.NumberOf(0.5)},
			},
			Scores: []event.Member{{Name: "judge", Value: event.NumberOf(0.72)}},
		},
		Call: call, Index: 7, PriorInterventions: 2, PriorSameTool: 1, SinceLastIntervention: 4,
	}
}

// word is a value for tables.
func word(v event.Value) string {
	level, ok := v.Level()
	switch {
	case !ok:
		return "missing"
	case v.Kind == event.Text:
		return fmt.Sprintf("%q", level)
	}
	return level
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// bare paths
		{`action.tool`, `"cancel_order"`},
		{` action?.tool `, `"cancel_order"`},
		{`(action["capability"])`, `"write"`},
		{`agent.name`, `"retail"`},
		{`agent.model`, `missing`}, // left out
		{`state.n`, `3`},
		{`state.on`, `true`},
		{`state["a text"]`, `"spaced"`},
		{`state.null`, `missing`},
		{`state.none`, `missing`},
		{`state.long`, `missing`}, // 17 bytes, and 16 are allowed
		{`scores.judge`, `0.72`},
		{`scores.none`, `missing`},
		{`index`, `7`},
		{`prior_interventions`, `2`},
		{`prior_same_tool`, `1`},
		{`since_last_intervention`, `4`},

		// numbers arrive as doubles and compare as numbers
		{`state.n == 1`, `false`},
		{`state.n == 3`, `true`},
		{`3 != state.n`, `false`},
		{`state.n >= 3`, `true`},
		{`state.n + 1`, `4`},
		{`state.x * 2 - state.n / 4`, `0.25`},
		{`state.n in [1, 2, 3]`, `true`},
		{`state.n not in [1, 2, 3]`, `false`},
		{`index in [1, 7]`, `true`},
		{`index == 7 && prior_same_tool < 2`, `true`},
		{`index % 2`, `1`},
		{`int(state.n) % 2`, `1`},
		{`2 ** 3`, `8`},
		{`-state.n`, `-3`},
		{`max(state.n, 1)`, `3`},
		{`round(scores.judge * 10)`, `7`},

		// texts
		{`action.tool == "cancel_order"`, `true`},
		{`state.text == "vip" ? "a" : "b"`, `"a"`},
		{`state.text in ["vip", "new"]`, `true`},
		{`action.tool contains "order"`, `true`},
		{`action.tool matches "^cancel_"`, `true`},
		{`split(action.tool, "_")[0]`, `"cancel"`},
		{`split(action.tool, "_")[5]`, `missing`},
		{`upper(state.text)`, `"VIP"`},
		{`state.text | upper()`, `"VIP"`},
		{`action.tool[0:6]`, `"cancel"`},
		{`"n=" + string(state.n)`, `"n=3"`},
		{`string(state.n * 1000000)`, `"3000000"`}, // as a group is named
		{`len(state.text)`, `3`},
		{`state.text + "0123456789abcd"`, `missing`}, // 17 bytes

		// true and false are themselves, and count as 1 and 0 beside numbers
		{`state.on`, `true`},
		{`state.on && !state.off`, `true`},
		{`state.on == true`, `true`},
		{`state.on == 1`, `true`},
		{`state.off + 1`, `1`},
		{`(state.n > 1) + (state.x > 1)`, `1`},
		{`(index > 1) == 1`, `true`},
		{`state.on > 0`, `true`},

		// an absent member makes the whole missing, wherever it stands
		{`state.none == "a"`, `missing`},
		{`state.none != "a"`, `missing`},
		{`state.none == nil`, `missing`},
		{`state.null == nil`, `missing`},
		{`state.n == nil`, `false`},
		{`state.none ?? 1`, `missing`},
		{`state?.none ?? 1`, `missing`},
		{`state.n ?? 1`, `3`},
		{`index > 0 || state.none`, `missing`},
		{`index > 0 ? 1 : state.none`, `missing`},
		{`state.none in ["a"]`, `missing`},
		{`agent.model == ""`, `missing`},

		// so does a wrong type, an error, or what is not finite
		{`state.n == "a"`, `missing`},
		{`state.text != 1`, `missing`},
		{`state.text == true`, `missing`},
		{`state.n in ["a", "b"]`, `missing`},
		{`state.n in [1, "a"]`, `false`},
		{`state.text < 1`, `missing`},
		{`state.n + "a"`, `missing`},
		{`state.n && true`, `missing`},
		{`true && state.n`, `missing`},
		{`!state.n`, `missing`},
		{`state.n ? 1 : 2`, `missing`},
		{`state.n contains "a"`, `missing`},
		{`state.n % 2`, `missing`},
		{`1 / (state.n - 3)`, `missing`},
		{`state.big * state.big`, `missing`},
		{`int(state.big)`, `missing`},
		{`index % (index - 7)`, `missing`},
		{`nil`, `missing`},
		{`index > 5 ? nil : 1`, `missing`},
	} {
		x, err := retail.compile(c.text, anyValue)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for range 2 { // the second time from the pool
			if got := word(x.Eval(point())); got != c.want {
				t.Errorf("%s = %s, want %s", c.text, got, c.want)
			}
		}
	}
}

// What a place wants decides what is missing.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		text string
		want kind
		out  string
	}{
		{`state.text`, aNumber, `missing`},
		{`state.on`, aNumber, `true`},
		{`state.on ? state.text : 1`, aNumber, `missing`},
		{`state.n`, aBool, `missing`},
		{`state.on`, aBool, `true`},
		{`state.on ? state.n : true`, aBool, `missing`},
		{`true`, aBool, `true`},
	} {
		x, err := retail.compile(c.text, c.want)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := word(x.Eval(point())); got != c.out {
			t.Errorf("%s as %s = %s, want %s", c.text, c.want, got, c.out)
		}
	}
}

func TestSinceLastInterventionBeforeTheFirst(t *testing.T) {
	p := point()
	p.SinceLastIntervention = 0
	for _, text := range []string{"since_last_intervention", "since_last_intervention + 1", "since_last_intervention == 0"} {
		x, err := retail.compile(text, anyValue)
		if err != nil || x.Eval(p).Kind != event.Missing {
			t.Errorf("%s = %v, %v; want missing", text, x.Eval(p), err)
		}
	}
}

func TestPerCall(t *testing.T) {
	for text, want := range map[string]bool{
		"action.tool": true, "action.capability": true, `index > 1 ? "a" : action.tool`: true,
		"state.n": false, "agent.name": false, "index": false, "prior_same_tool + 1": false, `"action.tool"`: false,
	} {
		if x, err := retail.compile(text, anyValue); err != nil || x.PerCall != want {
			t.Errorf("%s: per call %v, want %v (%v)", text, x.PerCall, want, err)
		}
	}
}

func TestRefusedExpressions(t *testing.T) {
	const names = "action, agent, state, scores, index, prior_interventions, prior_same_tool, since_last_intervention"
	for _, c := range []struct {
		text string
		want kind
		err  string
	}{
		{``, anyValue, `is empty; write an expression, such as action.tool`},
		{`action.tool ==`, anyValue, `at character 14: unexpected token EOF`},
		{`acton.tool`, anyValue, `unknown name "acton"; did you mean "action"?`},
		{`actio`, anyValue, `unknown name "actio"; did you mean "action"?`},
		{`action.tol`, anyValue, `unknown name "action.tol"; did you mean "tool"?`},
		{`agent.vendor`, anyValue, `unknown name "agent.vendor"; known here: model, name, version`},
		{`assignment.arm == "review"`, anyValue, `reads "assignment", which is known only after the draw; use what stood before it: ` + names},
		{`intervention.verdict`, anyValue, `reads "intervention", which is known only after the draw`},
		{`outcomes.success`, anyValue, `reads "outcomes", which is known only after the draw`},
		{`success > 0`, anyValue, `reads "success", which is known only after the draw`},
		{`trajectory_id`, anyValue, `unknown name "trajectory_id"; known here: ` + strings.Join(strings.Split("action, agent, index, prior_interventions, prior_same_tool, scores, since_last_intervention, state", ", "), ", ")},
		{`state`, anyValue, `reads state as a whole; name a member, state.NAME`},
		{`len(state)`, anyValue, `reads state as a whole`},
		{`"x" in state`, anyValue, `reads state as a whole`},
		{`state[action.tool]`, anyValue, `reads a computed member of state; name it, state.NAME`},
		{`$env["state"]`, anyValue, `unknown name "$env"`},
		{`state.x.y`, anyValue, `"y" is asked of a value, and values are numbers, texts, true or false and have no members`},
		{`state.x[0]`, anyValue, `takes one letter out of a member of state; write a slice, such as [0:1]`},
		{`now()`, anyValue, `now() reads the clock`},
		{`date("2026-01-01")`, anyValue, `unknown function "date"; known here: abs,`},
		{`uper(action.tool)`, anyValue, `unknown function "uper"; did you mean "upper"?`},
		{`action.tool.upper()`, anyValue, `calls a method`},
		{`upper`, anyValue, `upper is a function; call it, upper(...)`},
		{`repeat("a", 1000)`, anyValue, `unknown function "repeat"`},
		{`all([1], # > 0)`, anyValue, `unknown function "all"`},
		{`"a" in action.tool`, anyValue, `in needs a list on its right; write [a, b], or contains for a part of a text`},
		{`1..9`, anyValue, `ranges (..) are not available`},
		{`let a = 1; a`, anyValue, `let and ; are not available`},
		{`1; 2`, anyValue, `let and ; are not available`},
		{`{"a": 1}`, anyValue, `maps, predicates and bytes are not available`},
		{`action.tool matches state.p`, anyValue, `matches needs its pattern as a literal text`},
		{`action.tool matches "("`, anyValue, `error parsing regexp`},
		{`action.tool == 1`, anyValue, `at character 13: invalid operation: == (mismatched types string and int)`},
		{`action.tool > 1`, anyValue, `invalid operation: >`},
		{`lower(5) == state.x`, anyValue, `at character 7: cannot use int as argument`},
		{`string(lower(5)) == "x"`, anyValue, `cannot use int as argument`},
		{`(lower(5) == state.x) + 1`, anyValue, `cannot use int as argument`},
		{`string(1)`, aBool, `gives a text`},
		{`int(state.n)`, aBool, `gives a number`},
		{`split(action.tool, "_")`, anyValue, `gives a list; write an expression that gives a number, a text, true or false`},
		{`action.tool`, aNumber, `gives a text; write an expression that gives a number (true and false count as 1 and 0)`},
		{`lower(action.tool)`, aNumber, `gives a text`},
		{`index`, aBool, `gives an integer; write an expression that gives true or false`},
		{`state.n + index`, aBool, ``}, // known when a value arrives
		{`index + 1`, aBool, `gives a number`},
		{strings.Repeat("(", 5000), anyValue, `has 5000 bytes, and an expression may have 4096; shorten it`},
	} {
		_, err := retail.compile(c.text, c.want)
		switch {
		case c.err == "":
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.err):
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.err)
		}
	}
}

// One expression may be evaluated by the goroutines of many partitions.
func TestConcurrentEvaluation(t *testing.T) {
	x, err := retail.compile(`state.n + index`, aNumber)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			p := point()
			for i := range 500 {
				p.Index = g*1000 + i
				if got, _ := x.Eval(p).Float(); got != float64(3+p.Index) {
					t.Errorf("goroutine %d: %v, want %d", g, got, 3+p.Index)
					return
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkExpression(b *testing.B) {
	for _, text := range []string{"action.tool", "state.n", `state.n >= 1 ? "after a write" : "before"`,
		`state.text == "vip" && action.tool in ["cancel_order", "refund"]`, `state.none == "a"`} {
		b.Run(text, func(b *testing.B) {
			x, err := retail.compile(text, anyValue)
			if err != nil {
				b.Fatal(err)
			}
			p := point()
			b.ReportAllocs()
			for b.Loop() {
				x.Eval(p)
			}
		})
	}
}
