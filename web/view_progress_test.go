package web

import (
	"strings"
	"testing"
	"time"
)

// TestBars: what is under way stands at the top of the page with a bar and in
// words, and nothing else does.
func TestBars(t *testing.T) {
	at := func(behind int64, left float64) *Progress {
		p := &Progress{Topic: "blipd.events", Done: 3_000_000, Behind: behind, Rate: 52_000.5}
		if left > 0 {
			p.Left, p.End = new(left), new(noon.Add(time.Duration(left)*time.Second))
		}
		return p
	}
	for _, c := range []struct {
		what     string
		level    bool
		progress *Progress
		rebuild  *Rebuild
		want     []string // parts of the words
		bars     int
	}{
		{"nothing known", false, nil, nil, nil, 0},
		{"level", true, at(0, 0), nil, nil, 0},
		{"a batch behind", true, at(900, 1), nil, nil, 0},
		{"a backfill", false, at(1_000_000, 7200), nil,
			[]string{"Catching up with blipd.events:", "75.0 %", "1,000,000 records to go, 52,000 a second, done in about 2 h 0 min, at 14:00:00 on 29 Nov UTC"}, 1},
		{"a backfill that comes no nearer", false, at(1_000_000, 0), nil, []string{"1,000,000 records to go, 52,000 a second"}, 1},
		{"nearly there is not there", false, at(1, 0), nil, []string{"99.9 %"}, 1},
		{"a rebuild", true, at(0, 0), &Rebuild{Phase: Rebuilding, Progress: Progress{Topic: "blipd.events", Done: 0, Behind: 10}},
			[]string{"Rebuilding the state of blipd.events: 0.0 %", "10 records to go. The state before is in use meanwhile."}, 1},
		{"a rebuild of nothing", true, at(0, 0), &Rebuild{Phase: Rebuilding}, []string{"0.0 %"}, 1},
		{"a rebuild that is over", true, at(0, 0), &Rebuild{Phase: GivenUp, Detail: "why"}, nil, 0},
		{"both", false, at(10, 0), &Rebuild{Phase: Rebuilding}, nil, 2},
	} {
		f := world()
		if c.progress != nil {
			c.progress.Level = c.level
		}
		f.live.Progress, f.live.Rebuild = c.progress, c.rebuild
		body := render(t, f)
		mustSay(t, wordsOf(body), c.want...)
		if n := strings.Count(body, "<progress "); n != c.bars {
			t.Errorf("%s: %d bars, want %d", c.what, n, c.bars)
		}
	}
}

// TestNotes: what does not keep from being ready is told all the same.
func TestNotes(t *testing.T) {
	f := world()
	f.readiness.Notes = []string{"the configuration has other <web.listen>: restart blipd for them"}
	mustSay(t, wordsOf(render(t, f)), "the configuration has other <web.listen>: restart blipd for them")
	if body, response := get(t, f, "/-/ready"); response.StatusCode != 200 || !strings.Contains(body, "restart blipd") {
		t.Errorf("ready: %d %s", response.StatusCode, body)
	}
}

func TestProgressMetrics(t *testing.T) {
	got := scrape(t, world())
	for name, want := range map[string]float64{"blipd_input_level_in_seconds": 5, "blipd_rebuild_active": 1, "blipd_rebuild_records_done": 60100, "blipd_rebuild_records_behind": 41000} {
		if v, ok := value(t, got, name); !ok || v != want {
			t.Errorf("%s: %v, %v; want %v", name, v, ok, want)
		}
	}
	f := world()
	f.live.Rebuild, f.live.Progress.Left = nil, nil
	got = scrape(t, f)
	for _, name := range []string{"blipd_input_level_in_seconds", "blipd_rebuild_records_done", "blipd_rebuild_records_behind"} {
		if v, ok := value(t, got, name); ok {
			t.Errorf("%s is %v though nothing is known", name, v)
		}
	}
	if v, ok := value(t, got, "blipd_rebuild_active"); !ok || v != 0 {
		t.Errorf("blipd_rebuild_active: %v, %v; want 0", v, ok)
	}
}
