package daemon_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
)

// TestPolicyAdded gives a daemon another policy between two runs: the epoch goes on
// and every other number stays what it was, to the last bit; the new policy has the
// gain that it has where it was there from the beginning, as everything is kept.
// Then it is taken away again, and the first one too.
func TestPolicyAdded(t *testing.T) {
	const founding = "policies: [{name: high, intervene: state.s >= 0.5}]"
	w := newWorld(t, 2)
	var log, more []kafka.Message
	for _, m := range events(700, 11) {
		if string(m.Key) < "dgp-0000400" {
			log = append(log, m)
		} else {
			more = append(more, m)
		}
	}
	w.produce(log...)
	dir := t.TempDir()
	with := func(policies string) daemon.Config {
		return w.changed(dir, "group: g", founding, policies, learner, "")
	}
	const two = "policies: [{name: tool, intervene: 'action.tool == \"refund\"', probability: 0.5}, {name: high, intervene: state.s >= 0.5}]"
	run := func(cfg daemon.Config, trajectories int) *estimators.Report {
		d := start(t, cfg)
		defer d.end()
		d.read(int64(len(log)))
		var r estimators.Report
		eventually(t, "a report of it all", func() bool {
			status, body := d.get("/api/v1/effects?experiment=x")
			r = estimators.Report{}
			return status == http.StatusOK && json.Unmarshal([]byte(body), &r) == nil && r.Trajectories >= int64(trajectories)
		})
		return &r
	}
	first := run(with(founding), 400)
	second := run(with(two), 400)
	both := with(two)
	whole := fromFile(t, &both, log)
	if a, b := withoutGain(t, first), withoutGain(t, second, "tool"); a != b {
		t.Errorf("other numbers have changed:\n%s\nwere\n%s", b, a)
	}
	got, want := gain(t, second, "tool"), gain(t, whole, "tool")
	if got.Status != estimators.OK || got.Trajectories != 400 || got.Epoch != 1 {
		t.Errorf("gain of the new policy: %+v", got)
	}
	if d := (got.Value - want.Value) / want.StdError; d*d > 1e-18 || got.Trajectories != want.Trajectories {
		t.Errorf("gain %+v, from a file %+v", got, want)
	}

	if second.Since != whole.Since || second.Since == event.NoTime {
		t.Errorf("counts from %s, want %s", second.Since, whole.Since)
	}
	w.produce(more...)
	log = append(log, more...)
	third := run(with(two), 700)
	if got := gain(t, third, "tool"); got.Trajectories != 700 || got.Epoch != 1 {
		t.Errorf("gain with 300 more trajectories: %+v", got)
	}
	none := run(with("policies: []"), 700)
	if a, b := withoutGain(t, third, "tool", "high"), withoutGain(t, none); a != b {
		t.Errorf("without policies:\n%s\nwere\n%s", b, a)
	}
}

type gainOf struct {
	estimators.Estimate
	Epoch int
}

func gain(t *testing.T, r *estimators.Report, policy string) gainOf {
	t.Helper()
	for _, e := range r.Estimates {
		if e.Estimand == estimators.PolicyGain && e.Policy == policy {
			return gainOf{e, r.Epoch}
		}
	}
	t.Fatalf("no gain of %q", policy)
	return gainOf{}
}

// withoutGain is a report without what it says of some policies.
func withoutGain(t *testing.T, r *estimators.Report, policies ...string) string {
	t.Helper()
	left := *r
	left.Estimates, left.Support = nil, nil
	for _, e := range r.Estimates {
		if !slices.Contains(policies, e.Policy) {
			left.Estimates = append(left.Estimates, e)
		}
	}
	for _, s := range r.Support {
		if !slices.Contains(policies, s.Policy) {
			left.Support = append(left.Support, s)
		}
	}
	if len(left.Estimates) != len(r.Estimates)-len(policies) {
		t.Errorf("%d estimates, %d without %q", len(r.Estimates), len(left.Estimates), policies)
	}
	b, err := json.Marshal(&left)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
