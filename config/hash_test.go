package config

import (
	"strings"
	"testing"
)

const hashed = `
kafka: {topic: a}
limits: {text: 256, groups_per_dimension: 2000, clusters: 10000}
experiments:
  - name: retail
    arms: {control: direct, interventions: [review]}
    probability_of: ""
    outcomes: [{name: success, range: [0, 1], better: higher, required: true, role: "", timeout_value: null}]
    min_probability: 0.0001
    start_period: 1h
    trajectory_timeout: 24h
    close_grace: 0s
    revision_window: 24h
    folds: 5
    outcome_model: {ridge: 1, learner_every: 2000}
    features:
      - {name: tool, expr: action.tool, category: true, max_levels: 64}
      - {name: errors, expr: state.errors, range: [0, 10]}
      - {name: step, builtin: index}
    groups: [{dimension: tool, expr: action.tool}]
    blip_model: {groups: tool, moderators: [errors], checks: [index]}
`

func hashOf(t *testing.T, text string) string {
	t.Helper()
	e := parse(t, text).Experiments[0]
	if e.Spec.Hash != e.Rules.Hash {
		t.Errorf("rules have %s, sums have %s", e.Rules.Hash, e.Spec.Hash)
	}
	return e.Spec.Hash
}

// Whatever decides what is summed changes the hash, and nothing else does.
func TestHash(t *testing.T) {
	base := hashOf(t, hashed)
	for _, c := range []struct {
		old, new string
		another  bool
	}{
		{"moderators: [errors]", "moderators: [errors], moderated_effects: false", true},
		{"moderators: [errors]", "moderators: [errors], moderated_effects: true", false},
		{"groups_per_dimension: 2000", "groups_per_dimension: 2000, blip_levels: 65", true},
		{"groups_per_dimension: 2000", "groups_per_dimension: 2000, blip_levels: 64", false},
		{"name: retail", "name: airline", true},
		{"control: direct", "control: none", true},
		{"[review]", "[human]", true},
		{"[review]", "[review, human]", true},
		{`probability_of: ""`, "probability_of: arm", true},
		{"name: success", "name: solved", true},
		{"range: [0, 1]", "range: [0, 2]", true},
		{"better: higher", "better: lower", true},
		{"role: \"\"", "role: harm", true},
		{"timeout_value: null", "timeout_value: 0", true},
		{"timeout_value: null}", "timeout_value: null}, {name: violation, required: false}", true},
		{"min_probability: 0.0001", "min_probability: 0.001", true},
		{"start_period: 1h", "start_period: 2h", true},
		{"trajectory_timeout: 24h", "trajectory_timeout: 25h", true},
		{"close_grace: 0s", "close_grace: 1s", true},
		{"revision_window: 24h", "revision_window: 25h", true},
		{"folds: 5", "folds: 6", true},
		{"ridge: 1", "ridge: 2", true},
		{"learner_every: 2000", "learner_every: 1000", true},
		{"learner_every: 2000", "learner_every: 2000, per_arm: true", true},
		{"name: tool, expr: action.tool", "name: call, expr: action.tool", true},
		{"name: tool, expr: action.tool", "name: tool, expr: action.capability", true},
		{"category: true, max_levels: 64", "category: true, max_levels: 32", true},
		{"range: [0, 10]", "range: [0, 11]", true},
		{", range: [0, 10]", "", true},
		{"builtin: index", "builtin: prior_same_tool", true},
		{"dimension: tool, expr: action.tool", "dimension: tool, expr: action.capability", true},
		{"dimension: tool, expr: action.tool}", "dimension: tool, expr: action.tool}, {dimension: step, builtin: index}", true},
		{"blip_model: {groups: tool", "blip_model: {groups: all", true},
		{"moderators: [errors]", "moderators: []", true},
		{"checks: [index]", "checks: []", true},
		{"text: 256", "text: 255", true},
		{"groups_per_dimension: 2000", "groups_per_dimension: 1999", true},

		{"kafka: {topic: a}", "kafka: {topic: b}\nweb: {listen: ':1'}\nrefit: {interval: 1s}\nmetrics: {groups_per_dimension: 1}", false},
		{"kafka: {topic: a}", "outputs: {effects: x}\nstate: {dir: y, keep_closed: 1h}\nshutdown_timeout: 1s", false},
		{"clusters: 10000", "clusters: 1, event: 2MiB, open_trajectories: 5, decisions_per_trajectory: 5", false},
		{"    folds: 5\n", "    folds: 5\n    contrasts: [{of: tool=a}]\n", false},
		{"    folds: 5\n", "    folds: 5\n    policies: [{name: all, intervene: true}]\n", false},
		{"    folds: 5\n", "    folds: 5\n    blip_candidates: [{groups: all}]\n", true},
		{"    folds: 5\n", "    folds: 5\n    cluster: state.task\n", true},
		{"    folds: 5\n", "", false}, // the default
		{", max_levels: 64", "", false},
		{"expr: action.tool", "expr: ' action.tool '", false},
		{"builtin: index", "expr: index", false}, // the same
		{"trajectory_timeout: 24h", "trajectory_timeout: 1440m", false},
	} {
		text := strings.Replace(hashed, c.old, c.new, 1)
		if text == hashed {
			t.Fatalf("%q is not in the file", c.old)
		}
		if got := hashOf(t, text); got != base != c.another {
			t.Errorf("%q to %q: another hash %v, want %v", c.old, c.new, got != base, c.another)
		}
	}
}

// The hash of one file stays what it is: it names epochs in written state.
func TestHashIsPinned(t *testing.T) {
	const want = "8d8ee27a78a8293f"
	if got := hashOf(t, hashed); got != want {
		t.Errorf("%s, want %s; a change of it opens a new epoch for everyone", got, want)
	}
}
