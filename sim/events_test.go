package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"runtime"
	"testing"

	"blipd/event"
)

// log is what `blipd simulate` writes.
func log(s Scenario, n int, seed uint64) []byte {
	var out []byte
	for e := range s.Events(n, seed) {
		out = append(event.AppendJSON(out, &e), '\n')
	}
	return out
}

// TestSameBytes pins the logs: they may never change, on no machine.
func TestSameBytes(t *testing.T) {
	for name, want := range map[string]string{
		"dgp":          "3a077ae198c94eb53ac0d2020c42c770197a5b8a0a3da622e9f42f6badae3cbe",
		"misspecified": "c9e362720aa8775a5d7bf91a9a82ed8f6d53ffe975da15ed49390422b2d21bf0",
		"null":         "650896abe317e4c1c544d2669ed61b0f83db6c740c6d2ffb6d3a040fe94e2c35",
	} {
		sum := sha256.Sum256(log(mustLookup(t, name), 2000, 7))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: SHA-256 is %s, want %s", name, got, want)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	s := mustLookup(t, "dgp")
	if string(log(s, 10, 1)) == string(log(s, 10, 2)) {
		t.Error("seeds 1 and 2 give the same log")
	}
}

// TestFirstLines shows what the events look like.
func TestFirstLines(t *testing.T) {
	want := `{"type":"decision","trajectory_id":"misspecified-0000000","decision_id":"d0-1","index":1,"time":"2026-11-01T00:00:01.247Z","agent":{"name":"sim","version":"1"},"action":{"tool":"lookup_order","capability":"read"},"state":{"r":0,"s":1.669692},"assignment":{"arm":"review","probabilities":{"direct":0.5,"review":0.5}}}
{"type":"decision","trajectory_id":"misspecified-0000000","decision_id":"d0-2","index":2,"time":"2026-11-01T00:00:04.213Z","agent":{"name":"sim","version":"1"},"action":{"tool":"lookup_order","capability":"read"},"state":{"r":1,"s":-0.187756},"assignment":{"arm":"direct","probabilities":{"direct":0.5,"review":0.5}}}
{"type":"outcome","trajectory_id":"misspecified-0000000","time":"2026-11-01T00:01:23.307Z","outcomes":{"success":0}}
`
	if got := string(log(mustLookup(t, "misspecified"), 1, 1)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// schemaOf is the configuration that a scenario's log is made for.
func schemaOf(outcomes ...event.OutcomeRule) *event.Schema {
	return &event.Schema{Experiments: []event.Experiment{{
		Name: "e", Control: directArm, Interventions: []string{reviewArm}, MinProbability: 1e-4, Outcomes: outcomes,
	}}}
}

func TestEventsAreAccepted(t *testing.T) {
	for _, name := range Scenarios() {
		s := mustLookup(t, name)
		rule := event.OutcomeRule{Name: "score", Low: -4, Up: 6, Ranged: true, Required: true}
		if s.binary {
			rule = event.OutcomeRule{Name: "success", Low: 0, Up: 1, Ranged: true, Required: true}
		}
		d := event.Decoder{Schema: schemaOf(rule), Keyless: true}
		for e := range s.Events(2000, 3) {
			value := event.AppendJSON(nil, &e)
			got, fault := d.Decode(event.Record{Key: []byte(e.Trajectory), Value: value})
			if fault != nil {
				t.Fatalf("%s: %v in %s", name, fault, value)
			}
			if !reflect.DeepEqual(got, e) {
				t.Fatalf("%s: %s is read back as %+v", name, value, got)
			}
			if e.Type == event.TypeDecision {
				checkRandomized(t, &d.Schema.Experiments[0], e.Decision)
			}
		}
	}
}

// checkRandomized holds a decision to be a row whose probabilities sum to 1.
func checkRandomized(t *testing.T, exp *event.Experiment, d *event.Decision) {
	t.Helper()
	if why := exp.Randomized(d); why != event.Randomized {
		t.Fatalf("%s is not randomized: %v", d.ID, why)
	}
	p := d.Assignment.Probabilities
	if p[0].Arm != directArm || p[1].Arm != reviewArm || p[0].P+p[1].P != 1 {
		t.Fatalf("%s has probabilities %v, want those of direct and review with sum 1", d.ID, p)
	}
}

func TestEventsAreInOrder(t *testing.T) {
	const n = 3000
	last, most, finished := beginning, 0, 0
	open := map[string]int{} // decisions so far
	switches := 0
	before := ""
	for e := range mustLookup(t, "dgp").Events(n, 4) {
		if e.Time < last {
			t.Fatalf("%s at %v comes after %v", e.Trajectory, e.Time, last)
		}
		last = e.Time
		if e.Trajectory != before {
			switches++
		}
		before = e.Trajectory
		if e.Type == event.TypeDecision {
			open[e.Trajectory]++
			if e.Decision.Index != open[e.Trajectory] {
				t.Fatalf("decision %d of %s comes as number %d", e.Decision.Index, e.Trajectory, open[e.Trajectory])
			}
			most = max(most, len(open))
			continue
		}
		if open[e.Trajectory] == 0 {
			t.Fatalf("outcome of %s, which has no decision", e.Trajectory)
		}
		delete(open, e.Trajectory)
		finished++
	}
	t.Logf("at most %d in flight, %d switches between trajectories", most, switches)
	if finished != n || len(open) != 0 {
		t.Errorf("%d trajectories have an outcome and %d are open, want %d and 0", finished, len(open), n)
	}
	if most < 5 || most > 60 {
		t.Errorf("at most %d trajectories in flight, want several and not many", most)
	}
	if switches < 3*n {
		t.Errorf("%d switches between %d trajectories, want them to interleave", switches, n)
	}
}

// TestTrajectories holds that they are what the events add up to.
func TestTrajectories(t *testing.T) {
	s := mustLookup(t, "dgp")
	byID := map[string]*event.Trajectory{}
	for e := range s.Events(500, 5) {
		got := byID[e.Trajectory]
		if got == nil {
			got = &event.Trajectory{ID: e.Trajectory, First: e.Time}
			byID[e.Trajectory] = got
		}
		got.Last = e.Time
		if e.Type == event.TypeDecision {
			got.Decisions = append(got.Decisions, *e.Decision)
			continue
		}
		for _, v := range e.Outcome.Values {
			got.Hold(event.Held{Name: v.Name, Final: event.Valued{Given: true, Value: v.Value}})
		}
	}
	n := 0
	for want := range s.Trajectories(500, 5) {
		n++
		if !reflect.DeepEqual(byID[want.ID], want) {
			t.Fatalf("events of %s add up to\n%+v, want\n%+v", want.ID, byID[want.ID], want)
		}
	}
	if n != len(byID) || n != 500 {
		t.Errorf("%d trajectories, %d in the events, want 500", n, len(byID))
	}
}

// TestMemory holds that a long log needs no more than a short one.
func TestMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early, late uint64
	outcomes := 0
	for e := range mustLookup(t, "dgp").Events(60_000, 6) {
		if e.Type != event.TypeOutcome {
			continue
		}
		switch outcomes++; outcomes {
		case 1000:
			early = heap()
		case 59_000:
			late = heap()
		}
	}
	t.Logf("%d bytes after 1,000 trajectories, %d after 59,000", early, late)
	if late > early+1<<20 {
		t.Errorf("memory grows from %d to %d bytes", early, late)
	}
}

func TestEventsStop(t *testing.T) {
	s := mustLookup(t, "dgp")
	for stop := range 30 { // anywhere, also while the last trajectories drain
		n := 0
		for range s.Events(3, 1) {
			if n++; n > stop {
				break
			}
		}
	}
	for range s.Events(0, 1) {
		t.Error("an event of no trajectory")
	}
}

func BenchmarkEvents(b *testing.B) {
	b.ReportAllocs()
	var out []byte
	for e := range mustLookup(b, "dgp").Events(b.N, 1) {
		out = event.AppendJSON(out[:0], &e)
	}
}
