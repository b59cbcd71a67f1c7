package kafka

import (
	"context"
	"sync"
	"time"
)

// longestPause caps the pauses between tries, and so the time that is lost after
// a cluster has come back.
const longestPause = 30 * time.Second

// health turns the troubles of many parties into one state: all well, or not.
type health struct {
	changed func(error)

	mu       sync.Mutex // guards the fields below and orders the calls of changed
	down     bool       // what changed was told last
	troubles map[string]error
}

// set notes that a source is in trouble; the first of all is told.
func (h *health) set(source string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.troubles[source] = err
	if !h.down {
		h.down = true
		h.tell(err)
	}
}

// clear notes that a source did what was asked of it; the last to recover is told.
func (h *health) clear(source string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.troubles, source)
	if h.down && len(h.troubles) == 0 {
		h.down = false
		h.tell(nil)
	}
}

// forget drops a source that is not asked any more. It proves nothing about the
// cluster, so nothing is told; the next success is.
func (h *health) forget(source string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.troubles, source)
}

func (h *health) tell(err error) {
	if h.changed != nil {
		h.changed(err)
	}
}

// backoff is the pause of something that failed: doubling, without jitter.
type backoff struct {
	failures int
	until    time.Time
}

func (b *backoff) fail(first time.Duration) {
	pause := first << min(b.failures, 20)
	b.failures++
	b.until = time.Now().Add(min(pause, longestPause))
}

func (b *backoff) ok() { *b = backoff{} }

func (b *backoff) paused(now time.Time) bool { return b.until.After(now) }

// failed lengthens the pause of a source and reports it from the second failure in
// a row on: one alone is a leader that moved or a connection that had gone idle.
func (c *Client) failed(source string, b *backoff, err error) {
	b.fail(c.pace.pause)
	if b.failures > 1 {
		c.health.set(source, err)
	}
}

// sleep pauses for d and says whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
