package event_test

import (
	"fmt"
	"slices"
	"strings"

	"blipd/event"
)

// faultCase is a record and the whole text of the fault that sets it aside. The
// schema is door unless another is given.
type faultCase struct {
	name   string
	in     message
	schema *event.Schema
	keyed  bool // of a topic with several partitions
	want   string
}

func faults() []faultCase {
	return slices.Concat(syntaxFaults, sizeFaults, typeEnvelopeFaults, trajectoryKeyFaults, experimentFaults, timeFaults, decisionFaults, shortFormFaults, interventionFaults, outcomeFaults, endFaults)
}

var syntaxFaults = []faultCase{
	{name: "syntax/empty", in: message{value: ``},
		want: `malformed: the value is empty; send one JSON object`},
	{name: "syntax/white space", in: message{value: `  `},
		want: `malformed: the value is empty; send one JSON object`},
	{name: "syntax/byte order mark alone", in: message{value: "\xef\xbb\xbf"},
		want: `malformed: the value is empty; send one JSON object`},
	{name: "syntax/not JSON", in: message{value: `type=decision`},
		want: `malformed: byte 1, at the top: invalid character 'y' in literal true (expecting 'r'); send one JSON object`},
	{name: "syntax/list", in: message{value: `[1,2]`},
		want: `malformed: the value is a list; send one JSON object a record`},
	{name: "syntax/text", in: message{value: `"decision"`},
		want: `malformed: the value is the text "decision"; send one JSON object a record`},
	{name: "syntax/cut off", in: message{value: `{"type":"decision"`},
		want: `malformed: byte 18, at the top: unexpected EOF; send one JSON object`},
	{name: "syntax/trailing bytes", in: message{value: `{"type":"end"} x`},
		want: `malformed: byte 14: something stands behind the object; send one JSON object a record`},
	{name: "syntax/two objects in one record", in: message{value: `{"type":"end"}{"type":"end"}`},
		want: `malformed: byte 14: something stands behind the object; send one JSON object a record`},
	{name: "syntax/offset counts the byte order mark", in: message{value: "\xef\xbb\xbf{\"a\":tru}"},
		want: `malformed: byte 11, a: invalid character '}' in literal true (expecting 'e'); send one JSON object`},
	{name: "syntax/NaN", in: message{value: `{"type":"decision","state":{"x":NaN}}`},
		want: `malformed: byte 32, state.x: invalid character 'N' at start of value; send one JSON object`},
	{name: "syntax/leading zero", in: message{value: `{"a":01}`},
		want: `malformed: byte 6, at the top: invalid character '1' after object value (expecting ',' or '}'); send one JSON object`},
	{name: "syntax/too deep", in: message{value: `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`},
		want: `malformed: byte 10004, a.0.0.0.0.0.0.0.…: exceeded max depth; send one JSON object`},
	{name: "syntax/invalid UTF-8", in: message{value: "{\"state\":{\"x\":\"\xff\"}}"},
		want: `invalid_utf8: byte 15, state.x: bytes that are no UTF-8, or half of a surrogate pair; send UTF-8`},
	{name: "syntax/invalid UTF-8 in a name", in: message{value: "{\"\xff\":1}"},
		want: `invalid_utf8: byte 2, at the top: bytes that are no UTF-8, or half of a surrogate pair; send UTF-8`},
	{name: "syntax/lone surrogate", in: message{value: `{"trajectory_id":"\ud800"}`},
		want: `invalid_utf8: byte 18, trajectory_id: bytes that are no UTF-8, or half of a surrogate pair; send UTF-8`},
	{name: "syntax/half a pair", in: message{value: `{"trajectory_id":"\ud800\u0041"}`},
		want: `invalid_utf8: byte 18, trajectory_id: bytes that are no UTF-8, or half of a surrogate pair; send UTF-8`},
	{name: "syntax/invalid byte between members", in: message{value: "{\"a\":1 \xff}"},
		want: `malformed: byte 7, at the top: invalid character '\xff' after object value (expecting ',' or '}'); send one JSON object`},
	{name: "syntax/name twice", in: message{value: `{"type":"decision","type":"outcome"}`},
		want: `duplicate_member: type stands twice in one object; send it once`},
	{name: "syntax/name twice, once escaped", in: message{value: `{"assignment":{"arm":"a","\u0061rm":"b"}}`},
		want: `duplicate_member: assignment.arm stands twice in one object; send it once`},
	{name: "syntax/name twice in a list", in: message{value: `{"action":{"calls":[{"tool":"a"},{"tool":"a","tool":"b"}]}}`},
		want: `duplicate_member: action.calls.1.tool stands twice in one object; send it once`},
	{name: "syntax/name twice under an unknown member", in: message{value: `{"x":{"a b":1,"a b":2}}`},
		want: `duplicate_member: x."a b" stands twice in one object; send it once`},
}

var sizeFaults = []faultCase{
	{name: "size/event too large", in: message{value: strings.Repeat(" ", 2000)}, schema: &event.Schema{Experiments: door.Experiments, Limits: event.Limits{Event: 1000}},
		want: `too_large: the value has 2000 bytes, and limits.event allows 1000; send less state`},
	{name: "size/id too long", in: message{value: `{"type":"end","trajectory_id":"` + strings.Repeat("é", 150) + `"}`},
		want: `too_large: trajectory_id is a text of 300 bytes ("éééééééééééééééééééé…"), and limits.text allows 256; send a shorter one`},
	{name: "size/text too long", in: message{value: decision(`,"state":{"note":"` + strings.Repeat("x", 257) + `"}`)},
		want: `too_large: state.note is a text of 257 bytes ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"), and limits.text allows 256; send a shorter one`},
	{name: "size/name too long", in: message{value: decision(`,"state":{"` + strings.Repeat("x", 257) + `":1}`)},
		want: `too_large: state.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is a name of 257 bytes, and limits.text allows 256; send a shorter one`},
	{name: "size/arm too long", in: message{value: decision(`,"assignment":{"arm":"` + strings.Repeat("x", 257) + `"}`)},
		want: `too_large: assignment.arm is a text of 257 bytes ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"), and limits.text allows 256; send a shorter one`},
	{name: "size/name of an arm too long", in: message{value: decision(`,"assignment":{"probabilities":{"` + strings.Repeat("x", 257) + `":1}}`)},
		want: `too_large: assignment.probabilities.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is a name of 257 bytes, and limits.text allows 256; send a shorter one`},
	{name: "size/name of an outcome too long", in: message{value: outcome(`,"outcomes":{"` + strings.Repeat("x", 257) + `":1}`)},
		want: `too_large: outcomes.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is a name of 257 bytes, and limits.text allows 256; send a shorter one`},
	{name: "size/time too long", in: message{value: `{"type":"end","trajectory_id":"c1","time":"` + strings.Repeat("1", 257) + `"}`},
		want: `too_large: time is a text of 257 bytes ("1111111111111111111111111111111111111111…"), and limits.text allows 256; send a shorter one`},
	{name: "size/state too large", in: message{value: decision(`,"state":{` + many(1001, func(i int) string { return fmt.Sprintf(`"s%d":1`, i) }) + `}`)},
		want: `too_many: state has more than 1000 members; send only those that features and groups use`},
	{name: "size/scores too many", in: message{value: decision(`,"scores":{` + many(1001, func(i int) string { return fmt.Sprintf(`"s%d":1`, i) }) + `}`)},
		want: `too_many: scores has more than 1000 members; send only those that features and groups use`},
	{name: "size/calls too many", in: message{value: `{"type":"decision","trajectory_id":"c1","index":1,"time":"2026-11-29T10:00:07Z","action":{"calls":[` + many(257, func(int) string { return `{"tool":"a"}` }) + `]}}`},
		want: `too_many: action.calls has 257 calls, and one draw decides at most 256; send the others with the draw that decides them`},
}
