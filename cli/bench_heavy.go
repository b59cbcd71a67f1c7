package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"blipd/estimators"
	"blipd/event"
)

const (
	refitFeatures = 15     // and an intercept: 16 columns
	refitDistinct = 10_000 // trajectories that are made; more are the same again
	refitFewer    = 100    // how many times fewer trajectories the other sums have
	refitRepeats  = 51
)

// benchRefit measures a refit of 200 groups: a copy of the sums and all
// estimates from it. What it takes must not depend on how much is in the sums;
// so it takes turns between few trajectories and many.
func benchRefit(_ context.Context, p *process, j *job) error {
	w := standard(0)
	w.trajectories, w.features = min(j.Trajectories, refitDistinct), refitFeatures
	cfg, err := w.configuration(j, "action.tool")
	if err != nil {
		return err
	}
	spec := &cfg.Experiments[0].Spec
	few, many := estimators.New(spec), estimators.New(spec)
	all := assembled(w)
	for i := range j.Trajectories {
		many.Add(all[i%len(all)])
		if i < j.Trajectories/refitFewer {
			few.Add(all[i%len(all)])
		}
	}
	all = nil // the collector has only the sums to look at
	var seconds [2][]float64
	for range refitRepeats {
		for i, sums := range []*estimators.Moments{few, many} {
			runtime.GC() // what the one has left behind is no cost of the other
			begin := time.Now()
			c := estimators.New(spec)
			c.Merge(sums)
			report := c.Report()
			seconds[i] = append(seconds[i], time.Since(begin).Seconds())
			for _, e := range report.Estimates {
				if e.Status != estimators.OK {
					return fmt.Errorf("no estimate for %s %s: %s %s", e.Dimension, e.Group, e.Status, e.Reason)
				}
			}
		}
	}
	return p.answer(&result{Events: int64(j.Trajectories), Seconds: []float64{median(seconds[0]), median(seconds[1])}})
}

// assembled are the trajectories that the events of a workload add up to.
func assembled(w workload) []*event.Trajectory {
	open := map[string]*event.Trajectory{}
	var all []*event.Trajectory
	for e := range w.events() {
		t := open[e.Trajectory]
		if t == nil {
			t = &event.Trajectory{ID: e.Trajectory, First: e.Time}
			open[e.Trajectory] = t
		}
		t.Last = e.Time
		if e.Type == event.TypeDecision {
			t.Decisions = append(t.Decisions, *e.Decision)
			continue
		}
		for _, o := range e.Outcome.Values {
			t.Hold(event.Held{Name: o.Name, Final: event.Valued{Given: true, Value: o.Value}})
		}
		delete(open, e.Trajectory)
		all = append(all, t)
	}
	return all
}

// benchEstimate runs the command estimate over a file of the standard workload.
// Making the file is not part of the span, and is done in another process: see
// writeEvents.
func benchEstimate(_ context.Context, p *process, j *job) error {
	settings := filepath.Join(j.Dir, "bench.yaml")
	if err := os.WriteFile(settings, standard(j.Events).settings(j, dimensions...), 0o600); err != nil {
		return err
	}
	var out, words strings.Builder
	begin := costNow()
	code := Run([]string{"estimate", "--config.file", settings, "--output", "csv", eventsFile(j.Dir)}, strings.NewReader(""), &out, &words)
	r := &result{Events: j.Events, Cost: costNow().since(begin)}
	r.Resident, r.Peak = resident()
	if code != exitOK || words.Len() > 0 {
		return fmt.Errorf("estimate ended with %d: %s", code, &words)
	}
	return p.answer(r)
}

func eventsFile(dir string) string { return filepath.Join(dir, "events.jsonl") }

// writeEvents writes a workload to a file and tells how many events it has.
func writeEvents(path string, w workload) (events int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for e := range w.events() {
		line = append(event.AppendJSON(line[:0], e), '\n')
		if _, err := out.Write(line); err != nil {
			return 0, fmt.Errorf("bench: %w", err)
		}
		events++
	}
	return events, out.Flush()
}
