package daemon_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"blipd/daemon"
)

// startLogged is start with a log that is kept, from level debug on.
func startLogged(t *testing.T, cfg daemon.Config) (*running, *said) {
	t.Helper()
	log := &said{}
	d, err := daemon.New(cfg, "test", slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Daemon: d, t: t, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- d.Run(ctx) }()
	t.Cleanup(cancel)
	return r, log
}

// TestStalled: a worker that does not come back hangs after a while, is said to by
// whoever is asked, once in the log, and no longer when it comes back.
func TestStalled(t *testing.T) {
	w := newWorld(t, 2)
	w.produce(events(50, 1)...)
	cfg := w.config(t.TempDir(), "partitions: [0, 1]")
	cfg.RefitInterval = time.Hour // after the first: none waits for the worker
	r, log := startLogged(t, cfg)
	eventually(t, "a refit", func() bool { return r.Ready() })
	release := r.Hang(t.Context(), 1)
	if s := r.StalledAt(time.Now().Add(time.Minute)); len(s) != 0 {
		t.Errorf("after a minute: %v", s)
	}
	for range 2 {
		s := r.StalledAt(time.Now().Add(3 * time.Minute))
		if len(s) != 2 || !strings.Contains(s[1], "topic events partition 1: a batch, its commit or a copy of its sums does not end, for 3m") {
			t.Errorf("after three minutes, with a loop that fetches as old: %q", s)
		}
	}
	if said := strings.Count(log.String(), `msg="a loop hangs: `); said != 2 { // the worker, and fetching, which is judged from the same time
		t.Errorf("said %d times:\n%s", said, log)
	}
	release()
	eventually(t, "the worker goes on", func() bool { return len(r.StalledAt(time.Now())) == 0 })
	if !strings.Contains(log.String(), "a loop that hung goes on") {
		t.Error("the log does not say that it goes on")
	}
	if status, body := r.get("/-/healthy"); status != http.StatusOK {
		t.Errorf("healthy: %d %s", status, body)
	}
	r.end()
}

// TestNothingHangs: who has no brokers, or nothing to read, does not hang.
func TestNothingHangs(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(events(20, 1)...)
	r, log := startLogged(t, w.config(t.TempDir(), "group: g"))
	eventually(t, "a refit", func() bool { return r.Ready() })
	w.cluster.Close()
	eventually(t, "brokers are missed", func() bool { return !r.Ready() })
	if s := r.StalledAt(time.Now().Add(time.Minute)); len(s) != 0 {
		t.Errorf("a minute without brokers: %v", s)
	}
	if strings.Contains(log.String(), "hangs") {
		t.Error(log.String())
	}
	r.end()
}

// Ready tells whether nothing is missing.
func (r *running) Ready() bool { return r.Readiness().Ready }
