package event_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blipd/event"
	"blipd/event/pack"
)

// agree holds that a reader answers as the decoder does: the same reason and
// text, or an event of the same bits. It gives the reader bytes of its own and
// spoils them afterwards: what the reader learnt must not lie over them.
func agree(t testing.TB, d *event.Decoder, r *event.Reader, rec event.Record) (accepted bool) {
	t.Helper()
	want, wantFault := d.Decode(rec)
	own := event.Record{Offset: rec.Offset, Key: bytes.Clone(rec.Key), Value: bytes.Clone(rec.Value)}
	for _, h := range rec.Headers {
		own.Headers = append(own.Headers, event.Header{Key: h.Key, Value: bytes.Clone(h.Value)})
	}
	got := event.Event{Type: 9, Trajectory: "before", Experiment: "before", Time: 1, Decision: &event.Decision{}, End: &event.End{}}
	fault := r.Read(own, &got)
	switch {
	case !reflect.DeepEqual(fault, wantFault):
		t.Fatalf("%q: fault %v, and the decoder says %v", rec.Value, fault, wantFault)
	case !reflect.DeepEqual(got, want):
		t.Fatalf("%q: read as %+v, and the decoder says %+v", rec.Value, got, want)
	case fault == nil && !bytes.Equal(packed(&got), packed(&want)): // -0 is another number there
		t.Fatalf("%q: read as %x, and the decoder says %x", rec.Value, packed(&got), packed(&want))
	case !reflect.DeepEqual(own, rec):
		t.Fatalf("%q: the record was written to", rec.Value)
	}
	spoilBytes(own.Key)
	spoilBytes(own.Value)
	for _, h := range own.Headers {
		spoilBytes(h.Value)
	}
	return fault == nil
}

func packed(e *event.Event) []byte {
	var w pack.Writer
	e.Pack(&w)
	return w.B
}

func spoilBytes(b []byte) {
	for i := range b {
		b[i] = '#'
	}
}

// agreeAgain reads a record as often as it takes to be learnt, and once more.
func agreeAgain(t testing.TB, d *event.Decoder, r *event.Reader, rec event.Record) {
	t.Helper()
	for range 4 {
		agree(t, d, r, rec)
	}
}

// TestReadTables reads every record of the tables, with a reader of its own and
// with one that has read all before it.
func TestReadTables(t *testing.T) {
	readers := map[event.Decoder]*event.Reader{}
	check := func(name string, in message, schema *event.Schema, keyed bool) {
		t.Run(name, func(t *testing.T) {
			if schema == nil {
				schema = door
			}
			d := event.Decoder{Schema: schema, Keyless: !keyed}
			agreeAgain(t, &d, event.NewReader(d), in.record())
			if readers[d] == nil {
				readers[d] = event.NewReader(d)
			}
			agree(t, &d, readers[d], in.record())
		})
	}
	for range 2 {
		for _, c := range accepted() {
			check(c.name, c.in, c.schema, c.keyed)
		}
		for _, c := range faults() {
			check(c.name, c.in, c.schema, c.keyed)
		}
		for _, c := range unusual {
			check(c, message{value: c}, several, false)
		}
	}
	d := event.Decoder{Schema: door}
	agree(t, &d, event.NewReader(d), event.Record{Key: []byte("c1")})
	agree(t, &d, event.NewReader(d), event.Record{Key: []byte{}, Value: []byte(decision(""))})
	agree(t, &d, event.NewReader(d), event.Record{Key: []byte{}, Value: []byte(`{"type":"intervention","trajectory_id":"","index":1}`)})
	agree(t, &d, event.NewReader(d), event.Record{Key: []byte{}, Value: []byte(`{"type":"intervention","index":1}`)})
}

// unusual are records that the pass must not take for granted.
var unusual = []string{
	`{`, `{}`, `{"`, `{"type":"end",`, `{"type":"end"`, `{"type":"end"}`, `{"type":`, `{"type":"end",}`, `{,"type":"end"}`, `{"type" "end"}`,
	end(`,"x":[]`), end(`,"x":[1,]`), end(`,"x":[,1]`), end(`,"x":[1 2]`), end(`,"x":{"a":1,}`), end(`,"x":{"a":1 "b":2}`), end(`,"x":[1}`),
	end(`,"x":-`), end(`,"x":-0`), end(`,"x":01`), end(`,"x":1.`), end(`,"x":.1`), end(`,"x":1e`), end(`,"x":1e+`), end(`,"x":1E-2`), end(`,"x":+1`),
	end(`,"x":1e999`), end(`,"x":0x1`), end(`,"x":1_0`), end(`,"x":Infinity`), end(`,"x":tru`), end(`,"x":truee`), end(`,"x":nul`), end(`,"x":null`),
	end(`,"x":"\n\/\\\"\u00e9\uABcd"`), end(`,"x":"\u12"`), end(`,"x":"\x"`), end(`,"x":"\ud83d\ude00"`), end(`,"x":"\udc00"`), end(`,"x":"\uD7ff\ue000"`),
	end(`,"x":"a` + "\n" + `"`), end(`,"x":"a` + "\x7f\u00a0日" + `"`), end(`,"x":"a` + "\xff" + `"`), end(`,"x":"日本語` + "\xe6\x97" + `"`), end(`,"x":"` + "\xc0\x80" + `"`),
	end(`,"日":1,"x":2,"日":3`), end(`,"x":1,"y":{"x":1,"X":1},"x":3`), end(`,"x":{"y":1,"z":{"y":1,"y":2}}`), end(`,"x":{"\u0079":1,"y":2}`), end(`,"\u0079":1,"y":2`),
	end(`,"Reason":"x"`), end(`,"rea\u0073on":"x"`), end(`,"reaſon":"x"`), end(`,"Kind":1`), end(`,"specversion":"1.0"`), end(`,"type":"end"`),
	end(`,"decisions":-0`), end(`,"decisions":1000000000`), end(`,"decisions":1000000001`), end(`,"decisions":0007`), end(`,"decisions":7.0`), end(`,"decisions":99999999999999999999`),
	end(`,"reason":"x"`) + " ", end(`,"reason":"x"`) + "\x00", end(`,"reason":"x"`) + "}", "\xef\xbb\xbf" + end(``), "\xef\xbb" + end(``), "\xef\xbb\xbf\xef\xbb\xbf" + end(``),
	decision(`,"experiment":"retail","state":{"a":1,"b":2,"a":3}`), decision(`,"experiment":"retail","state":{"a":null,"b":2,"a":3}`),
	decision(`,"experiment":"retail","state":{"a":null}`), decision(`,"experiment":"retail","state":{"b":null,"a":1,"c":null}`), decision(`,"experiment":"retail","state":{"":1}`),
	decision(`,"experiment":"retail","assignment":{"probabilities":{"direct":null}}`), decision(`,"experiment":"retail","assignment":{"probabilities":{"direct":"x"}}`),
	decision(`,"experiment":"retail","scores":{"a":true}`), decision(`,"experiment":"retail","scores":{"a":null,"b":-0.0}`), decision(`,"experiment":"nowhere"`),
	decision(`,"experiment":"triage","treatment":1,"probability":0.5`), decision(`,"experiment":"retail","treatment":1,"probability":0.5,"assignment":{}`),
	outcome(`,"outcomes":{"success":1,"reward":0}`), outcome(`,"outcomes":{"success":1,"success":1}`), outcome(`,"outcomes":{"success":null}`), outcome(`,"outcomes":{"solved":7},"experiment":"triage"`),
	intervention(`,"time":"x","Time":"x","TIME":{"a":[]},"action":{"tool":1}`), intervention(`,"cost":{"usd":-0.0}`), intervention(`,"cost":{"usd":1e-400}`), intervention(`,"index":1e0`), intervention(`,"index":0`), decision(`,"experiment":"retail","index":0,"decision_id":"d"`),
	`{"type":"decision","trajectory_id":"c1","index":0,"decision_id":"d","time":"2026-11-29T10:00:07Z","action":{"tool":"t"},"experiment":"retail"}`,
	`{"data":{"trajectory_id":"c1","Time":1},"type":"blipd.intervention.v1","specversion":"1.0"}`,
	`{"data":{"trajectory_id":"c1","index":1},"type":"blipd.intervention.v1","specversion":"1.0","time":5}`,
	`{"data":{"trajectory_id":"c1"},"time":"2026-11-29T10:00:07Z","type":"blipd.end.v1","specversion":"1.0","SOURCE":"x"}`,
	`{"data":{"trajectory_id":"c1"},"time":"2026-11-29T10:00:07Z","type":"blipd.end.v1","specversion":"1.0","DATA":"x"}`,
	`{"data":{"trajectory_id":"c1"},"time":"2026-11-29T10:00:07Z","type":"blipd.end.v1","specversion":"1.0","data":{}}`,
	`{"data":{"trajectory_id":"c1"},"time":"2026-11-29t10:00:07z","type":"blipd.end.v1","specversion":"1.0"}`,
	`{"data":{"trajectory_id":"c1"},"time":"","type":"blipd.end.v1","specversion":"1.0"}`,
	`{"data":{"trajectory_id":"c1"},"time":null,"type":"blipd.end.v1","specversion":"1.0"}`,
	`{"type":"blipd.end.v1","data":{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z"}}`,
	`{"type":"end","data":{"trajectory_id":"c1"},"specversion":"1.0"}`,
}

func end(members string) string {
	return `{"type":"end","trajectory_id":"c1","time":"2026-11-29T10:00:07Z"` + members + `}`
}

// TestReadHeaders reads records of all forms under all sets of a few headers.
func TestReadHeaders(t *testing.T) {
	d := event.Decoder{Schema: door, Keyless: true}
	r := event.NewReader(d)
	values := []string{contractDecision, `{"trajectory_id":"c1"}`, intervention(""), structured("blipd.end.v1", `,"time":"2026-11-29T10:00:07Z","data":{"trajectory_id":"c1"}`)}
	sets := [][]string{
		{"", "ce_specversion: 1.0", "CE_SpecVersion: 1.1", "ce_specversion: ", "ce_ſpecversion: 1.0", "ce_specversion: 1.0 "},
		{"", "ce_type: blipd.decision.v1", "Ce_Type: blipd.end.v1", "ce_type: blipd.intervention.v1", "ce_type: blipd.end.v2", "ce_type: end"},
		{"", "ce_time: 2026-11-29T10:00:07Z", "ce_time: 2026-11-29T10:00:07Z ", "ce_time: ", "ce_time: 2026-11-29t10:00:07z"},
		{"", "content-type: application/json", "Content-Type: application/vnd.x+json; charset=utf-8", "content-type: text/plain", "content-type: Application/CloudEvents+JSON", "content-type: "},
		{"", "ce_datacontenttype: application/json", "ce_datacontenttype: text/xml", "ce_type: blipd.end.v1", "traceparent: 1", "ce_id: 1"},
	}
	var try func(headers []string, sets [][]string)
	try = func(headers []string, sets [][]string) {
		if len(sets) > 0 {
			for _, h := range sets[0] {
				with := headers
				if h != "" {
					with = append(slices.Clone(headers), h)
				}
				try(with, sets[1:])
			}
			return
		}
		for _, value := range values {
			agree(t, &d, r, message{value: value, headers: headers}.record())
		}
	}
	try(nil, sets)
	for n := range 20 {
		many := []string{"ce_specversion: 1.0"}
		for i := range n {
			many = append(many, "ce_x"+strings.Repeat("y", i)+": 1")
		}
		agree(t, &d, r, message{value: full, headers: append(many, "ce_type: blipd.decision.v1")}.record())
		agree(t, &d, r, message{value: full, headers: append(many, "ce_x: 2", "ce_type: blipd.decision.v1")}.record())
	}
}

// TestReadLimits puts every length on both sides of a small limit.
func TestReadLimits(t *testing.T) {
	for n := range 30 {
		long := strings.Repeat("x", n)
		for _, limit := range []event.Limits{{Text: 8}, {Text: 12}, {Text: 19}, {Text: 20}, {Text: 21}, {Event: 110}, {Event: 120}} {
			d := event.Decoder{Schema: &event.Schema{Experiments: door.Experiments, Limits: limit}, Keyless: true}
			r := event.NewReader(d)
			for _, value := range []string{
				end(`,"reason":"` + long + `"`), end(`,"` + long + `":1`), decision(`,"state":{"` + long + `":1,"x":"` + long + `"}`),
				decision(`,"agent":{"name":"` + long + `"}`), structured("blipd.end.v1", `,"data":`+end(``)), structured("blipd.end.v1", `,"time":"2026-11-29T10:00:07Z","data":{"trajectory_id":"c1"}`),
				structured("blipd.intervention.v1", `,"datacontenttype":"application/`+long+`+json","data":`+intervention(``)),
			} {
				agreeAgain(t, &d, r, event.Record{Value: []byte(value)})
			}
		}
	}
	for _, n := range []int{63, 64, 65, 255, 256, 257, 999, 1000, 1001} {
		d := event.Decoder{Schema: door, Keyless: true}
		r := event.NewReader(d)
		for _, value := range []string{
			decision(`,"state":{` + many(n, stateMember) + `}`), decision(`,"state":{"gone":null,` + many(n, stateMember) + `}`),
			`{"type":"decision","trajectory_id":"c1","index":1,"time":"2026-11-29T10:00:07Z","action":{"calls":[` + many(n, func(int) string { return `{"tool":"a"}` }) + `]}}`,
			end(`,` + many(n, stateMember)), end(`,"x":` + strings.Repeat("[", n) + strings.Repeat("]", n)), end(`,"x":"` + strings.Repeat("é", n) + `"`),
		} {
			agreeAgain(t, &d, r, event.Record{Value: []byte(value)})
		}
	}
}

// TestReadSpaced puts white space of all kinds between all tokens.
func TestReadSpaced(t *testing.T) {
	d := event.Decoder{Schema: door, Keyless: true}
	r := event.NewReader(d)
	for _, space := range []string{" ", "  ", "\n", "\t", "\r\n", " \r\n\t ", "\v", "\u00a0", "\x00"} {
		for _, token := range []string{",", ":", "{", "}", `":`, `"`} {
			for _, value := range []string{full, outcome(`,"outcomes":{"success":1,"minutes":2}`)} {
				agreeAgain(t, &d, r, event.Record{Value: []byte(strings.ReplaceAll(value, token, token+space))})
				agreeAgain(t, &d, r, event.Record{Value: []byte(strings.ReplaceAll(value, token, space+token))})
			}
		}
	}
}

// TestReadOrders reads events whose members come in any order, at every depth.
func TestReadOrders(t *testing.T) {
	d := event.Decoder{Schema: door, Keyless: true}
	r := event.NewReader(d)
	random := rand.New(rand.NewPCG(3, 4))
	docs := []string{contractDecision, wideDecision, structured("blipd.decision.v1", `,"time":"2026-11-29T10:00:07Z","data":`+contractDecision),
		outcome(`,"outcomes":{"success":1,"minutes":2},"source":{"kind":"k","name":"n","version":"v"}`),
		intervention(`,"reviewer":{"kind":"k","name":"n","version":"v"},"cost":{"seconds":1,"usd":2,"tokens":3},"x":1,"y":{"z":1}`)}
	for range 400 {
		for _, doc := range docs {
			doc = reordered(doc, random)
			if !agree(t, &d, r, event.Record{Value: []byte(doc)}) {
				t.Fatalf("refused %s", doc)
			}
		}
	}
	if r.Given() != 0 {
		t.Errorf("%d were given to the decoder", r.Given())
	}
}
