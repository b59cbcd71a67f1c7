package daemon

import (
	"sync"
	"time"

	"blipd/web"
)

// durationBounds are the upper bounds, in seconds, by which durations are
// counted: from a commit on a fast disk to one that stalls.
var durationBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// durations counts how long something takes.
type durations struct {
	mu     sync.Mutex // guards all below
	counts []uint64   // by bound, not cumulative; the last is above all
	sum    float64
}

func newDurations() *durations { return &durations{counts: make([]uint64, len(durationBounds)+1)} }

func (d *durations) observe(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := len(durationBounds)
	for i, bound := range durationBounds {
		if took.Seconds() <= bound {
			at = i
			break
		}
	}
	d.counts[at]++
	d.sum += took.Seconds()
}

// histogram is what was observed so far.
func (d *durations) histogram() web.Durations {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := web.Durations{Sum: d.sum, Buckets: map[float64]uint64{}}
	for i, n := range d.counts {
		h.Count += n
		if i < len(durationBounds) {
			h.Buckets[durationBounds[i]] = h.Count
		}
	}
	return h
}
