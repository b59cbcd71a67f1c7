package daemon_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blipd/event"
	"blipd/ingest/kafka"
)

// TestSoak runs a daemon in a process of its own through a hundred times the
// trajectories that are under way at once, with some that never end, revisions, records
// to set aside and a page that is looked at. What it takes must not grow with what it
// has ever seen. (What state takes of the disk is soaked in state, with more.)
//
// From the third tenth of the way to the last, what is the most in
// each grows by no more than a quarter and, beside that, memory by the four memtables
// and the buffers as large that Badger comes to have at some time, 320 MB, goroutines by
// 8, files by 16 and series by 5. What leaks a kilobyte a record is over that.
func TestSoak(t *testing.T) {
	if os.Getenv("BLIPD_HEAVY") == "" {
		t.Skip("BLIPD_HEAVY is not set")
	}
	t.Setenv("KEEP", "30m")
	t.Setenv("WINDOW", "20m")
	t.Setenv("LEARNER_EVERY", "2000")
	const live, turns = 600, 100
	w := newWorld(t, 3)
	root := t.TempDir()
	d := &disk{t, root} // large enough
	child := d.child(w)
	eventually(t, "started", func() bool { return d.get("/-/healthy") != "" })

	names := []string{"process_resident_memory_bytes", "go_goroutines", "process_open_fds", "series"}
	more := []float64{320 << 20, 8, 16, 5}
	tenths := make([][4]float64, 10)
	rng := rand.New(rand.NewPCG(1, 2))
	sent, now := 0, time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	for turn := range turns {
		var part []kafka.Message
		for step := range 7 {
			for lane := range live {
				now = now.Add(100 * time.Millisecond) // a turn is 7 minutes
				e, kept := soakEvent(rng, fmt.Sprint("soak-", turn, "-", lane), step+1, now)
				if !kept {
					continue
				}
				message := kafka.Message{Key: []byte(e.Trajectory), Value: event.AppendJSON(nil, &e)}
				if part = append(part, message); lane%97 == 0 {
					part = append(part, message, kafka.Message{Key: message.Key, Value: []byte("no event")})
				}
			}
		}
		w.produce(part...)
		sent += len(part)
		eventually(t, fmt.Sprint(sent, " records read"), func() bool { return d.read() == float64(sent) })
		if d.get("/") == "" {
			t.Fatal("the page does not answer")
		}
		u := [4]float64{d.metric(names[0]), d.metric(names[1]), d.metric(names[2]), d.series()}
		for i := range u {
			tenths[turn*10/turns][i] = max(tenths[turn*10/turns][i], u[i])
		}
	}
	for i, name := range names {
		all := fmt.Sprintf("%s by tenths:", name)
		for _, u := range tenths {
			all += fmt.Sprintf(" %.0f", u[i])
		}
		t.Log(all)
		if early, late := tenths[2][i], tenths[9][i]; early <= 0 || late > early*5/4+more[i] {
			t.Errorf("%s: %.0f in the last tenth, %.0f in the third", name, late, early)
		}
	}
	if open := d.metric("blipd_trajectories_open"); open > 6*live {
		t.Errorf("%v trajectories are open", open)
	}
	child.terminate(t)
	size := int64(0)
	files, err := filepath.Glob(filepath.Join(root, "state", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	t.Logf("%d records, %d MB on the disk in the end", sent, size>>20)
}

// soakEvent is what a trajectory sends in its step from 1 to 7: decisions, then an
// outcome, which some never have; and some are revised.
func soakEvent(rng *rand.Rand, id string, step int, now time.Time) (e event.Event, kept bool) {
	when := event.TimeOf(now)
	if step >= 6 {
		value := rng.NormFloat64()
		kept = step == 6 && rng.IntN(20) > 0 || step == 7 && rng.IntN(10) == 0
		return event.Event{Type: event.TypeOutcome, Trajectory: id, Time: when, Outcome: &event.Outcome{Values: []event.Measured{{Name: "score", Value: value}}, Revision: step - 6}}, kept
	}
	return event.Event{Type: event.TypeDecision, Trajectory: id, Time: when, Decision: &event.Decision{
		Index: step, Time: when, Calls: []event.Call{{Tool: fmt.Sprint("tool_", rng.IntN(20))}},
		State: []event.Member{{Name: "s", Value: event.NumberOf(rng.Float64())}},
		Assignment: event.Assignment{Given: true, Arm: []string{"direct", "review"}[rng.IntN(2)],
			Probabilities: []event.Probability{{Arm: "direct", P: 0.5}, {Arm: "review", P: 0.5}}},
	}}, true
}

// series is the number of series at a scrape.
func (d *disk) series() float64 {
	n := 0
	for line := range strings.Lines(d.get("/metrics")) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return float64(n)
}
