package daemon

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// difference is what another configuration changes of the one in effect.
type difference struct {
	applied []string // what a reload puts into effect, as keys or as words
	restart []string // keys that only a restart does
	other   []string // keys that make it the configuration of another log
	epochs  []string // experiments that begin an epoch
	intake  bool     // partitions go by it: they are opened anew
}

// compare says what next changes of now.
func compare(now, next *Config) difference {
	var d difference
	for _, key := range slices.Concat(changed("kafka", now.Kafka, next.Kafka), changed("state", now.State, next.State), changed("web", now.Web, next.Web)) {
		switch key {
		case "kafka.topic", "state.dir":
			d.other = append(d.other, key)
		case "metrics.groups_per_dimension":
			d.applied = append(d.applied, key)
		default:
			d.restart = append(d.restart, key)
		}
	}
	if now.RefitInterval != next.RefitInterval {
		d.applied = append(d.applied, "refit.interval")
	}
	if now.ShutdownTimeout != next.ShutdownTimeout {
		d.applied = append(d.applied, "shutdown_timeout")
	}
	d.applied = append(d.applied, changed("outputs", now.Outputs, next.Outputs)...)
	limits := slices.Concat(changed("limits", now.Limits.Event, next.Limits.Event), changed("limits", now.Limits.State, next.Limits.State))
	d.applied = append(d.applied, limits...)
	d.intake = len(limits) > 0 || (now.Outputs.DeadLetters == "") != (next.Outputs.DeadLetters == "")
	d.experiments(now, next)
	return d
}

// experiments compares those by name.
func (d *difference) experiments(now, next *Config) {
	say := func(name, what string) { d.applied = append(d.applied, fmt.Sprintf("experiment %s: %s", name, what)) }
	names := func(c *Config) (all []string) {
		for i := range c.Experiments {
			all = append(all, c.Experiments[i].Rules.Experiment.Name)
		}
		return all
	}
	before, after := names(now), names(next)
	d.intake = d.intake || !slices.Equal(before, after)
	for _, name := range before {
		if !slices.Contains(after, name) {
			say(name, "removed")
		}
	}
	for x, name := range after {
		at := slices.Index(before, name)
		if at < 0 {
			say(name, "added")
			d.epochs = append(d.epochs, name)
			continue
		}
		old, e := &now.Experiments[at], &next.Experiments[x]
		if old.Rules.Hash != e.Rules.Hash {
			say(name, "definition")
			d.epochs, d.intake = append(d.epochs, name), true
		}
		if old.Rules.Hash == e.Rules.Hash && !slices.Equal(old.Rules.Policies, e.Rules.Policies) {
			say(name, "policies")
			d.intake = true
		}
		if old.Spec.MaxClusters != e.Spec.MaxClusters {
			say(name, "limits.clusters")
			d.intake = true
		}
		if !reflect.DeepEqual(old.Spec.Contrasts, e.Spec.Contrasts) {
			say(name, "contrasts")
		}
	}
}

// named are the keys of fields whose names are not theirs.
var named = map[string]string{
	"kafka.read_committed":     "kafka.isolation",
	"web.groups_per_dimension": "metrics.groups_per_dimension",
	"state.stop_on_damage":     "state.on_damage",
	"web.file":                 "web.config_file",
	"web.tls":                  "web.config_file", // what is in it
	"web.users":                "web.config_file",
}

// changed lists the keys of a section whose values differ, in the order of the
// fields that they are read into.
func changed(section string, now, next any) (keys []string) {
	a, b := reflect.ValueOf(now), reflect.ValueOf(next)
	for i := range a.NumField() {
		field := a.Type().Field(i)
		if !isRead(field.Type) || reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		key := section + "." + keyOf(field.Name)
		if other := named[key]; other != "" {
			key = other
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// isRead tells whether a file can say what is in a field: functions and the logger
// are the daemon's own.
func isRead(field reflect.Type) bool {
	return field.Kind() != reflect.Func && field != reflect.TypeFor[*slog.Logger]()
}

// keyOf is a field's name as the file writes it: SyncWrites is sync_writes, TLS
// is tls.
func keyOf(field string) string {
	var key strings.Builder
	lower := false // the letter before
	for _, r := range field {
		if unicode.IsUpper(r) && lower {
			key.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		key.WriteRune(unicode.ToLower(r))
	}
	return key.String()
}
