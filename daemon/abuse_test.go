package daemon_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"blipd/config"
	"blipd/daemon"
	"blipd/estimators"
	"blipd/ingest"
	"blipd/state"
	"blipd/web"
)

// flood is a day of a fleet that names its tools and versions anew all the time:
// every hundredth trajectory never ends, so that no start period is complete.
type flood struct {
	trajectories, tools int
	rng                 *rand.Rand
	calls               int // that one draw decides
}

// write writes the day's events; each is told how many trajectories there were.
func (f *flood) write(w io.Writer, each func(n int)) {
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range f.trajectories {
		at := begin.Add(time.Duration(i) * 24 * time.Hour / time.Duration(f.trajectories))
		for j := range 4 {
			var calls []string
			for range f.calls {
				calls = append(calls, fmt.Sprintf(`{"tool":"tool%d"}`, f.rng.IntN(f.tools)))
			}
			fmt.Fprintf(w, `{"type":"decision","trajectory_id":"t%d","index":%d,"time":%q,"agent":{"version":"v%d"},"action":{"calls":[%s]},"state":{"s":%v},"assignment":{"arm":%q,"probabilities":{"direct":0.5,"review":0.5}}}`+"\n",
				i, j+1, at.Format(time.RFC3339Nano), f.rng.IntN(2*f.tools), strings.Join(calls, ","), f.rng.Float64(), []string{"direct", "review"}[f.rng.IntN(2)])
		}
		if i%100 != 0 {
			fmt.Fprintf(w, `{"type":"outcome","trajectory_id":"t%d","time":%q,"outcomes":{"score":%v}}`+"\n", i, at.Add(time.Second).Format(time.RFC3339Nano), f.rng.Float64())
		}
		each(i)
	}
}

const flooded = `
state: {dir: "${env:STATE}", sync_writes: false}
%s
experiments:
  - name: x
    arms: {control: direct, interventions: [review]}
    outcomes: [{name: score, range: [0, 1]}]
    features:
      - {name: tool, expr: action.tool, category: true}
      - {name: s, expr: state.s, range: [0, 1]}
      - {name: step, builtin: index, range: [0, 20]}
    groups:
      - {dimension: tool, expr: action.tool}
      - {dimension: version, expr: agent.version}
    blip_model: {groups: tool, moderators: [s]}
`

// read counts the day and returns the sums of all that has closed.
func (f *flood) read(t *testing.T, limits string, each func(n int)) *estimators.Moments {
	t.Helper()
	env := map[string]string{"STATE": t.TempDir()}
	cfg, err := config.Parse("f", fmt.Appendf(nil, flooded, limits), func(n string) (string, bool) { v, ok := env[n]; return v, ok }, nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.Open(cfg.State, "files")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, err := store.Partition(0, daemon.StateOptions(cfg))
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	go func() {
		f.write(w, each)
		_ = w.Close()
	}()
	if err := ingest.Files(context.Background(), []string{"-"}, r, cfg.Schema(), p, nil); err != nil {
		t.Fatal(err)
	}
	if of := p.Stats().Experiments[0]; of.Open != int64(f.trajectories/100) || of.Closed[state.ByOutcome] != int64(f.trajectories-f.trajectories/100) {
		t.Fatalf("the day is not counted: %+v", of)
	}
	closed, _ := daemon.MomentsOf(p, 0)
	return closed
}

// scraped is a source that knows one report.
type scraped struct {
	web.Source
	report *estimators.Report
}

func (s scraped) Experiments() []web.Experiment {
	return []web.Experiment{{Name: "x", Control: "direct", Interventions: []string{"review"}, Outcomes: []web.Outcome{{Name: "score", Better: "higher"}}, Dimensions: []string{"tool", "version"}}}
}
func (s scraped) Report(string, string) *estimators.Report { return s.report }
func (s scraped) Live() web.Live                           { return web.Live{Experiments: s.Experiments()} }
func (s scraped) Held() []state.Hold                       { return nil }

// seriesOf is the number of series of ours in a scrape.
func seriesOf(report *estimators.Report) (n int) {
	w := httptest.NewRecorder()
	web.Handler(web.Config{}, scraped{report: report}, nil).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "blipd_") {
			n++
		}
	}
	return n
}

// groupsOf counts the groups of each dimension in a report.
func groupsOf(report *estimators.Report) map[string]int {
	groups := map[string]map[string]bool{}
	for _, e := range report.Estimates {
		if groups[e.Dimension] == nil {
			groups[e.Dimension] = map[string]bool{}
		}
		groups[e.Dimension][e.Group] = true
	}
	count := map[string]int{}
	for dimension, names := range groups {
		count[dimension] = len(names)
	}
	return count
}

// mostSeries is what a scrape may have of these experiments: 8 series of each
// estimand in 50 groups of 2 dimensions and in all, and fewer than 200 others.
const mostSeries = 8*3*(2*50+1) + 200

// TestNamesWithoutEnd: names that are always new change neither what the sums take,
// nor the number of groups and series, once the limits are reached; the report says so.
func TestNamesWithoutEnd(t *testing.T) {
	const limits = "limits: {groups_per_dimension: 30, blip_levels: 8}"
	var sizes []int
	for _, trajectories := range []int{200, 1000} {
		f := flood{trajectories: trajectories, tools: trajectories, rng: rand.New(rand.NewPCG(1, 2)), calls: 3}
		sums := f.read(t, limits, func(int) {})
		b, err := sums.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(b))
		report := sums.Report()
		for dimension, n := range groupsOf(report) {
			if n > 31 {
				t.Errorf("%d trajectories: %d groups of %s", trajectories, n, dimension)
			}
		}
		if n := seriesOf(report); n > mostSeries || n < 100 {
			t.Errorf("%d trajectories: %d series, the most is %d", trajectories, n, mostSeries)
		}
		said := map[string]bool{}
		for _, c := range report.Health {
			said[c.Name] = c.OK
		}
		if said["groups"] || said["blip_levels"] {
			t.Errorf("%d trajectories: the report does not say that groups share: %v", trajectories, said)
		}
	}
	if sizes[1] > sizes[0]*5/4 {
		t.Errorf("sums take %d bytes after 200 trajectories and %d after 1000", sizes[0], sizes[1])
	}
}

// TestFiftyThousandTools: a day with as many distinct tools, twice as many versions
// and 25 start periods that are not complete stays below 2 GiB with default limits.
func TestFiftyThousandTools(t *testing.T) {
	if os.Getenv("BLIPD_HEAVY") == "" {
		t.Skip("takes a minute; BLIPD_HEAVY=1")
	}
	peak := uint64(0)
	f := flood{trajectories: 50_000, tools: 50_000, rng: rand.New(rand.NewPCG(1, 2)), calls: 1}
	report := f.read(t, "", func(n int) {
		if n%5000 == 0 || n == f.trajectories-1 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}).Report()
	n := seriesOf(report)
	t.Logf("heap %d MB at most, %d series, groups %v", peak>>20, n, groupsOf(report))
	if peak > 2<<30 {
		t.Errorf("the heap grew to %d MB", peak>>20)
	}
	if n > mostSeries {
		t.Errorf("%d series, the most is %d", n, mostSeries)
	}
}
