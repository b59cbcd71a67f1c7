package daemon

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

var dawn = time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)

// told is what a track says after samples of one a second.
func told(samples ...[2]int64) string {
	t := &track{}
	for i, s := range samples {
		t.see(sample{at: dawn.Add(time.Duration(i) * time.Second), done: s[0], behind: s[1]})
	}
	b, err := json.Marshal(t.progress("e")) // fails on what is no number
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestTrack(t *testing.T) {
	for _, c := range []struct {
		what    string
		samples [][2]int64
		want    string
	}{
		{"nothing", nil, `{"topic":"e","records_done":0,"records_behind":0,"records_per_second":0,"level":true}`},
		{"one sample", [][2]int64{{0, 9000}}, `{"topic":"e","records_done":0,"records_behind":9000,"records_per_second":0,"level":false}`},
		{"at a steady pace", [][2]int64{{0, 90_000}, {1000, 89_000}, {2000, 88_000}},
			`{"topic":"e","records_done":2000,"records_behind":88000,"records_per_second":1000,"level":false,"seconds_left":88,"level_at":"2026-11-30T06:01:30Z"}`},
		{"while the log grows", [][2]int64{{0, 90_000}, {1000, 89_500}, {2000, 89_000}},
			`{"topic":"e","records_done":2000,"records_behind":89000,"records_per_second":1000,"level":false,"seconds_left":178,"level_at":"2026-11-30T06:03:00Z"}`},
		{"coming no nearer", [][2]int64{{0, 90_000}, {1000, 90_000}}, `{"topic":"e","records_done":1000,"records_behind":90000,"records_per_second":1000,"level":false}`},
		{"falling behind", [][2]int64{{0, 90_000}, {1000, 95_000}}, `{"topic":"e","records_done":1000,"records_behind":95000,"records_per_second":1000,"level":false}`},
		{"standing still", [][2]int64{{5, 90_000}, {5, 90_000}, {5, 90_000}}, `{"topic":"e","records_done":5,"records_behind":90000,"records_per_second":0,"level":false}`},
		{"so slow that no end is said", [][2]int64{{0, math.MaxInt64}, {1, math.MaxInt64 - 1}}, `{"topic":"e","records_done":1,"records_behind":9223372036854775806,"records_per_second":1,"level":false}`},
		{"at the end", [][2]int64{{0, 500}, {500, 0}}, `{"topic":"e","records_done":500,"records_behind":0,"records_per_second":500,"level":true}`},
		{"a burst", [][2]int64{{0, 400_000}, {100_000, 400_000}, {200_000, 400_000}}, `{"topic":"e","records_done":200000,"records_behind":400000,"records_per_second":100000,"level":false}`},
		{"as fast as what comes", [][2]int64{{0, 400_000}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {500_000, 400_000}}, `{"topic":"e","records_done":500000,"records_behind":400000,"records_per_second":100000,"level":true}`},
		{"another counting", [][2]int64{{5000, 100}, {6000, 100}, {0, 8000}, {1000, 7000}},
			`{"topic":"e","records_done":1000,"records_behind":7000,"records_per_second":1000,"level":false,"seconds_left":7,"level_at":"2026-11-30T06:00:10Z"}`},
	} {
		if got := told(c.samples...); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
}

// TestTrackForgets: speed is that of the last half minute, and memory is bounded
// however often is looked.
func TestTrackForgets(t *testing.T) {
	var tr track
	done, behind := int64(0), int64(1_000_000)
	for i := range 100_000 {
		step := int64(1)
		if i >= 50_000 {
			step = 3
		}
		done, behind = done+step, behind-step
		tr.see(sample{at: dawn.Add(time.Duration(i) * 10 * time.Millisecond), done: done, behind: behind})
	}
	if counted, nearer := tr.rates(); math.Abs(counted-300) > 1e-6 || math.Abs(nearer-300) > 1e-6 {
		t.Errorf("%v counted and %v nearer a second, want 300", counted, nearer)
	}
	if most := int(trackSpan/trackEvery) + 2; len(tr.samples) > most {
		t.Errorf("%d samples are kept, want at most %d", len(tr.samples), most)
	}
	// Two looks at one moment say nothing, and break nothing.
	tr = track{}
	tr.see(sample{at: dawn, behind: 5000})
	tr.see(sample{at: dawn, done: 10, behind: 4990})
	if counted, nearer := tr.rates(); counted != 0 || nearer != 0 {
		t.Errorf("%v, %v from one moment", counted, nearer)
	}
}

// TestRefitPause: while the daemon catches up refits take a twentieth of the time
// at most; else they come as configured.
func TestRefitPause(t *testing.T) {
	for _, c := range []struct {
		took   time.Duration
		behind bool
		want   time.Duration
	}{{time.Second, false, 10 * time.Second}, {10 * time.Millisecond, true, 10 * time.Second}, {time.Second, true, 19 * time.Second}, {time.Minute, false, 10 * time.Second}} {
		if got := refitPause(10*time.Second, c.took, c.behind); got != c.want {
			t.Errorf("a refit of %s, behind %v: pause %s, want %s", c.took, c.behind, got, c.want)
		}
	}
}
