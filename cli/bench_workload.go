package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"blipd/config"
	"blipd/daemon"
	"blipd/event"
)

// The standard workload: what the figures of docs/performance.md are about.
const (
	workTools        = 200
	workCapabilities = 10   // each tool belongs to one
	workDecisions    = 8    // of a trajectory, then comes its outcome
	workLanes        = 5000 // trajectories under way at once
	workFeatures     = 12   // numbers in state
	workEvery        = 10 * time.Millisecond
	workTopic        = "blipd.events"
)

var workStages = [...]string{"plan", "search", "act", "check"}

// workBegin is the time of the first event.
var workBegin = event.TimeOf(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC))

// workload is a stream of events, the same at every call.
type workload struct {
	trajectories int
	lanes        int  // trajectories under way at once
	decisions    int  // of each trajectory
	outcome      bool // it ends with one; else it stays open
	features     int
}

// standard is the standard workload with at least n events.
func standard(n int64) workload {
	return workload{trajectories: int(n/(workDecisions+1)) + 1, lanes: workLanes, decisions: workDecisions, outcome: true, features: workFeatures}
}

// lane is a place in which one trajectory follows the other.
type lane struct {
	id   string // "" before the first
	step int    // events of the trajectory so far
}

// events are all events in the order of their times. Lanes take turns, and
// begin one after the other, so that trajectories close at any time.
func (w workload) events() iter.Seq[*event.Event] {
	length := w.decisions
	if w.outcome {
		length++
	}
	return func(yield func(*event.Event) bool) {
		rng := rand.New(rand.NewPCG(1, 2))
		lanes := make([]lane, min(w.lanes, w.trajectories))
		now, begun, ended := workBegin, 0, 0
		for turn := 0; ended < w.trajectories; turn++ {
			for i := range lanes {
				l := &lanes[i]
				if l.step == 0 && begun == w.trajectories || turn < i%length {
					continue
				}
				if l.step == 0 {
					l.id = fmt.Sprintf("run-%020d", begun)
					begun++
				}
				l.step++
				now = now.Add(workEvery)
				if !yield(w.event(rng, l, now)) {
					return
				}
				if l.step == length {
					l.step = 0
					ended++
				}
			}
		}
	}
}

func (w workload) event(rng *rand.Rand, l *lane, now event.Time) *event.Event {
	e := &event.Event{Type: event.TypeDecision, Trajectory: l.id, Time: now}
	if l.step > w.decisions {
		e.Type = event.TypeOutcome
		e.Outcome = &event.Outcome{Values: []event.Measured{{Name: "success", Value: float64(rng.IntN(2))}}}
		return e
	}
	tool := rng.IntN(workTools)
	d := &event.Decision{Index: l.step, Time: now,
		Calls: []event.Call{{Tool: fmt.Sprintf("tool_%03d", tool), Capability: fmt.Sprintf("capability_%d", tool%workCapabilities)}},
		State: make([]event.Member, 0, w.features+1),
	}
	for f := range w.features {
		d.State = append(d.State, event.Member{Name: featureName(f), Value: event.NumberOf(math.Round(rng.Float64()*1000) / 1000)})
	}
	stage := workStages[(l.step-1)*len(workStages)/w.decisions]
	d.State = append(d.State, event.Member{Name: "stage", Value: event.TextOf(stage)})
	percent := 20 + rng.IntN(61)
	d.Assignment = event.Assignment{Given: true, Arm: "direct", Probabilities: []event.Probability{
		{Arm: "direct", P: float64(100-percent) / 100}, {Arm: "review", P: float64(percent) / 100}}}
	if rng.IntN(100) < percent {
		d.Assignment.Arm = "review"
	}
	e.Decision = d
	return e
}

func featureName(f int) string { return fmt.Sprintf("f%02d", f) } // sorts before stage

// records are the first n events as keys and values of a log.
func (w workload) records(n int64) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for e := range w.events() {
			if n--; n < 0 || !yield([]byte(e.Trajectory), event.AppendJSON(nil, e)) {
				return
			}
		}
	}
}

// dimensions are the three along which the standard workload is reported.
var dimensions = []string{"action.tool", "action.capability", "state.stage"}

// settings is the configuration under which a job consumes the workload: what
// is not here has its default.
func (w workload) settings(j *job, dimensions ...string) []byte {
	partitions := make([]string, max(1, j.Partitions))
	for i := range partitions {
		partitions[i] = fmt.Sprint(i)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `kafka: {brokers: [%q], topic: %q, partitions: [%s]}
state: {dir: %q, sync_writes: %t}
web: {listen: "127.0.0.1:0"}
refit: {interval: %s}
experiments:
  - name: bench
    arms: {control: direct, interventions: [review]}
    outcomes: [{name: success, range: [0, 1]}]
    features:
`, cmp.Or(j.Broker, "localhost:9092"), cmp.Or(j.Topic, workTopic), strings.Join(partitions, ", "), cmp.Or(j.Dir, "unused"), j.Sync, cmp.Or(j.Every, 10*time.Second))
	for f := range w.features {
		fmt.Fprintf(&b, "      - {name: %s, expr: state.%[1]s, range: [0, 1]}\n", featureName(f))
	}
	b.WriteString("    groups:\n")
	for _, expression := range dimensions {
		fmt.Fprintf(&b, "      - {dimension: %s, expr: %s}\n", expression[strings.LastIndexByte(expression, '.')+1:], expression)
	}
	if j.Blip { // one column for each capability, and four moderators
		b.WriteString("    blip_model: {groups: capability, moderators: [f00, f01, f02, f03]}\n")
	}
	return b.Bytes()
}

// configuration is the settings as a daemon takes them.
func (w workload) configuration(j *job, dimensions ...string) (*daemon.Config, error) {
	return config.Parse("bench.yaml", w.settings(j, dimensions...), nil, nil)
}
