package event_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"blipd/event"
)

// place is one member within a document: where its name begins, where its value
// begins and ends, and the path to it.
type place struct {
	path              string
	name, value, stop int
}

// places finds every member of a document, at any depth.
func places(doc string, offset int, path string) []place {
	dec := jsontext.NewDecoder(bytes.NewBufferString(doc))
	next := func() jsontext.Value {
		v, err := dec.ReadValue()
		if err != nil {
			panic(err)
		}
		return slices.Clone(v)
	}
	if _, err := dec.ReadToken(); err != nil {
		panic(err)
	}
	var all []place
	for i := 0; dec.PeekKind() != '}' && dec.PeekKind() != ']'; i++ {
		inner := fmt.Sprint(path, i, ".")
		if doc[0] == '{' {
			name := next()
			inner = path + strings.Trim(string(name), `"`) + "."
			all = append(all, place{path: strings.TrimSuffix(inner, "."), name: offset + int(dec.InputOffset()) - len(name)})
		}
		v := next()
		stop := offset + int(dec.InputOffset())
		if doc[0] == '{' {
			all[len(all)-1].value, all[len(all)-1].stop = stop-len(v), stop
		}
		if v.Kind() == '{' || v.Kind() == '[' {
			all = append(all, places(string(v), stop-len(v), inner)...)
		}
	}
	return all
}

// TestEveryMember takes documents that hold every known member and spoils one
// member at a time: null, a name in capitals, the same member twice.
func TestEveryMember(t *testing.T) {
	for _, members := range []string{
		`{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z","index":7,"decision_id":"d","experiment":"retail",` +
			`"agent":{"name":"n","version":"v","model":"m"},"action":{"tool":"t","capability":"c"},"state":{"s":1},"eligible":true,` +
			`"assignment":{"arm":"review","probabilities":{"direct":0.5,"review":0.5},"policy":"p","draw":0.5,"forced":false,"holdback":false},"scores":{"j":1}}`,
		`{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z","index":7,"action":{"calls":[{"tool":"t","capability":"c"}]},` +
			`"experiment":"retail","treatment":1,"probability":0.5}`,
		`{"trajectory_id":"c1","decision_id":"d","index":7,"delivered":true,"verdict":"none",` +
			`"reviewer":{"kind":"k","name":"n","version":"v"},"cost":{"seconds":1,"usd":1,"tokens":1}}`,
		`{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z","experiment":"retail","outcomes":{"success":1},"revision":0,"final":true,` +
			`"source":{"kind":"k","name":"n","version":"v"}}`,
		`{"trajectory_id":"c1","time":"2026-11-29T10:00:07Z","experiment":"retail","decisions":1,"reason":"r"}`,
	} {
		typ := "end"
		for word, name := range map[string]string{"action": "decision", "verdict": "intervention", "outcomes": "outcome"} {
			if strings.Contains(members, word) {
				typ = name
			}
		}
		bare := `{"type":"` + typ + `",` + members[1:]
		wrapped := structured("blipd."+typ+".v1", `,"data":`+members)
		spoil(t, bare, "")
		spoil(t, wrapped, "data.")
	}
}

func spoil(t *testing.T, doc, prefix string) {
	d := event.Decoder{Schema: several, Keyless: true}
	decode := func(doc string) event.Reason {
		_, fault := d.Decode(event.Record{Value: []byte(doc)})
		if fault == nil {
			return 0
		}
		return fault.Reason
	}
	if r := decode(doc); r != 0 {
		t.Fatalf("%s: %v", doc, r)
	}
	for _, p := range places(doc, 0, "") {
		path := strings.TrimPrefix(p.path, prefix)
		in, _, _ := strings.Cut(path, ".")
		free := in != path && slices.Contains([]string{"state", "scores"}, in)
		arm := strings.HasPrefix(path, "assignment.probabilities.")
		ignored := slices.Contains([]string{"id", "source"}, p.path) && prefix != ""

		null, caps := event.WrongType, event.MisspeltMember
		switch {
		case free || ignored:
			null, caps = 0, 0
		case arm:
			caps = 0
		case strings.HasPrefix(path, "outcomes."):
			caps = event.UnknownOutcome
		}
		if p.path == "specversion" {
			null = event.BadEnvelope
		}
		for _, spoilt := range []struct {
			doc  string
			want event.Reason
		}{
			{doc[:p.value] + "null" + doc[p.stop:], null},
			{doc[:p.name] + strings.ToUpper(doc[p.name:p.value]) + doc[p.value:], caps},
			{doc[:p.stop] + "," + doc[p.name:p.stop] + doc[p.stop:], event.DuplicateMember},
		} {
			if got := decode(spoilt.doc); got != spoilt.want {
				t.Errorf("%s: %v, want %v", spoilt.doc, got, spoilt.want)
			}
		}
	}
}
