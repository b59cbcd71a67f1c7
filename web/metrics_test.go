package web

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// scrape parses a scrape in the text format.
func scrape(t *testing.T, source Source) map[string]*dto.MetricFamily {
	t.Helper()
	body, response := get(t, source, "/metrics")
	if response.StatusCode != 200 {
		t.Fatalf("scrape: %d %s", response.StatusCode, body)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatalf("scrape does not parse: %v", err)
	}
	return parsed
}

// value is the value of the one series of a metric with these labels, given as
// name, value, name, value; ok is false where there is none.
func value(t *testing.T, in map[string]*dto.MetricFamily, metric string, labels ...string) (v float64, ok bool) {
	t.Helper()
	found := 0
	for _, m := range in[metric].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		match := true
		for i := 0; i+1 < len(labels); i += 2 {
			match = match && has[labels[i]] == labels[i+1]
		}
		if match {
			found++
			v = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	if found > 1 {
		t.Errorf("%s%q: %d series", metric, labels, found)
	}
	return v, found == 1
}

func TestScrapeCountsWhatPartitionsCounted(t *testing.T) {
	got := scrape(t, world())
	for _, c := range []struct {
		metric string
		labels []string
		want   float64
	}{
		{"blipd_records_total", []string{"topic", "blipd.events"}, 101100},
		{"blipd_records_rejected_total", []string{"reason", "malformed"}, 3},
		{"blipd_records_rejected_total", []string{"reason", "too_many"}, 0},
		{"blipd_assignments_total", []string{"experiment", "retail", "arm", "review"}, 44213},
		{"blipd_assignments_expected_total", []string{"experiment", "retail", "arm", "direct"}, 44100.25},
		{"blipd_decisions_not_randomized_total", []string{"experiment", "retail", "reason", "forced"}, 41},
		{"blipd_decisions_not_randomized_total", []string{"experiment", "retail", "reason", "arms_differ"}, 0},
		{"blipd_trajectories_open", nil, 214},
		{"blipd_trajectories_closed_total", []string{"how", "outcome"}, 12840},
		{"blipd_trajectories_closed_total", []string{"how", "censored"}, 31},
		{"blipd_input_lag_records", []string{"topic", "blipd.events", "partition", "0"}, 17},
		{"blipd_stream_time_seconds", []string{"partition", "0"}, float64(noon.Unix())},
		{"blipd_complete_to_timestamp_seconds", []string{"experiment", "retail"}, float64(noon.Unix() - 7200)},
		{"blipd_partition_stopped", []string{"topic", "blipd.events", "partition", "1", "reason", "recreated"}, 1},
		{"blipd_log_went_back_total", []string{"topic", "blipd.events"}, 2},
		{"blipd_topic_id_known", []string{"topic", "blipd.events"}, 1},
		{"blipd_outbox_records", nil, 5},
		{"blipd_intake_paused", []string{"reason", "memory"}, 0},
		{"blipd_refit_last_success_timestamp_seconds", nil, float64(noon.Unix())},
		{"blipd_policy_support_low", []string{"experiment", "retail", "outcome", "success", "arm", "review", "policy", "writes"}, 1},
		{"blipd_health_check_ok", []string{"experiment", "retail", "check", "assignment"}, 1},
		{"blipd_groups_hidden", []string{"experiment", "retail", "dimension", "tool"}, 0},
		{"blipd_dead_letters_dropped_total", nil, 0},
		{"blipd_build_info", []string{"version", "1.2.3"}, 1},
		{"go_goroutines", nil, -1},
		{"process_start_time_seconds", nil, -1},
	} {
		if v, ok := value(t, got, c.metric, c.labels...); !ok || c.want >= 0 && v != c.want {
			t.Errorf("%s%q = %v, %v; want %v", c.metric, c.labels, v, ok, c.want)
		}
	}
	for metric, absent := range map[string][]string{
		"blipd_input_lag_records":   {"partition", "1"}, // unknown
		"blipd_stream_time_seconds": {"partition", "1"}, // does not exist yet
		"blipd_partition_stopped":   {"partition", "0"}, // is read
	} {
		if v, ok := value(t, got, metric, absent...); ok {
			t.Errorf("%s%q = %v, want none", metric, absent, v)
		}
	}
	if n := len(got["blipd_records_rejected_total"].GetMetric()); n != len(event.Reasons()) {
		t.Errorf("%d reasons, want %d", n, len(event.Reasons()))
	}
	h := got["blipd_refit_seconds"].GetMetric()[0].GetHistogram()
	if h.GetSampleCount() != 10 || h.GetSampleSum() != 0.5 || h.GetBucket()[1].GetCumulativeCount() != 9 {
		t.Errorf("blipd_refit_seconds: %v", h)
	}
}

func TestScrapeCarriesEffects(t *testing.T) {
	f := world()
	got := scrape(t, f)
	for _, x := range f.reports["retail/closed"].Estimates {
		if x.Estimand == estimators.ContrastOf { // no series of the contract
			continue
		}
		labels := []string{"experiment", "retail", "estimand", x.Estimand, "outcome", x.Outcome, "arm", x.Arm,
			"dimension", x.Dimension, "group", x.Group}
		prefix, ending := "blipd_effect", "_estimate"
		if x.Estimand == estimators.PolicyGain {
			labels = []string{"experiment", "retail", "outcome", x.Outcome, "arm", x.Arm, "policy", x.Policy}
			prefix, ending = "blipd_policy_gain", ""
		}
		for metric, want := range map[string]float64{
			prefix + ending: x.Value, prefix + "_std_error": x.StdError,
			prefix + "_ci_low": x.Low, prefix + "_ci_high": x.Up,
			prefix + "_sequence_low": x.SequenceLow, prefix + "_sequence_high": x.SequenceUp,
		} {
			if v, ok := value(t, got, metric, labels...); ok != (x.Status == estimators.OK) || ok && v != want {
				t.Errorf("%s of %s: %v, %v; want %v", metric, x.Group, v, ok, want)
			}
		}
		for metric, want := range map[string]int64{
			prefix + "_trajectories": x.Trajectories, prefix + "_decisions": x.Decisions,
		} {
			if v, ok := value(t, got, metric, labels...); !ok || v != float64(want) {
				t.Errorf("%s of %s: %v, %v; want %v", metric, x.Group, v, ok, want)
			}
		}
	}
}

// The verdict of the over-identification test is 1, the others are 0.
func TestScrapeCarriesModelChecks(t *testing.T) {
	got := scrape(t, world())
	for verdict, want := range map[string]float64{"pass": 0, "warn": 0, "fail": 1} {
		labels := []string{"experiment", "retail", "outcome", "success", "arm", "review", "check", verdict}
		if v, ok := value(t, got, "blipd_model_check", labels...); !ok || v != want {
			t.Errorf("%s: %v, %v; want %v", verdict, v, ok, want)
		}
	}
}

func TestScrapeBeforeTheFirstRefit(t *testing.T) {
	f := waiting()
	f.live.Partitions, f.live.Refits, f.live.Commits = nil, Durations{}, Durations{}
	got := scrape(t, f)
	for name := range got {
		if strings.HasPrefix(name, "blipd_effect_") || strings.Contains(name, "last_success") || strings.Contains(name, "groups_hidden") {
			t.Errorf("%s before the first refit", name)
		}
	}
	for _, r := range event.Reasons() {
		if v, ok := value(t, got, "blipd_records_rejected_total", "reason", r.String()); !ok || v != 0 {
			t.Errorf("rejected by %s: %v, %v", r, v, ok)
		}
	}
	for _, h := range state.Hows() {
		if v, ok := value(t, got, "blipd_trajectories_closed_total", "how", h.String()); !ok || v != 0 {
			t.Errorf("closed by %s: %v, %v", h, v, ok)
		}
	}
	if got["blipd_input_lag_records"] != nil {
		t.Error("lag of partitions that this process does not own")
	}
}

func TestGroupsAreCapped(t *testing.T) {
	f := world()
	all := []estimators.Estimate{effect("success", "all", "all", 900, 0, 1)}
	for i := range 60 {
		size := int64(1000 + i/2) // pairs of equal size
		all = append(all, effect("success", "tool", fmt.Sprintf("t%02d", i), size, 0, 1), effect("violation", "tool", fmt.Sprintf("t%02d", i), size, 0, 1))
	}
	all = append(all, effect("success", "stage", "late", 10, 0, 1))
	f.reports["retail/closed"] = reportOf(all...)
	got := scrape(t, f)
	for dimension, want := range map[string]float64{"tool": 10, "stage": 0} {
		if v, ok := value(t, got, "blipd_groups_hidden", "dimension", dimension); !ok || v != want {
			t.Errorf("hidden groups of %s: %v, %v; want %v", dimension, v, ok, want)
		}
	}
	if n := len(got["blipd_effect_estimate"].GetMetric()); n != 1+2*50+1 {
		t.Errorf("%d effects", n)
	}
	for group, want := range map[string]bool{"t59": true, "t10": true, "t11": true, "t09": false, "t08": false, "t00": false} {
		if _, ok := value(t, got, "blipd_effect_estimate", "outcome", "violation", "group", group); ok != want {
			t.Errorf("group %s shown: %v", group, ok)
		}
	}
	if order := fmt.Sprint(bySize(map[string]int64{"b": 2, "a": 2, "c": 3, "d": 1})); order != "[c a b d]" {
		t.Errorf("order %s", order)
	}
}

// hostile are names that events may bring.
var hostile = []string{
	"", " ", "a\x00b\x01\x1f\x7f", "line\nbreak\r\n\ttab", `quote"d \ back\\slash\`, "{experiment=\"x\"} 1", "# HELP x", "# EOF\n",
	strings.Repeat("é", 128), "🦊👩‍👩‍👧", "\u202eright to left", "zero\u200bwidth", "<script>alert('x')</script>", "{{.}}", "</table><!--", "%s%n",
	"\uFFFD", "(missing)", "(other)", "(pooled)", "NaNs & +Infs",
}

func hostileWorld() *fake {
	f := world()
	all := []estimators.Estimate{effect("success", "all", "all", 900, 0.1, 0.01)}
	for i, name := range hostile {
		all = append(all, effect("success", "tool", name, int64(1000-i), 0.1, 0.01))
	}
	f.reports["retail/closed"] = reportOf(all...)
	f.reports["retail/closed"].Health = append(f.reports["retail/closed"].Health, estimators.Check{Name: hostile[2], Detail: hostile[12]})
	f.live.Topic = hostile[4]
	return f
}

func TestHostileNamesSurviveAScrape(t *testing.T) {
	got := scrape(t, hostileWorld())
	seen := map[string]bool{}
	for _, m := range got["blipd_effect_estimate"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "group" {
				seen[l.GetValue()] = true
			}
		}
	}
	for _, name := range hostile {
		if !seen[name] {
			t.Errorf("group %q does not come back", name)
		}
	}
	open := do(t, hostileWorld(), http.MethodGet, "/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
	if text := textOf(t, open); open.StatusCode != 200 || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("openmetrics: %d, ends with %q", open.StatusCode, text[max(0, len(text)-40):])
	}
}

func TestABadSeriesCostsNoScrape(t *testing.T) {
	f := world()
	bad := effect("success", "tool", "overflow", 500, 0.1, 0.01)
	bad.SequenceUp = math.Inf(1)
	f.reports["retail/closed"] = reportOf(
		effect("success", "tool", "same", 500, 0.1, 0.01), effect("success", "tool", "same", 500, 0.2, 0.01),
		effect("success", "tool", "\xff", 500, 0.1, 0.01), effect("success", "tool", "\xfe", 500, 0.1, 0.01), bad)
	f.experiments = append(f.experiments, f.experiments[0])
	f.live.Partitions = append(f.live.Partitions, f.live.Partitions[0])
	got := scrape(t, f)
	if v, ok := value(t, got, "blipd_effect_estimate", "group", "same"); !ok || v != 0.1 {
		t.Errorf("twice the same: %v, %v; want the first", v, ok)
	}
	if _, ok := value(t, got, "blipd_effect_estimate", "group", "\uFFFD"); !ok {
		t.Error("names that are no UTF-8 have no series")
	}
	if _, ok := value(t, got, "blipd_effect_estimate", "group", "overflow"); ok {
		t.Error("an effect with an infinite interval has a value")
	}
}

func TestMetricsPassTheLinter(t *testing.T) {
	body, _ := get(t, world(), "/metrics")
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	// The registry checks each series against its description, and that all are described.
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&collector{cfg: Config{}.orDefaults(), source: hostileWorld()})
	if _, err := registry.Gather(); err != nil {
		t.Error(err)
	}
	if described, sent := len(families()), countOurs(body); described != sent {
		t.Errorf("%d metrics described, %d sent by a world that has them all", described, sent)
	}
}

func countOurs(body string) int {
	return strings.Count(body, "\n# TYPE blipd_") + strings.Count(body[:12], "# TYPE blipd")
}

// TestLimitsAreCounted: what shares its sums because of a limit is counted under the
// limit's key, and other checks are not.
func TestLimitsAreCounted(t *testing.T) {
	f := world()
	f.reports["retail/closed"].Health = []estimators.Check{
		{Name: "groups", Value: 12}, {Name: "blip_levels", OK: true}, {Name: "clusters", Value: 99}, {Name: "open_share", Value: 0.5},
	}
	in := scrape(t, f)
	for limit, want := range map[string]float64{"groups_per_dimension": 12, "blip_levels": 0, "clusters": 99} {
		if v, ok := value(t, in, "blipd_limited_decisions", "experiment", "retail", "limit", limit); !ok || v != want {
			t.Errorf("%s: %v %v, want %v", limit, v, ok, want)
		}
	}
	if n := len(in["blipd_limited_decisions"].GetMetric()); n != 3 {
		t.Errorf("%d limits", n)
	}
}
