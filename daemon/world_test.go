package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/config"
	"blipd/daemon"
	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/sim"
)

// settings is the configuration of daemons under test.
const settings = `
kafka: {brokers: ["${env:BROKER}"], topic: events, %s}
state: {dir: "${env:STATE}", sync_writes: false, keep_closed: "${env:KEEP:-720h}", min_free: "${env:MIN_FREE:-1MiB}"}
web: {listen: "127.0.0.1:0"}
refit: {interval: 200ms}
outputs: {dead_letters: rejected}
shutdown_timeout: 10s
experiments:
  - name: x
    arms: {control: direct, interventions: [review]}
    outcomes: [{name: score, range: [-6, 9]}]
    start_period: 10m
    trajectory_timeout: "${env:WINDOW:-24h}"
    revision_window: "${env:WINDOW:-24h}"
    outcome_model: {learner: boosted_trees, learner_every: "${env:LEARNER_EVERY:-100}"}
    features:
      - {name: tool, expr: action.tool, category: true}
      - {name: s, expr: state.s, range: [-2, 3]}
      - {name: step, builtin: index, range: [0, 20]}
    groups:
      - {dimension: tool, expr: action.tool}
    blip_model: {groups: tool, moderators: [s]}
    policies: [{name: high, intervene: state.s >= 0.5}]
`

// world is a broker in memory and a log on it.
type world struct {
	t       *testing.T
	cluster *kfake.Cluster
	broker  string
	client  *kafka.Client
}

func newWorld(t *testing.T, partitions int, options ...kfake.Opt) *world {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(int32(partitions), "events"), kfake.SeedTopics(1, "rejected")}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	w := &world{t: t, cluster: cluster, broker: cluster.ListenAddrs()[0]}
	w.client, err = kafka.New(kafka.Config{Brokers: []string{w.broker}, Topic: "events", Group: "test-producer"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.client.Close() })
	return w
}

// produce appends records to the log.
func (w *world) produce(messages ...kafka.Message) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := w.client.Produce(ctx, "events", messages); err != nil {
		w.t.Fatal(err)
	}
}

// events are the records of n simulated trajectories.
func events(n int, seed uint64) []kafka.Message {
	scenario, err := sim.Lookup("dgp")
	if err != nil {
		panic(err)
	}
	var messages []kafka.Message
	for e := range scenario.Events(n, seed) {
		messages = append(messages, kafka.Message{Key: []byte(e.Trajectory), Value: event.AppendJSON(nil, &e)})
	}
	return messages
}

// config is the configuration of a daemon on a directory. who is "group: g" or
// "partitions: [0, 1]".
func (w *world) config(dir, who string) daemon.Config { return parse(w.t, w.broker, dir, who) }

// learner is the part of settings by which an estimate depends on the order of the
// log.
const learner = `outcome_model: {learner: boosted_trees, learner_every: "${env:LEARNER_EVERY:-100}"}`

// changed is a configuration in which texts are replaced by others.
func (w *world) changed(dir, who string, oldnew ...string) daemon.Config {
	w.t.Helper()
	return parse(w.t, w.broker, dir, who, oldnew...)
}

func parse(t testing.TB, broker, dir, who string, oldnew ...string) daemon.Config {
	t.Helper()
	return parseSettings(t, strings.NewReplacer(oldnew...).Replace(fmt.Sprintf(settings, who)), broker, dir)
}

func parseSettings(t testing.TB, text, broker, dir string) daemon.Config {
	t.Helper()
	env := map[string]string{"BROKER": broker, "STATE": dir}
	look := func(name string) (string, bool) {
		if v, ok := env[name]; ok {
			return v, ok
		}
		return os.LookupEnv(name)
	}
	cfg, err := config.Parse("test.yaml", []byte(text), look, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return *cfg
}

// running is a daemon at work.
type running struct {
	*daemon.Daemon
	t    *testing.T
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, cfg daemon.Config) *running {
	t.Helper()
	d, err := daemon.New(cfg, "test", slog.New(slog.NewTextHandler(testLog{t}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return runs(t, d)
}

// end stops the daemon, which must go without an error.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	if err := <-r.done; err != nil {
		r.t.Fatal(err)
	}
}

// eventually waits until ok is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within 90s: %s", what)
}

// read waits until n records have been read, set aside or not.
func (r *running) read(n int64) {
	r.t.Helper()
	eventually(r.t, fmt.Sprint(n, " records read"), func() bool { return r.records() >= n })
}

func (r *running) records() int64 {
	n := int64(0)
	for _, p := range r.Live().Partitions {
		n += p.Records
	}
	return n
}

// get answers a request as a browser would get it.
func (r *running) get(path string) (status int, body string) {
	r.t.Helper()
	answer, err := http.Get("http://" + r.Addr() + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

func (r *running) getJSON(path string, into any) {
	r.t.Helper()
	status, body := r.get(path)
	if status != http.StatusOK {
		r.t.Fatalf("GET %s: %d %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		r.t.Fatalf("GET %s: %v in %s", path, err, body)
	}
}

// testLog prints the daemon's log with the test's.
type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	defer func() { _ = recover() }() // a daemon that outlives its test logs nowhere
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}
