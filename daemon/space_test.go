package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"blipd/daemon"
)

// TestSpace: a disk that fills up pauses intake, which says so everywhere and writes
// nothing; an eighth more than is needed, and it goes on by itself, with nothing lost.
func TestSpace(t *testing.T) {
	w := newWorld(t, 3)
	log := events(3000, 4)
	cfg := w.config(t.TempDir(), "partitions: [0, 1, 2]")
	const need = 1 << 20 // min_free of the settings; nothing was checkpointed
	var free atomic.Int64
	free.Store(need)
	words := &words{}
	d, err := daemon.New(cfg, "test", slog.New(slog.NewTextHandler(words, nil)))
	if err != nil {
		t.Fatal(err)
	}
	daemon.FreeSpace(d, func() (int64, error) { return free.Load(), nil })
	r := runs(t, d)
	w.produce(log[:len(log)/2]...)
	r.read(int64(len(log) / 2))

	free.Store(need - 1)
	eventually(t, "paused", func() bool { return r.Live().Paused["disk"] })
	held := r.written()
	w.produce(log[len(log)/2:]...)
	for name, want := range map[string]string{"/metrics": `blipd_intake_paused{reason="disk"} 1`, "/-/ready": "is nearly full: 0 MB are free and reading goes on by itself at 1 MB", "/": "Reading is held up:</strong> disk"} {
		if _, body := r.get(name); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q: %s", name, want, body)
		}
	}
	before := r.refits()
	eventually(t, "three more refits", func() bool { return r.refits() >= before+3 })
	if got := r.written(); got != held {
		t.Errorf("while paused %s were written, were %s", got, held)
	}
	free.Store(need + need/8 - 1)
	before = r.refits()
	eventually(t, "two more refits", func() bool { return r.refits() >= before+2 })
	if got := r.written(); got != held || !r.Live().Paused["disk"] {
		t.Errorf("with less than an eighth more it goes on: %s were written, were %s", got, held)
	}
	free.Store(need + need/8)
	r.read(int64(len(log)))
	if status, body := r.get("/-/ready"); status != 200 {
		t.Errorf("not ready again: %s", body)
	}
	r.end()
	said := words.String()
	if strings.Count(said, "level=ERROR") != 1 || strings.Count(said, "reading is paused: the disk is nearly full") != 1 || strings.Count(said, "reading goes on: the disk has room again") != 1 {
		t.Errorf("the log says\n%s", said)
	}

	quiet := w.config(t.TempDir(), "partitions: [0, 1, 2]")
	q := start(t, quiet)
	q.read(int64(len(log)))
	q.end()
	if diff := cmp.Diff(inside(t, &quiet), inside(t, &cfg)); diff != "" {
		t.Errorf("(-undisturbed +paused):\n%s", diff)
	}
}

// TestSpaceUnknown: where nobody can tell how much is free, reading goes on.
func TestSpaceUnknown(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(events(20, 1)...)
	words := &words{}
	d, err := daemon.New(w.config(t.TempDir(), "group: g"), "test", slog.New(slog.NewTextHandler(words, nil)))
	if err != nil {
		t.Fatal(err)
	}
	daemon.FreeSpace(d, func() (int64, error) { return 0, errors.New("no such call") })
	r := runs(t, d)
	r.counts(20, nil)
	r.end()
	if n := strings.Count(words.String(), "cannot be watched"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, words)
	}
}

// runs runs a daemon that is made.
func runs(t *testing.T, d *daemon.Daemon) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Daemon: d, t: t, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- d.Run(ctx) }()
	t.Cleanup(cancel)
	return r
}

// written is how far the log is counted and how often it was committed.
func (r *running) written() string {
	live := r.Live()
	return fmt.Sprint(r.records(), " records in ", live.Commits.Count, " commits")
}

func (r *running) refits() uint64 { return r.Live().Refits.Count }
