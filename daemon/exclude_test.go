package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/ingest/kafka"
)

// TestExcluded takes trajectories out of a running daemon, some of which are open:
// what is left is what a log without them gives, over Kafka and from a file.
func TestExcluded(t *testing.T) {
	w := newWorld(t, 3)
	log := events(400, 21)
	out := func(id string) bool { return id[len(id)-1] == '3' || id == "dgp-0000000" }
	var without, rest []kafka.Message
	for i, m := range log {
		if !out(string(m.Key)) {
			without = append(without, m)
		}
		if i >= len(log)/2 {
			rest = append(rest, m)
		}
	}
	cfg := w.changed(t.TempDir(), "group: g", learner, "")
	d := start(t, cfg)
	defer d.end()
	half := log[:len(log)/2]
	w.produce(half...)
	d.read(int64(len(half)))

	var ids []string
	var excludes []kafka.Message // as they stand in the log, once
	for _, m := range log {
		if id := string(m.Key); out(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
			excludes = append(excludes, kafka.Message{Key: m.Key, Value: fmt.Appendf(nil, `{"type":"exclude","trajectory_id":%q}`, id)})
		}
	}
	if err := daemon.Exclude(context.Background(), &cfg, ids, "test"); err != nil {
		t.Fatal(err)
	}
	d.read(int64(len(half) + 3*len(ids)))
	w.produce(rest...)
	d.read(int64(len(log) + 3*len(ids)))

	want := fromFile(t, &cfg, without)
	var got estimators.Report
	eventually(t, "a report without them", func() bool {
		status, body := d.get("/api/v1/effects?experiment=x")
		got = estimators.Report{}
		return status == http.StatusOK && json.Unmarshal([]byte(body), &got) == nil && got.Trajectories == want.Trajectories && got.Open == 0
	})
	sameEstimates(t, &got, want)
	file := fromFile(t, &cfg, append(append([]kafka.Message{}, log...), excludes...))
	sameEstimates(t, file, want)
	if file.Excluded != int64(len(ids)) || got.Rejected["excluded"] == 0 || got.Excluded == 0 {
		t.Errorf("%d excluded from a file, want %d; %d by the daemon, which refused %d events", file.Excluded, len(ids), got.Excluded, got.Rejected["excluded"])
	}
	if n := len(w.read("rejected")); n > 0 {
		t.Errorf("%d dead letters of what is excluded", n)
	}
}

// sameEstimates compares to 1e-9 standard errors.
func sameEstimates(t *testing.T, got, want *estimators.Report) {
	t.Helper()
	key := func(e *estimators.Estimate) string {
		return fmt.Sprint(e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group, e.Policy, e.Term)
	}
	of := map[string]*estimators.Estimate{}
	for i := range got.Estimates {
		of[key(&got.Estimates[i])] = &got.Estimates[i]
	}
	if len(of) != len(want.Estimates) || got.Trajectories != want.Trajectories || got.Decisions != want.Decisions {
		t.Fatalf("%d estimates over %d trajectories, %d decisions, want %d, %d, %d", len(of), got.Trajectories, got.Decisions, len(want.Estimates), want.Trajectories, want.Decisions)
	}
	for i := range want.Estimates {
		e := &want.Estimates[i]
		g := of[key(e)]
		if g == nil || g.Status != e.Status || e.Status == estimators.OK && math.Abs(g.Value-e.Value) > 1e-9*e.StdError || g.Trajectories != e.Trajectories {
			t.Errorf("%+v, want %+v", g, e)
		}
	}
}
