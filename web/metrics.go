package web

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics serves a registry of its own: ours, those of Go and of the process.
func metrics(cfg Config, source Source, log *slog.Logger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&collector{cfg: cfg, source: source, revision: revision()},
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:          logLogger("metrics", slog.LevelError, log),
		ErrorHandling:     promhttp.ContinueOnError, // one bad series costs no other
		EnableOpenMetrics: true,
	})
}

// revision is the commit of this build, or "unknown".
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// collector reads the source at each scrape and keeps nothing, so a series of
// what is gone disappears with it.
type collector struct {
	cfg      Config // complete
	source   Source
	revision string
}

// Describe lists every metric that Collect may send.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, f := range families() {
		to <- f.desc
	}
}

// Collect sends what is known now.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	out := &emitter{to: to, seen: map[series]bool{}}
	live := c.source.Live()
	held := map[string]bool{}
	for _, h := range c.source.Held() {
		held[h.Experiment] = true
	}
	most := cmp.Or(live.GroupsPerDimension, c.cfg.GroupsPerDimension)
	for _, e := range live.Experiments {
		c.collectReport(out, &e, most)
		out.send(holdActive, indicator(held[e.Name]), e.Name)
	}
	collectIntake(out, &live)
	collectExperiments(out, &live)
	out.histogram(refitSeconds, live.Refits)
	out.histogram(commitSeconds, live.Commits)
	if !live.LastRefit.IsZero() {
		out.send(refitLastSuccess, seconds(live.LastRefit))
	}
	out.send(stateSetAside, float64(live.SetAside))
	out.send(deadLettersDropped, float64(live.DeadLettersDropped))
	collectProgress(out, &live)
	out.send(reloadSuccessful, indicator(live.Reload.Successful))
	if !live.Reload.LastOK.IsZero() {
		out.send(reloadLastSuccess, seconds(live.Reload.LastOK))
	}
	out.send(buildInfo, 1, live.Version, c.revision, runtime.Version())
}

// seconds since 1970.
func seconds(t time.Time) float64 {
	return float64(t.Unix()) + float64(t.Nanosecond())/float64(time.Second)
}

// emitter sends metrics of one scrape. A scrape fails as a whole on one label
// that is no UTF-8 or on one set of labels sent twice; it lets neither through.
type emitter struct {
	to   chan<- prometheus.Metric
	seen map[series]bool
}

// series is a metric with the values of its labels in a row.
type series struct {
	family *family
	labels string
}

// send sends one series, once; a value that is no finite number is not sent.
func (o *emitter) send(f *family, value float64, labels ...string) {
	if !isFinite(value) || !o.first(f, labels) {
		return
	}
	o.to <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

// first mends labels in place and tells whether they come for the first time.
func (o *emitter) first(f *family, labels []string) bool {
	for i := range labels {
		labels[i] = strings.ToValidUTF8(labels[i], "\uFFFD")
	}
	s := series{f, strings.Join(labels, "\xff")} // a byte that is in no UTF-8 text
	if o.seen[s] {
		return false
	}
	o.seen[s] = true
	return true
}

// histogram sends durations.
func (o *emitter) histogram(f *family, d Durations) {
	if o.first(f, nil) {
		o.to <- prometheus.MustNewConstHistogram(f.desc, d.Count, d.Sum, d.Buckets)
	}
}

// indicator is 1 for true.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
