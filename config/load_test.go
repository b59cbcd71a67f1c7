package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/state"
	"blipd/web"
)

// minimal is the shortest configuration.
const minimal = `experiments:
- name: retail
  arms: {control: direct, interventions: [review]}
  outcomes: [{name: success}]
`

func parse(t *testing.T, text string) *daemon.Config {
	t.Helper()
	c, err := Parse("blipd.yaml", []byte(text), nil, nil)
	if err != nil {
		t.Fatalf("faults where none should be:\n%v", err)
	}
	return c
}

// Of the shortest configuration every default is the contract's.
func TestDefaults(t *testing.T) {
	got := parse(t, minimal)
	experiment := event.Experiment{Name: "retail", Control: "direct", Interventions: []string{"review"},
		MinProbability: 0.0001, Outcomes: []event.OutcomeRule{{Name: "success", Required: true}}}
	hash := got.Experiments[0].Spec.Hash
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(hash) {
		t.Errorf("hash %q, want 16 hex digits", hash)
	}
	want := &daemon.Config{
		Kafka:   kafka.Config{Brokers: []string{"localhost:9092"}, Topic: "blipd.events", Group: "blipd", ReadCommitted: true},
		Outputs: daemon.Outputs{Effects: "blipd.effects", Alerts: "blipd.alerts", Router: "blipd.router", DeadLetters: "blipd.rejected"},
		State:   state.Config{Dir: "./data", SyncWrites: true, KeepClosed: 720 * time.Hour, Memory: 2 << 30, MinFree: 2 << 30},
		Web:     web.Config{Listen: "127.0.0.1:9464", GroupsPerDimension: 50},

		RefitInterval: 10 * time.Second, ShutdownTimeout: 30 * time.Second,
		Limits: daemon.Limits{Event: event.Limits{Event: 1 << 20, Text: 256},
			State: state.Limits{OpenTrajectories: 2_000_000, DecisionsPerTrajectory: 1000}},
		Experiments: []daemon.Experiment{{
			Rules: state.Rules{Experiment: experiment, StartPeriod: time.Hour, Timeout: 24 * time.Hour,
				RevisionWindow: 24 * time.Hour, TimeoutValues: []*float64{nil}, Hash: hash},
			Spec:   estimators.Spec{Experiment: experiment, Folds: 5, Ridge: 1, MaxGroups: 2000, MaxLevels: 64, MaxClusters: 10_000, Hash: hash},
			Better: []string{"higher"},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// contract is the file of the contract, with what later versions compute.
const contract = `
kafka:
  brokers: [localhost:9092, b:9093]
  topic: blipd.events
  partitions: [0, 1]
  isolation: read_uncommitted
  tls: {ca: "", cert: "", key: "", server_name: "x"}
  sasl: {mechanism: scram-sha-256, user: "u", password: "${env:KAFKA_PASSWORD}"}
outputs: {effects: blipd.effects, alerts: blipd.alerts, router: blipd.router, impact: "", dead_letters: ""}
state: {dir: ./data, sync_writes: false, keep_closed: 72h, memory: 500MB, min_free: 100MiB, on_damage: stop}
web: {listen: ":9464"}
refit: {interval: 1s}
metrics: {groups_per_dimension: 5}
shutdown_timeout: 3s
limits: {event: 2MiB, text: 128, open_trajectories: 2_000, decisions_per_trajectory: 100, groups_per_dimension: 20, blip_levels: 7, clusters: 10000}
experiments:
  - name: retail
    arms: {control: direct, interventions: [review]}
    probability_of: arm
    cluster: ""
    outcomes: [{name: success, range: [0, 1], better: higher, required: true, role: "", timeout_value: 0.5}, {name: violation, better: lower, required: false, role: harm}]
    min_probability: 0.01
    start_period: 2h
    trajectory_timeout: 20h
    close_grace: 5s
    revision_window: 0s
    folds: 10
    outcome_model: {ridge: 2.5, per_arm: false, learner: null, learner_every: 2000}
    features:
      - {name: tool, expr: action.tool, category: true, max_levels: 32}
      - {name: errors, expr: state.n_prior_errors, range: [0, 10]}
      - {name: step, builtin: index, range: [0, 30]}
    groups:
      - {dimension: tool, expr: action.tool}
      - {dimension: stage, expr: 'state.progress >= 0.8 ? "near completion" : "earlier"'}
    blip_model: {groups: tool, moderators: [errors], checks: []}
    blip_candidates: [{groups: all}]
    policies:
      - {name: writes, arm: review, intervene: 'action.capability == "order_write"', probability: 1}
`

func environment(name string) (string, bool) {
	value, ok := map[string]string{"KAFKA_PASSWORD": "hunter22", "FOLDS": "7", "EMPTY": "", "TOPIC": "from.env"}[name]
	return value, ok
}

// Every key reaches its field, and what is not computed yet is named.
func TestEveryKey(t *testing.T) {
	c, err := Parse("blipd.yaml", []byte(contract), environment, nil)
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	e := c.Experiments[0]
	e.Spec.Features[0].Expr, e.Spec.Features[1].Expr, e.Spec.Features[2].Expr = estimators.Expression{}, estimators.Expression{}, estimators.Expression{}
	for _, check := range []struct {
		what      string
		want, got any
	}{
		{"kafka", kafka.Config{Brokers: []string{"localhost:9092", "b:9093"}, Topic: "blipd.events", Partitions: []int{0, 1},
			TLS: &kafka.TLS{ServerName: "x"}, SASL: &kafka.SASL{Mechanism: "scram-sha-256", User: "u", Password: kafka.NewSecret("hunter22")}}, c.Kafka},
		{"outputs", daemon.Outputs{Effects: "blipd.effects", Alerts: "blipd.alerts", Router: "blipd.router"}, c.Outputs},
		{"state", state.Config{Dir: "./data", KeepClosed: 72 * time.Hour, Memory: 500e6, MinFree: 100 << 20, StopOnDamage: true}, c.State},
		{"web", web.Config{Listen: ":9464", GroupsPerDimension: 5}, c.Web},
		{"spans", []time.Duration{time.Second, 3 * time.Second}, []time.Duration{c.RefitInterval, c.ShutdownTimeout}},
		{"limits", daemon.Limits{Event: event.Limits{Event: 2 << 20, Text: 128},
			State: state.Limits{OpenTrajectories: 2000, DecisionsPerTrajectory: 100}}, c.Limits},
		{"events", event.Experiment{Name: "retail", Control: "direct", Interventions: []string{"review"}, ProbabilityOf: event.OfArm,
			MinProbability: 0.01, Outcomes: []event.OutcomeRule{{Name: "success", Up: 1, Ranged: true, Required: true}, {Name: "violation"}}}, e.Spec.Experiment},
		{"rules", state.Rules{Experiment: e.Spec.Experiment, StartPeriod: 2 * time.Hour, Timeout: 20 * time.Hour,
			CloseGrace: 5 * time.Second, TimeoutValues: []*float64{&half, nil}, Hash: e.Spec.Hash,
			Policies: []string{`writes: arm 0 with probability 1 where action.capability == "order_write"`}}, e.Rules},
		{"features", []estimators.Feature{{Name: "tool", Category: true, MaxLevels: 32}, {Name: "errors", Ranged: true, Up: 10},
			{Name: "step", Ranged: true, Up: 30}}, e.Spec.Features},
		{"sums", []any{10, 2.5, 20, 7, 2}, []any{e.Spec.Folds, e.Spec.Ridge, e.Spec.MaxGroups, e.Spec.MaxLevels, len(e.Spec.Dimensions)}},
		{"better", []string{"higher", "lower"}, e.Better},
		{"blip model", &estimators.BlipModel{Dimension: 1, Moderators: []int{1}, Masks: true}, e.Spec.Blip},
		{"candidates", []estimators.BlipModel{{Masks: true}}, e.Spec.Candidates},
		{"policies", []any{"writes", 0, 1.0, `action.capability == "order_write"`}, []any{e.Spec.Policies[0].Name,
			e.Spec.Policies[0].Arm, e.Spec.Policies[0].Probability, e.Spec.Policies[0].Intervene.Text}},
		{"not yet", []string{
			"outcomes with role harm (1): violations are not shown apart by this version"}, e.NotYet},
	} {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", check.what, diff)
		}
	}
}

// Topics that are asked for by name and not written yet are named; defaults are not.
func TestOutputsNotYet(t *testing.T) {
	c := parse(t, "outputs: {effects: mine, impact: theirs, alerts: '', dead_letters: dead}\n"+minimal)
	want := []string{"outputs.effects: only dead letters are written by this version", "outputs.impact: only dead letters are written by this version"}
	if diff := cmp.Diff(want, c.Experiments[0].NotYet); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The example is a configuration, and has every key that is known.
func TestExample(t *testing.T) {
	c := parse(t, string(Example()))
	if notYet := c.Experiments[0].NotYet; len(notYet) > 0 {
		t.Errorf("the example asks for what is not computed: %q", notYet)
	}
	whole := regexp.MustCompile(`(?m)^(\s*)# (\s*(- )?[a-z_]+:( |$))`).ReplaceAllString(string(Example()), "$1$2")
	for _, text := range []string{whole, contract} {
		r := &reader{env: environment, known: map[string]bool{}}
		r.read([]byte(text))
		for _, fault := range r.faults { // the example has both, one of them commented out
			if !strings.HasPrefix(fault.Message, "given beside partitions") {
				t.Errorf("with its comments taken out the example has a fault: %+v", fault)
			}
		}
		for path := range r.known {
			key := path[strings.LastIndex(path, ".")+1:]
			if !regexp.MustCompile(`(?m)^[ #]*(- )?` + key + `:.*(#|$)`).Match(Example()) {
				t.Errorf("the example lacks %s", path)
			}
		}
		if len(r.known) < 80 {
			t.Errorf("only %d known keys: a section was not read", len(r.known))
		}
	}
}

// Load reads a file, and says what is wrong when there is none.
func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blipd.yaml")
	if _, err := Load(path, nil); err == nil || err.Error() != path+": no such file or directory; name another file, or let blipd init write an example" {
		t.Errorf("without a file: %v", err)
	}
	secret := filepath.Join(filepath.Dir(path), "topic")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(secret, "from.file\n")
	write(path, "kafka: {topic: '${file:"+secret+"}'}\n"+minimal)
	c, err := Load(path, nil)
	if err != nil || c.Kafka.Topic != "from.file" {
		t.Errorf("topic of a file: %+v, %v", c, err)
	}
}

// The reference configurations load.
func TestReferences(t *testing.T) {
	files, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := Load(file, nil); err != nil {
			t.Error(err)
		}
	}
}
