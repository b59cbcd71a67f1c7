package daemon

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCompareNamesEveryField: a field that differs is named by exactly one key,
// also one that is new to this program and that nobody has thought of here.
func TestCompareNamesEveryField(t *testing.T) {
	var keys []string
	for _, section := range []string{"Kafka", "State", "Web", "Outputs"} {
		kind := reflect.ValueOf(Config{}).FieldByName(section).Type()
		for i := range kind.NumField() {
			if !isRead(kind.Field(i).Type) {
				continue
			}
			var next Config
			field := reflect.ValueOf(&next).Elem().FieldByName(section).Field(i)
			field.Set(other(field.Type()))
			d := compare(&Config{}, &next)
			told := slices.Concat(d.applied, d.restart, d.other)
			if len(told) != 1 {
				t.Errorf("%s.%s differs: told %q", section, kind.Field(i).Name, told)
			}
			keys = append(keys, told...)
		}
	}
	for _, key := range []string{"kafka.brokers", "kafka.topic", "kafka.group", "kafka.partitions", "kafka.isolation", "kafka.tls", "kafka.sasl",
		"state.dir", "state.sync_writes", "state.keep_closed", "state.memory", "state.min_free", "state.on_damage", "web.listen", "web.config_file", "web.debug_listen", "metrics.groups_per_dimension", "outputs.dead_letters"} {
		if !slices.Contains(keys, key) {
			t.Errorf("%s is not told, only %q", key, keys)
		}
	}
	slices.Sort(keys)
	if n := len(keys); len(slices.Compact(keys)) != n-2 { // web.config_file is of three fields
		t.Errorf("a key is told of two fields: %q", keys)
	}
}

// other is a value that is not zero.
func other(kind reflect.Type) reflect.Value {
	v := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Pointer:
		return reflect.New(kind.Elem())
	case reflect.Slice:
		return reflect.MakeSlice(kind, 1, 1)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	default:
		v.SetInt(1)
	}
	return v
}

// TestCompareExperiments: what begins an epoch and what opens partitions anew.
func TestCompareExperiments(t *testing.T) {
	of := func(names string, change func(*Experiment)) *Config {
		c := &Config{}
		for _, name := range names {
			e := Experiment{}
			e.Rules.Experiment.Name, e.Rules.Hash = string(name), "1"
			if name == 'a' && change != nil {
				change(&e)
			}
			c.Experiments = append(c.Experiments, e)
		}
		return c
	}
	for _, c := range []struct {
		what string
		next *Config
		want difference
	}{
		{"nothing", of("ab", nil), difference{}},
		{"words alone", of("ab", func(e *Experiment) { e.NotYet = []string{"x"} }), difference{}},
		{"order", of("ba", nil), difference{intake: true}},
		{"definition", of("ab", func(e *Experiment) { e.Rules.Hash = "2" }), difference{applied: []string{"experiment a: definition"}, epochs: []string{"a"}, intake: true}},
		{"policies", of("ab", func(e *Experiment) { e.Rules.Policies = []string{"p"} }), difference{applied: []string{"experiment a: policies"}, intake: true}},
		{"clusters", of("ab", func(e *Experiment) { e.Spec.MaxClusters = 9 }), difference{applied: []string{"experiment a: limits.clusters"}, intake: true}},
		{"added", of("abc", nil), difference{applied: []string{"experiment c: added"}, epochs: []string{"c"}, intake: true}},
		{"removed", of("a", nil), difference{applied: []string{"experiment b: removed"}, intake: true}},
		{"replaced", of("cb", nil), difference{applied: []string{"experiment a: removed", "experiment c: added"}, epochs: []string{"c"}, intake: true}},
	} {
		if diff := cmp.Diff(c.want, compare(of("ab", nil), c.next), cmp.AllowUnexported(difference{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}
