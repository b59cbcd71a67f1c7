package daemon

import (
	"math"
	"time"

	"blipd/web"
)

// trackSpan is the time over which speed is measured, and trackEvery the least
// time between two samples of it.
const (
	trackSpan  = 30 * time.Second
	trackEvery = 100 * time.Millisecond
)

// track is how reading has gone of late. It knows no clock.
type track struct {
	samples []sample // the oldest first, of one counting
	last    sample   // the newest that was seen
}

// sample is what was counted at one time.
type sample struct {
	at           time.Time
	done, behind int64 // records
}

// see takes a sample, later than those before. One whose count is lower is of
// another counting: what was seen before is forgotten.
func (t *track) see(s sample) {
	if s.done < t.last.done {
		t.samples = nil
	}
	t.last = s
	if n := len(t.samples); n > 0 && s.at.Sub(t.samples[n-1].at) < trackEvery {
		return
	}
	t.samples = append(t.samples, s)
	for len(t.samples) > 2 && s.at.Sub(t.samples[1].at) >= trackSpan {
		t.samples = t.samples[1:]
	}
}

// rates are how many records a second are counted, and by how many fewer records
// it is behind each second; both 0 while that is not known.
func (t *track) rates() (counted, nearer float64) {
	if len(t.samples) == 0 {
		return 0, 0
	}
	first := t.samples[0]
	seconds := t.last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(t.last.done-first.done) / seconds, float64(first.behind-t.last.behind) / seconds
}

// farthest is the longest time that an end is said for.
const farthest = 10 * 365 * 24 * time.Hour

// progress says how far reading has come and, while it comes nearer to the end,
// when it will be there.
func (t *track) progress(topic string) web.Progress {
	counted, nearer := t.rates()
	p := web.Progress{Topic: topic, Done: t.last.done, Behind: t.last.behind, Rate: math.Round(counted*10) / 10, Level: t.level()}
	if p.Behind <= 0 || nearer <= 0 {
		return p
	}
	if left := math.Ceil(float64(p.Behind) / nearer); left <= farthest.Seconds() {
		end := t.last.at.Add(time.Duration(left) * time.Second).UTC().Truncate(time.Second)
		p.Left, p.End = &left, &end
	}
	return p
}

// What counts as level with the end of the log: no more records behind than this,
// or than are counted in so many seconds, as batches and commits come in steps. A
// speed that was measured for less time than that is of a burst.
const (
	levelRecords = 1000
	levelSeconds = 5
)

// level tells whether reading is at the end of the log, give or take what comes
// while it is under way.
func (t *track) level() bool {
	if t.last.behind <= levelRecords {
		return true
	}
	counted, _ := t.rates()
	return t.last.at.Sub(t.samples[0].at) >= levelSeconds*time.Second && float64(t.last.behind) <= levelSeconds*counted
}
