package config

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files; commit only what you understand")

// with is the minimal configuration with further keys of the experiment.
func with(keys ...string) string { return minimal + "  " + strings.Join(keys, "\n  ") + "\n" }

// Each fault in its words, whole.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		// the file
		{"empty", "", `1: experiments: missing; write a list of at least one experiment`},
		{"a list", "- 1", `1: a list; write a mapping, key: value` + "\n"},
		{"no YAML", "a: [1,\n b", `3: not YAML: while parsing a flow sequence: did not find expected ',' or ']'; check indentation, quotes and brackets (${...} within {} needs quotes)`},
		{"two documents", minimal + "---\na: 1\n", `5: a second document; keep one in the file`},
		{"unknown key", "web: {listn: ':1'}\n" + minimal, `1: web.listn: unknown key; did you mean "listen"?`},
		{"profiles for all", "web: {debug_listen: ':6060'}\n" + minimal, `1: web.debug_listen: :6060 is not on this machine alone, and profiles show what is in memory; write 127.0.0.1:PORT, or "" for off`},
		{"profiles by name", "web: {debug_listen: 'blipd.example:6060'}\n" + minimal, `1: web.debug_listen: blipd.example:6060 is not on this machine alone, and profiles show what is in memory; write 127.0.0.1:PORT, or "" for off`},
		{"no port", "web: {debug_listen: '127.0.0.1'}\n" + minimal, `1: web.debug_listen: "127.0.0.1" is not host:port; write one such as 127.0.0.1:6060`},
		{"no web file", "web: {config_file: nowhere.yaml}\n" + minimal, `1: web.config_file: files cannot be read here; remove the key`},
		{"unknown far", "web: {colour: red}\n" + minimal, `1: web.colour: unknown key; known here: config_file, debug_listen, listen`},
		{"twice", "web: {}\nweb: {}\n" + minimal, `2: web: given twice, first in line 1; keep one`},
		{"merge key", "web: {<<: {listen: ':1'}}\n" + minimal, `1: web: merge keys (<<) are not read; write the keys out, or use an alias for a whole value`},
		{"odd key", "web: {[a]: 1}\n" + minimal, `1: web: a key that is no text; write key: value`},
		{"strange key", "web: {\"a\\nb\": 1}\n" + minimal, `1: web."a\nb": unknown key; known here: config_file, debug_listen, listen`},

		// types
		{"mapping wanted", "web: 5\n" + minimal, `1: web: a number; write a mapping, key: value`},
		{"list wanted", "kafka: {brokers: 'a:1'}\n" + minimal, `1: kafka.brokers: a text; write a list, [a, b] or one - a line`},
		{"text wanted", "kafka: {topic: 5}\n" + minimal, `1: kafka.topic: 5 is a number; write it in quotes to make it a text`},
		{"scalar wanted", "kafka: {topic: [a]}\n" + minimal, `1: kafka.topic: a list; write a text`},
		{"null", "kafka: {topic: }\n" + minimal, `1: kafka.topic: empty; write a text, or remove the key`},
		{"flag wanted", "state: {sync_writes: yes}\n" + minimal, `1: state.sync_writes: "yes" is no truth value; write true or false`},
		{"integer wanted", with("folds: 2.5"), `5: experiments[0].folds: 2.5 is no integer; write one from 2 to 64`},
		{"quoted integer", with("folds: '5'"), `5: experiments[0].folds: "5" is no integer; write one from 2 to 64`},
		{"number wanted", with("min_probability: .nan"), `5: experiments[0].min_probability: .nan is no finite number; write one`},
		{"duration without unit", "refit: {interval: 10}\n" + minimal, `1: refit.interval: 10 has no unit; write a duration such as 90s, 15m or 720h`},
		{"duration in days", "state: {keep_closed: 30d}\n" + minimal, `1: state.keep_closed: "30d" is no duration; write one such as 90s, 15m or 720h (units ns, us, ms, s, m, h)`},
		{"no duration at all", "shutdown_timeout: 0s\n" + minimal, `1: shutdown_timeout: "0s" is less than 1ms; write a longer duration`},
		{"size", "state: {memory: 2 gigs}\n" + minimal, `1: state.memory: "2 gigs" is no size; write an integer with a unit, such as 500MB or 2GiB`},
		{"size zero", "limits: {event: 0}\n" + minimal, `1: limits.event: 0 is outside 1B..1GiB; write a size within`},
		{"size large", "limits: {event: 2GiB}\n" + minimal, `1: limits.event: "2GiB" is outside 1B..1GiB; write a size within`},

		// kafka, outputs, web
		{"group and partitions", "kafka:\n  group: a\n  partitions: [0]\n" + minimal, `2: kafka.group: given beside partitions; keep group to join a group, or partitions to read without one`},
		{"empty group", "kafka: {group: ''}\n" + minimal, `1: kafka.group: empty; write the consumer group to join, or remove the key for blipd`},
		{"partition twice", "kafka: {partitions: [0, 1, 0]}\n" + minimal, `1: kafka.partitions[2]: 0 is named twice; keep one`},
		{"partition negative", "kafka: {partitions: [-1]}\n" + minimal, `1: kafka.partitions[0]: -1 is outside 0..2147483647; write an integer within`},
		{"no brokers", "kafka: {brokers: []}\n" + minimal, `1: kafka.brokers: no brokers; write at least one host:port`},
		{"broker", "kafka: {brokers: [localhost]}\n" + minimal, `1: kafka.brokers[0]: "localhost" is not host:port; write one such as localhost:9092`},
		{"isolation", "kafka: {isolation: read_comitted}\n" + minimal, `1: kafka.isolation: "read_comitted" is not known; did you mean "read_committed"?`},
		{"mechanism", "kafka: {sasl: {mechanism: gssapi, user: u, password: p}}\n" + minimal, `1: kafka.sasl.mechanism: "gssapi" is not known; known here: plain, scram-sha-256, scram-sha-512`},
		{"sasl without password", "kafka: {sasl: {user: ''}}\n" + minimal, "1: kafka.sasl.password: missing; write it, or remove the section kafka.sasl\n1: kafka.sasl.user: empty; write it, or remove the section kafka.sasl"},
		{"tls null", "kafka: {tls: }\n" + minimal, `1: kafka.tls: empty, and a section that is there turns TLS on; write {} to trust the system's authorities, or remove the key`},
		{"half a certificate", "kafka: {tls: {cert: a}}\n" + minimal, `1: kafka.tls: cert and key: one without the other; give both, or neither`},
		{"loop", "outputs: {effects: blipd.events}\n" + minimal, `1: outputs.effects: the topic that kafka.topic reads: what is written would be read again; name another, or "" for off`},
		{"one topic for two", "outputs: {effects: a, alerts: a}\n" + minimal, `1: outputs.alerts: the same topic as effects; name another, or "" for off`},
		{"limits", "limits: {text: 0}\n" + minimal, `1: limits.text: 0 is outside 1..2147483647; write an integer within`},

		// experiments
		{"none", "experiments: []", `1: experiments: no experiment; write at least one`},
		{"no members", "experiments: [{}]", "1: experiments[0].name: missing; write the name of the experiment\n" +
			"1: experiments[0].arms: missing; write {control: NAME, interventions: [NAME]}\n1: experiments[0].outcomes: missing; write a list of at least one outcome"},
		{"one name", minimal + strings.TrimPrefix(minimal, "experiments:\n"), `5: experiments[1].name: the name is taken by another of the experiments, in line 2; choose another`},
		{"long name", strings.Replace(minimal, "retail", strings.Repeat("r", 300), 1), `2: experiments[0].name: a name of 300 bytes, and limits.text allows 256; shorten it`},
		{"no name", strings.Replace(minimal, "retail", "''", 1), `2: experiments[0].name: empty; write a name`},
		{"no intervention", strings.Replace(minimal, "[review]", "[]", 1), `3: experiments[0].arms.interventions: no intervention; write at least one arm that intervenes`},
		{"no control", strings.Replace(minimal, "control: direct, ", "", 1), `3: experiments[0].arms.control: missing; write the name of the arm that does not intervene`},
		{"one arm twice", strings.Replace(minimal, "[review]", "[direct]", 1), `3: experiments[0].arms.interventions[0]: the name is taken by another of the arms, in line 3; choose another`},
		{"short form", strings.Replace(with("probability_of: arm"), "[review]", "[a, b]", 1), `5: experiments[0].probability_of: "arm" with 2 interventions: the short form sends one probability, which says enough for one; remove the key and send assignment.probabilities`},
		{"half", with("min_probability: 0.5"), `5: experiments[0].min_probability: 0.5 is outside (0, 0.5); write a probability between, such as 0.0001`},
		{"more than one in all", strings.Replace(with("min_probability: 0.4"), "[review]", "[a, b]", 1), `5: experiments[0].min_probability: 0.4 for each of 3 arms is more than 1 in all, so that no decision could count; write at most 0.3333333333333333`},
		{"folds", with("folds: 65"), `5: experiments[0].folds: 65 is outside 2..64; write an integer within`},
		{"start period", with("start_period: 0s"), `5: experiments[0].start_period: "0s" is less than 1ms; write a longer duration`},
		{"grace", with("close_grace: -1s"), `5: experiments[0].close_grace: "-1s" is negative; write a duration of 0s or more`},
		{"ridge", with("outcome_model: {ridge: 0}"), `5: experiments[0].outcome_model.ridge: 0 is not above 0; write a positive penalty, such as 1`},
		{"learner", with("outcome_model: {learner: forest}"), `5: experiments[0].outcome_model.learner: "forest" is no learner; write boosted_trees, or null for none`},
		{"cluster wrong", with("cluster: outcome"), `5: experiments[0].cluster: "outcome": reads "outcome", which is known only after the draw; use what stood before it: ` + seen},

		// outcomes
		{"no outcomes", strings.Replace(minimal, "[{name: success}]", "[]", 1), `4: experiments[0].outcomes: no outcome; write at least one`},
		{"misspelt", strings.Replace(minimal, "success}", "success, rnage: [0, 1]}", 1), `4: experiments[0].outcomes[0].rnage: unknown key; did you mean "range"?`},
		{"none required", strings.Replace(minimal, "success}", "success, required: false}", 1), `4: experiments[0].outcomes: none is required, so that no trajectory would close by its outcomes; write required: true for at least one`},
		{"range order", strings.Replace(minimal, "success}", "success, range: [1, 0]}", 1), `4: experiments[0].outcomes[0].range: [1, 0]: the first is not below the second; write [lo, hi] with lo < hi`},
		{"range length", strings.Replace(minimal, "success}", "success, range: [1]}", 1), `4: experiments[0].outcomes[0].range: not two values but 1; write [lo, hi]`},
		{"range size", strings.Replace(minimal, "success}", "success, range: [-1e308, 1e308]}", 1), `4: experiments[0].outcomes[0].range: [-1e+308, 1e+308] is wider than any double; write a narrower range`},
		{"better", strings.Replace(minimal, "success}", "success, better: up}", 1), `4: experiments[0].outcomes[0].better: "up" is not known; known here: higher, lower`},
		{"time-out value", strings.Replace(minimal, "success}", "success, range: [0, 1], timeout_value: 2}", 1), `4: experiments[0].outcomes[0].timeout_value: 2 is outside range [0, 1]; write a value within`},

		// features and groups
		{"no source", with("features: [{name: a}]"), `5: experiments[0].features[0]: no expr and no builtin; write one, such as expr: action.tool or builtin: index`},
		{"two sources", with("features: [{name: a, expr: index, builtin: index}]"), `5: experiments[0].features[0].builtin: given beside expr; keep one of them`},
		{"builtin", with("features: [{name: a, builtin: indx}]"), `5: experiments[0].features[0].builtin: "indx" is not known; did you mean "index"?`},
		{"feature twice", with("features:", "- {name: a, builtin: index}", "- {name: a, builtin: index}"), `7: experiments[0].features[1].name: the name is taken by another of the features, in line 6; choose another`},
		{"category with range", with("features: [{name: a, expr: state.a, category: true, range: [0, 1]}]"), `5: experiments[0].features[0].range: a category has levels and no scale; remove range, or category`},
		{"levels", with("features: [{name: a, expr: state.a, category: true, max_levels: 1001}]"), `5: experiments[0].features[0].max_levels: 1001 is outside 1..1000; write an integer within`},
		{"text as number", with("features: [{name: a, expr: action.tool}]"), `5: experiments[0].features[0].expr: "action.tool": gives a text; write an expression that gives a number (true and false count as 1 and 0)`},
		{"after the draw", with("groups: [{dimension: a, expr: success > 0}]"), `5: experiments[0].groups[0].expr: "success > 0": reads "success", which is known only after the draw; use what stood before it: ` + seen},
		{"all", with("groups: [{dimension: all, expr: index}]"), `5: experiments[0].groups[0].dimension: "all" is always there and holds every row; choose another name`},
		{"parentheses", with("groups: [{dimension: (other), expr: index}]"), `5: experiments[0].groups[0].dimension: names in parentheses are reserved; choose another`},

		// later versions
		{"blip groups", with("groups: [{dimension: tool, expr: action.tool}]", "blip_model: {groups: tol}"), `6: experiments[0].blip_model.groups: "tol" is not known; did you mean "tool"?`},
		{"moderator", with("features: [{name: errors, expr: state.errors}]", "blip_model: {moderators: [error]}"), `6: experiments[0].blip_model.moderators[0]: "error" is not known; did you mean "errors"?`},
		{"moderator category", with("features: [{name: a, expr: state.a, category: true}]", "blip_model: {moderators: [a]}"), `6: experiments[0].blip_model.moderators[0]: names a category, and a moderator is a number; name a feature without category: true`},
		{"moderator of none", with("blip_model: {moderators: [a]}"), `5: experiments[0].blip_model.moderators[0]: names no feature, and there is no numeric one; add it to features`},
		{"check", with("blip_model: {checks: [action.tool]}"), `5: experiments[0].blip_model.checks[0]: "action.tool": gives a text; write an expression that gives a number (true and false count as 1 and 0)`},
		{"intervene", with("policies: [{name: a, intervene: index}]"), `5: experiments[0].policies[0].intervene: "index": gives an integer; write an expression that gives true or false`},
		{"policy without", with("policies: [{name: a}]"), `5: experiments[0].policies[0].intervene: missing; write an expression that is true where the policy intervenes`},
		{"policy arm", with("policies: [{name: a, intervene: true, arm: direct}]"), `5: experiments[0].policies[0].arm: "direct" is not known; known here: review`},
		{"policy of several", strings.Replace(with("policies: [{name: a, intervene: true}]"), "[review]", "[a, b]", 1), `5: experiments[0].policies[0].arm: missing, and there are 2 interventions; name the one that the policy draws`},
		{"policy twice", with("policies: [{name: a, intervene: true}, {name: a, intervene: false}]"), `5: experiments[0].policies[1].name: the name is taken by another of the policies, in line 5; choose another`},
		{"contrast without", with("contrasts: [{to: all}]"), `5: experiments[0].contrasts[0].of: missing; write all, or DIMENSION=GROUP`},
		{"contrast dimension", with("groups: [{dimension: tool, expr: action.tool}]", "contrasts: [{of: tol=a}]"), `6: experiments[0].contrasts[0]: "tol=a" names no dimension; write all, DIMENSION=GROUP or rest of DIMENSION=GROUP with a dimension of: tool`},
		{"contrast of itself", with("groups: [{dimension: tool, expr: action.tool}]", "contrasts: [{of: tool=a, to: tool=a}]"), `6: experiments[0].contrasts[0]: "tool=a" and "tool=a" leave nothing to compare; name two groups, or the rest of a larger one`},
		{"contrast key", with("groups: [{dimension: tool, expr: action.tool}]", "contrasts: [{of: tool=a, agianst: all}]"), `6: experiments[0].contrasts[0].agianst: unknown key; known here: of, to`},
		{"policy probability", with("policies: [{name: a, intervene: true, probability: 1.5}]"), `5: experiments[0].policies[0].probability: 1.5 is outside [0, 1]; write a probability`},
	} {
		_, err := Parse("f", []byte(c.text), nil, nil)
		var want []string
		for _, line := range strings.Split(strings.TrimSpace(c.want), "\n") {
			want = append(want, "f:"+line)
		}
		if faults, ok := errors.AsType[*Faults](err); !ok || faults.Error() != strings.Join(want, "\n") {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, strings.Join(want, "\n"))
		}
	}
}

// A file in which nearly everything is wrong, and all that is said of it.
func TestAllFaultsAtOnce(t *testing.T) {
	text, err := os.ReadFile("testdata/all-wrong.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("blipd.yaml", text, environment, nil)
	if err == nil {
		t.Fatal("no fault")
	}
	got := err.Error() + "\n"
	if *update {
		if err := os.WriteFile("testdata/all-wrong.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/all-wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReferencesInValues(t *testing.T) {
	files := func(name string) ([]byte, error) {
		switch name {
		case "topic":
			return []byte("from.file\r\n"), nil
		case "large":
			return make([]byte, 1<<20), nil
		case "binary":
			return []byte{0xff}, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	for _, c := range []struct{ value, topic, fault string }{
		{"${env:TOPIC}", "from.env", ""},
		{"a.${env:TOPIC}.b", "a.from.env.b", ""},
		{"${env:NONE:-usual}", "usual", ""},
		{"${env:EMPTY:-usual}", "usual", ""},
		{"a${env:EMPTY}", "a", ""},
		{"${file:topic}", "from.file", ""},
		{"$${env:TOPIC}", "${env:TOPIC}", ""},
		{"$5", "$5", ""},
		{"${env:NONE}", "", "the environment has no NONE; set it, or give a default, ${env:NONE:-default}"},
		{"${file:none}", "", "${file:none}: file does not exist; create the file, or name another"},
		{"${file:large}", "", "${file:large} has 1048576 bytes, and at most 65536 fit into a value; name a smaller file"},
		{"${file:binary}", "", "what ${...} leads to is not UTF-8; give a text"},
		{"${TOPIC}", "", "an unknown ${ reference; write ${env:NAME}, ${env:NAME:-default} or ${file:path}, or $${ for a plain ${"},
	} {
		config, err := Parse("f", []byte("kafka: {topic: '"+c.value+"'}\n"+minimal), environment, files)
		switch {
		case c.fault != "":
			if err == nil || err.Error() != "f:1: kafka.topic: "+c.fault {
				t.Errorf("%s: %v\nwant %s", c.value, err, c.fault)
			}
		case err != nil || config.Kafka.Topic != c.topic:
			t.Errorf("%s: %v, want %s", c.value, err, c.topic)
		}
	}
	if config, err := Parse("f", []byte(with(`folds: "${env:FOLDS}"`)), environment, nil); err != nil || config.Experiments[0].Spec.Folds != 7 {
		t.Errorf("a number through a reference: %v", err)
	}
}

// Passwords and what comes through ${...} stand in no message, whatever is wrong.
func TestSecretsAreNotPrinted(t *testing.T) {
	const secret = `hunter"2\x`
	env := func(string) (string, bool) { return secret, true }
	quoted := `"${env:S}"`
	for _, text := range []string{
		"kafka: {sasl: {user: u, password: [hunter]}}\n" + minimal,
		"kafka: {sasl: {user: u, password: 123hunter}}\n" + minimal + "  folds: 1\n",
		"kafka: {sasl: {user: u, password: '${hunter'}}\n" + minimal,
		"kafka: {topic: " + quoted + ", isolation: " + quoted + ", brokers: [" + quoted + "], partitions: [" + quoted + "]}\n" + minimal,
		"state: {dir: " + quoted + ", sync_writes: " + quoted + ", keep_closed: " + quoted + ", memory: " + quoted + "}\n" + minimal,
		with("folds: "+quoted, "min_probability: "+quoted, "cluster: "+quoted, "features: [{name: a, expr: "+quoted+"}]"),
		with("groups: [{dimension: "+quoted+", expr: index}]", "blip_model: {groups: other}"), // a suggestion
		strings.Replace(with("policies: [{name: a, intervene: true, arm: b}]"), "review", quoted, 1),
		with("groups: [{dimension: a, expr: '${env:S} + '}]"),
	} {
		_, err := Parse("f", []byte(text), env, nil)
		if err == nil {
			t.Errorf("no fault in\n%s", text)
			continue
		}
		if strings.Contains(err.Error(), "hunter") {
			t.Errorf("a secret is printed:\n%v", err)
		}
	}
}
