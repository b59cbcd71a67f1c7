package event_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"blipd/event"
	"blipd/sim"
)

// logs is a schema that takes the logs of the reference cases and of sim.
var logs = func() *event.Schema {
	s := &event.Schema{}
	for _, name := range []string{"sim-clean", "sim-edge", "sim-messy", "tau-clustered", "tau-small", "tau2-three-arm", "tau2-two-arm"} {
		s.Experiments = append(s.Experiments, event.Experiment{Name: name, Control: "direct", Interventions: []string{"review"},
			Outcomes: []event.OutcomeRule{{Name: "score", Low: -4, Up: 6, Ranged: true}, {Name: "success", Low: 0, Up: 1, Ranged: true}}})
	}
	return s
}()

// logged are the outcomes that the scenarios and the fleet of sim send.
var logged = &event.Schema{Experiments: []event.Experiment{{Name: "e", Control: "direct", Interventions: []string{"review"},
	Outcomes: []event.OutcomeRule{{Name: "success", Low: 0, Up: 1, Ranged: true}, {Name: "violation", Low: 0, Up: 1, Ranged: true}, {Name: "score", Low: -4, Up: 6, Ranged: true}}}}}

// TestReadReferences reads the logs of the reference cases. All that the decoder
// accepts must have gone the fast way.
func TestReadReferences(t *testing.T) {
	paths, err := filepath.Glob("../daemon/testdata/reference/*/events.jsonl.gz")
	if err != nil || len(paths) != len(logs.Experiments) {
		t.Fatalf("%v: %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			z, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			d := event.Decoder{Schema: logs, Keyless: true}
			r := event.NewReader(d)
			lines, refused := 0, 0
			for in := bufio.NewScanner(z); in.Scan(); lines++ {
				if !agree(t, &d, r, event.Record{Value: bytes.Clone(in.Bytes())}) {
					refused++
				}
			}
			if lines == 0 || r.Given() != refused {
				t.Errorf("%d of %d lines were given to the decoder, and %d are faults", r.Given(), lines, refused)
			}
		})
	}
}

// TestReadSimulated reads what the scenarios write.
func TestReadSimulated(t *testing.T) {
	for _, name := range sim.Scenarios() {
		s, err := sim.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		d := event.Decoder{Schema: logged}
		r := event.NewReader(d)
		for e := range s.Events(300, 5) {
			if !agree(t, &d, r, event.Record{Key: []byte(e.Trajectory), Value: event.AppendJSON(nil, &e)}) {
				t.Fatalf("%s: refused %+v", name, e)
			}
		}
		if r.Given() != 0 {
			t.Errorf("%s: %d were given to the decoder", name, r.Given())
		}
	}
}

// TestReadFleet reads the fleet's log, in which some records are broken.
func TestReadFleet(t *testing.T) {
	d := event.Decoder{Schema: logged}
	r := event.NewReader(d)
	f := sim.NewFleet(6, ten)
	refused := 0
	for range 20_000 {
		key, value := f.NextRecord()
		if !agree(t, &d, r, event.Record{Key: key, Value: value}) {
			refused++
		}
	}
	if refused == 0 || r.Given() != refused {
		t.Errorf("%d were given to the decoder, and %d are faults", r.Given(), refused)
	}
}
