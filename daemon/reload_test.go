package daemon_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"blipd/config"
	"blipd/daemon"
	"blipd/estimators"
)

// file is a configuration that changes under a daemon.
type file struct {
	mu   sync.Mutex // guards text
	text string
	env  map[string]string
}

func newFile(w *world, dir, who string) *file {
	return &file{text: fmt.Sprintf(settings, who), env: map[string]string{"BROKER": w.broker, "STATE": dir}}
}

// replace changes the text, which must have what is replaced.
func (f *file) replace(t *testing.T, pairs ...string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(f.text, pairs[i]) {
			t.Fatalf("the file has no %q", pairs[i])
		}
		f.text = strings.Replace(f.text, pairs[i], pairs[i+1], 1)
	}
}

func (f *file) read() (*daemon.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return config.Parse("test.yaml", []byte(f.text), func(n string) (string, bool) { v, ok := f.env[n]; return v, ok }, os.ReadFile)
}

// config is what it says now, with a way to say it again.
func (f *file) config(t *testing.T) daemon.Config {
	t.Helper()
	cfg, err := f.read()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Reread = f.read
	return *cfg
}

// post asks for an action; what comes is read into answer, unless that is nil.
func (r *running) post(method, path, body string, answer any) (status int, text string) {
	r.t.Helper()
	request, err := http.NewRequest(method, "http://"+r.Addr()+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err == nil && answer != nil {
		err = json.Unmarshal(b, answer)
	}
	if err != nil {
		r.t.Fatalf("%s %s: %v in %s", method, path, err, b)
	}
	return response.StatusCode, string(b)
}

func (r *running) reload() daemon.Reloaded {
	r.t.Helper()
	var done daemon.Reloaded
	if status, body := r.post("POST", "/-/reload", "", &done); status != http.StatusOK {
		r.t.Fatalf("reload: %d %s", status, body)
	}
	return done
}

// TestReload follows one daemon through files that change: what is in effect is
// told apart from what is not, at every step.
func TestReload(t *testing.T) {
	w := newWorld(t, 3)
	log := events(300, 1)
	w.produce(log...)
	f := newFile(w, t.TempDir(), "group: g")
	d := start(t, f.config(t))
	d.read(int64(len(log)))
	report := func(ok func(*estimators.Report) bool) func() bool {
		return func() bool { r := d.Report("x", estimators.Closed); return r != nil && ok(r) }
	}
	eventually(t, "a refit of everything", report(func(r *estimators.Report) bool { return r.Trajectories == 300 }))
	metric := func(value string) {
		t.Helper()
		if _, metrics := d.get("/metrics"); !strings.Contains(metrics, "\nblipd_config_last_reload_successful "+value+"\n") ||
			!strings.Contains(metrics, "\nblipd_config_last_reload_success_timestamp_seconds ") {
			t.Errorf("the metrics do not say that the last reload was %s", value)
		}
	}
	metric("1")
	nothing := daemon.Reloaded{Applied: []string{}}
	expect := func(what string, want daemon.Reloaded) {
		t.Helper()
		if diff := cmp.Diff(want, d.reload()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	expect("nothing changed", nothing)

	f.replace(t, "interval: 200ms", "interval: 100ms", "shutdown_timeout: 10s", "shutdown_timeout: 9s\nmetrics: {groups_per_dimension: 1}",
		"    policies:", "    contrasts: [{of: tool=refund, to: rest of all}]\n    policies:")
	expect("free keys", daemon.Reloaded{Applied: []string{"metrics.groups_per_dimension", "refit.interval", "shutdown_timeout", "experiment x: contrasts"}})
	eventually(t, "the contrast is reported", report(func(r *estimators.Report) bool {
		return slices.ContainsFunc(r.Estimates, func(e estimators.Estimate) bool { return e.Of == "tool=refund" })
	}))
	if _, metrics := d.get("/metrics"); !strings.Contains(metrics, `blipd_groups_hidden{dimension="tool",experiment="x"} `) || strings.Contains(metrics, `blipd_groups_hidden{dimension="tool",experiment="x"} 0`) {
		t.Error("the metrics carry more than one group")
	}

	f.replace(t, "interval: 100ms", "interval: soon", "start_period: 10m", "strat_period: 10m")
	var refused struct{ Type, Detail string }
	status, _ := d.post("PUT", "/-/reload", "", &refused)
	if status != http.StatusUnprocessableEntity || refused.Type != "urn:blipd:problem:bad-configuration" ||
		!strings.Contains(refused.Detail, "soon") || !strings.Contains(refused.Detail, "start_period") || strings.Count(refused.Detail, "\n") != 1 {
		t.Errorf("a file with two faults: %d %+v", status, refused)
	}
	metric("0")
	if status, body := d.get("/-/ready"); status != http.StatusOK || !strings.Contains(body, "soon") {
		t.Errorf("readiness after a reload that was refused: %d %s", status, body)
	}
	f.replace(t, "interval: soon", "interval: 50ms", "strat_period: 10m", "start_period: 10m", "topic: events", "topic: other")
	if status, body := d.post("POST", "/-/reload", "", nil); status != http.StatusUnprocessableEntity || !strings.Contains(body, "kafka.topic changed") {
		t.Errorf("another topic: %d %s", status, body)
	}
	f.replace(t, "topic: other", "topic: events, isolation: read_uncommitted", "127.0.0.1:0", "127.0.0.1:1", "sync_writes: false", "sync_writes: false, memory: 1GiB")
	expect("keys that need a restart", daemon.Reloaded{Applied: []string{"refit.interval"}, NeedsRestart: []string{"kafka.isolation", "state.memory", "web.listen"}})
	metric("1")
	if status, body := d.get("/-/ready"); status != http.StatusOK || !strings.Contains(body, "kafka.isolation, state.memory, web.listen: restart") {
		t.Errorf("readiness with keys that need a restart: %d %s", status, body)
	}
	f.replace(t, ", isolation: read_uncommitted", "", "127.0.0.1:1", "127.0.0.1:0", ", memory: 1GiB", "")
	expect("all is as it was", nothing)
	if _, body := d.get("/-/ready"); strings.Contains(body, "restart") {
		t.Errorf("readiness: %s", body)
	}

	f.replace(t, "outputs: {dead_letters: rejected}", "outputs: {dead_letters: \"\"}")
	expect("dead letters off", daemon.Reloaded{Applied: []string{"outputs.dead_letters"}, Intake: true})
	f.replace(t, "features:", "folds: 3\n    features:", "outputs: {dead_letters: \"\"}", "outputs: {dead_letters: rejected}")
	expect("another definition", daemon.Reloaded{Applied: []string{"outputs.dead_letters", "experiment x: definition"}, Epochs: []daemon.Epoch{{Experiment: "x", Epoch: 2}}, Intake: true})
	eventually(t, "a report of the second epoch", report(func(r *estimators.Report) bool { return r.Epoch == 2 && r.Trajectories > 0 }))
	if r := d.EarlierReport("x", 1); r == nil || r.Trajectories != 300 {
		t.Errorf("the report of the first epoch: %+v", r)
	}

	f.replace(t, "name: x", "name: y")
	expect("another experiment", daemon.Reloaded{Applied: []string{"experiment x: removed", "experiment y: added"}, Epochs: []daemon.Epoch{{Experiment: "y", Epoch: 1}}, Intake: true})
	eventually(t, "a report of the other", func() bool { return d.Report("y", estimators.Closed) != nil })
	f.replace(t, "name: y", "name: x")
	expect("the first again", daemon.Reloaded{Applied: []string{"experiment y: removed", "experiment x: added"}, Epochs: []daemon.Epoch{{Experiment: "x", Epoch: 3}}, Intake: true})
	more := events(300, 2)
	w.produce(more...)
	d.read(int64(len(log) + len(more)))
	d.end()
}

// TestReloadIsARestart: whoever reloads has in the end what a restart would have
// given, bit for bit, and loses and doubles nothing under load.
func TestReloadIsARestart(t *testing.T) {
	w := newWorld(t, 3)
	log := events(900, 3)
	for i := 0; i < len(log); i += 97 { // records to set aside
		log[i].Value = append([]byte("?"), log[i].Value...)
	}
	root := t.TempDir()
	changes := [][]string{
		{"features:", "folds: 3\n    features:"},
		{"shutdown_timeout", "limits: {text: 200}\nshutdown_timeout"},
		{"folds: 3", "folds: 4"},
	}
	reloaded, restarted := newFile(w, filepath.Join(root, "a"), "group: g"), newFile(w, filepath.Join(root, "b"), "partitions: [0, 1, 2]")
	a, b := start(t, reloaded.config(t)), start(t, restarted.config(t))
	part := len(log) / (len(changes) + 1)
	for n, change := range changes {
		w.produce(log[n*part : (n+1)*part]...)
		a.read(int64((n + 1) * part))
		b.read(int64((n + 1) * part))
		reloaded.replace(t, change...)
		if done := a.reload(); !done.Intake {
			t.Errorf("%q: %+v", change, done)
		}
		b.end()
		restarted.replace(t, change...)
		b = start(t, restarted.config(t))
	}
	w.produce(log[len(changes)*part:]...)
	for _, d := range []*running{a, b} {
		d.read(int64(len(log)))
		d.sent()
		d.end()
	}
	first, second := reloaded.config(t), restarted.config(t)
	got, want := inside(t, &first), inside(t, &second)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-restarted +reloaded):\n%s", diff)
	}
	if trajectoriesIn(want) < 800 {
		t.Errorf("only %d trajectories closed", trajectoriesIn(want))
	}
	if n, want := len(w.read("rejected")), 2*((len(log)+96)/97); n != want {
		t.Errorf("%d dead letters of two daemons, want %d", n, want)
	}

	// Under load, at any moment.
	busy := newFile(w, filepath.Join(root, "c"), "group: c")
	c := start(t, busy.config(t))
	for n := range 20 {
		busy.replace(t, []string{"range: [-2, 3]", "range: [-3, 3]"}[n%2], []string{"range: [-3, 3]", "range: [-2, 3]"}[n%2])
		if done := c.reload(); !done.Intake {
			t.Errorf("reload %d: %+v", n, done)
		}
	}
	c.read(int64(len(log)))
	if n := c.records(); n != int64(len(log)) {
		t.Errorf("%d records, want %d: none is counted twice", n, len(log))
	}
	c.end()
}
