package daemon_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kmsg"

	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
)

var notFinite = regexp.MustCompile(`(?m)^blipd_\S.* (NaN|[+-]Inf)$`)

// scrape reads the metrics as Prometheus does, and holds what must be true of each: the
// same labels on all series of a metric, and finite values.
func (r *running) scrape() map[string]*dto.MetricFamily {
	r.t.Helper()
	_, body := r.get("/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		r.t.Fatalf("the scrape is not valid: %v", err)
	}
	for name, family := range families {
		labels := ""
		for i, m := range family.Metric {
			names := ""
			for _, l := range m.Label {
				names += l.GetName() + " "
			}
			if i > 0 && names != labels {
				r.t.Errorf("%s has labels %q and %q", name, labels, names)
			}
			labels = names
		}
	}
	if bad := notFinite.FindString(body); bad != "" {
		r.t.Errorf("a metric is not finite: %s", bad)
	}
	return families
}

// series counts the series of a metric with a label.
func series(of *dto.MetricFamily, name, value string) int {
	n := 0
	for _, m := range of.GetMetric() {
		for _, l := range m.Label {
			if l.GetName() == name && l.GetValue() == value {
				n++
			}
		}
	}
	return n
}

// Members that groups are made of and that are odd, or are not there, have labels
// like all others.
func reportNginxlogExporter216(t *testing.T) {
	w := newWorld(t, 1)
	odd := []string{`"stage":"act"`, `"stage":""`, `"stage":"a\"b\\c"`, `"stage":"two\nlines"`, `"stage":"{le=\"1\"} 1"`, `"stage":"ünï"`,
		`"stage":3.5`, `"stage":true`, `"stage":"(missing)"`, `"stage":null`, `"other":1`, `"stage":"` + strings.Repeat("x", 256) + `"`}
	groups := []string{"act", "", `a"b\c`, "two\nlines", `{le="1"} 1`, "ünï", "3.5", "true", estimators.MissingLevel, strings.Repeat("x", 256)}
	trajectories := 30 * len(odd)
	for i := range trajectories {
		key := fmt.Appendf(nil, "t%d", i)
		arm := []string{"direct", "review"}[i/len(odd)%2]
		w.produce(
			kafka.Message{Key: key, Value: fmt.Appendf(nil, `{"type":"decision","trajectory_id":"%s","index":1,"time":"2026-11-29T10:00:00Z","action":{"tool":"a"},"state":{%s},"assignment":{"arm":%q,"probabilities":{"direct":0.5,"review":0.5}}}`, key, odd[i%len(odd)], arm)},
			kafka.Message{Key: key, Value: fmt.Appendf(nil, `{"type":"outcome","trajectory_id":"%s","time":"2026-11-29T10:01:00Z","outcomes":{"score":%d}}`, key, i%7)})
	}
	text := strings.Replace(fmt.Sprintf(settings, "group: g"), "groups:\n", "groups:\n      - {dimension: stage, expr: state.stage}\n", 1)
	d := start(t, parseSettings(t, text, w.broker, t.TempDir()))
	d.counts(int64(trajectories), nil)
	shown := d.scrape()["blipd_effect_decisions"]
	of := map[string]float64{}
	for _, m := range shown.GetMetric() {
		at := map[string]string{}
		for _, l := range m.Label {
			at[l.GetName()] = l.GetValue()
		}
		if at["dimension"] == "stage" && at["estimand"] == estimators.RandomizedContinuation {
			of[at["group"]] = m.GetGauge().GetValue()
		}
	}
	for _, group := range groups {
		want := 30.0
		if group == estimators.MissingLevel {
			want *= 3 // null, not there, and the name that no value can take
		}
		if of[group] != want {
			t.Errorf("group %q has %v decisions, want %v", group, of[group], want)
		}
		delete(of, group)
	}
	if len(of) > 0 {
		t.Errorf("groups that nothing belongs to: %v", of)
	}
	d.end()
}

// Series of partitions that the group has taken away disappear, counters stay; what
// comes back has them again.
func reportLagExporter25(t *testing.T) {
	w := newWorld(t, 2)
	log := events(40, 1)
	w.produce(log...)
	var out atomic.Bool
	w.cluster.ControlKey(int16(kmsg.Heartbeat), func(request kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		answer := kmsg.NewHeartbeatResponse()
		answer.SetVersion(request.GetVersion())
		answer.ErrorCode = 25 // UNKNOWN_MEMBER_ID: evicted
		return &answer, nil, out.Load()
	})
	w.cluster.ControlKey(int16(kmsg.JoinGroup), func(request kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		answer := kmsg.NewJoinGroupResponse()
		answer.SetVersion(request.GetVersion())
		answer.ErrorCode = 14 // COORDINATOR_LOAD_IN_PROGRESS
		return &answer, nil, out.Load()
	})
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.read(int64(len(log)))
	eachOf := []string{"blipd_input_lag_records", "blipd_stream_time_seconds"}
	has := func(want int) func() bool {
		return func() bool {
			now := d.scrape()
			for _, metric := range eachOf {
				if series(now[metric], "topic", "events") != want {
					return false
				}
			}
			if n := now["blipd_records_total"].GetMetric()[0].GetCounter().GetValue(); n != float64(len(log)) {
				t.Errorf("%v records with %d partitions, want %d", n, want, len(log))
			}
			return true
		}
	}
	eventually(t, "both partitions have series", has(2))
	out.Store(true)
	eventually(t, "none has", has(0))
	out.Store(false)
	eventually(t, "both have again", has(2))
	d.end()
}

// Outcomes that never vary have no effect that could be told, and no number that is
// none.
func reportOtel50569(t *testing.T) {
	w := newWorld(t, 1)
	log, score := events(200, 1), regexp.MustCompile(`"score":[-0-9.e]+`)
	for i := range log {
		log[i].Value = score.ReplaceAll(log[i].Value, []byte(`"score":1`))
	}
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(200, nil)
	if n := len(d.scrape()["blipd_effect_estimate"].GetMetric()); n > 0 {
		t.Errorf("%d effects have a value", n)
	}
	for _, path := range []string{"/api/v1/effects", "/api/v1/effects?scope=complete"} {
		var report struct {
			Estimates []map[string]any `json:"estimates"`
		}
		d.getJSON(path, &report)
		if len(report.Estimates) < 10 {
			t.Errorf("%s has %d estimates", path, len(report.Estimates))
		}
		for _, e := range report.Estimates {
			_, has := e["estimate"]
			if status := e["status"]; has || status != string(estimators.NotIdentified) && status != string(estimators.InsufficientData) || e["reason"] == nil {
				t.Errorf("%s: %v", path, e)
			}
		}
	}
	if status, page := d.get("/"); status != http.StatusOK || strings.Contains(page, "NaN") {
		t.Errorf("the page: %d, with NaN %v", status, strings.Contains(page, "NaN"))
	}
	d.end()
}

// A name that is no UTF-8 is refused at the door and handed back as it came; the scrape
// stays whole.
func reportClientGolang274(t *testing.T) {
	w := newWorld(t, 1)
	log := events(20, 1)
	bad := log[0]
	bad.Value = []byte(strings.Replace(string(bad.Value), `"tool":"`, "\"tool\":\"\xff", 1))
	w.produce(bad)
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, map[event.Reason]int64{event.InvalidUTF8: 1})
	if n := series(d.scrape()["blipd_records_rejected_total"], "reason", event.InvalidUTF8.String()); n != 1 {
		t.Errorf("%d series of the reason", n)
	}
	eventually(t, "the letter is sent", func() bool { return d.Live().Partitions[0].Outbox == 0 })
	d.end()
	if letter := w.read("rejected")[0]; string(letter.Value) != string(bad.Value) {
		t.Errorf("the letter holds %q, want %q", letter.Value, bad.Value)
	}
}

// A restore that takes long keeps nobody waiting who asks how it goes. That it does
// not cost the membership is tried in package ingest.
func reportGoka212(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(events(20, 1)...)
	dir := t.TempDir()
	d := start(t, w.config(dir, "group: g"))
	d.counts(20, nil)
	d.end()

	// Another scale of a feature: what has closed is summed anew, by an expression that
	// takes its time.
	cfg := parseSettings(t, strings.Replace(fmt.Sprintf(settings, "group: g"), "range: [-2, 3]", "range: [-2, 4]", 1), w.broker, dir)
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	feature := &cfg.Experiments[0].Spec.Features[0].Expr
	eval := feature.Eval
	feature.Eval = func(p *estimators.Point) event.Value {
		once.Do(func() { close(begun) })
		<-release
		return eval(p)
	}
	d = start(t, cfg)
	<-begun
	impatient := http.Client{Timeout: 20 * time.Second}
	for path, want := range map[string]int{"/-/ready": http.StatusServiceUnavailable, "/-/healthy": http.StatusOK, "/metrics": http.StatusOK, "/": http.StatusOK} {
		answer, err := impatient.Get("http://" + d.Addr() + path)
		if err != nil {
			t.Errorf("%s while it restores: %v", path, err)
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s while it restores: %d, want %d", path, answer.StatusCode, want)
		}
	}
	close(release)
	d.counts(20, nil)
	d.end()
}
