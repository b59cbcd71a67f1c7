package daemon_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"blipd/daemon"
	"blipd/ingest/kafka"
	"blipd/state"
)

// spoil damages a file of a directory of state.
func spoil(t *testing.T, dir, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s (%v)", pattern, dir, err)
	}
	b, err := os.ReadFile(files[0])
	if err == nil {
		b[len(b)/2] ^= 4
		err = os.WriteFile(files[0], b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamage: a damaged directory is set aside as it is, loudly, and what the log says
// is counted again to the same bits; where the log has lost its beginning, that is said
// too. It happens three times a day at most.
func TestDamage(t *testing.T) {
	w := newWorld(t, 3)
	log := events(600, 4)
	w.produce(log...)
	cfg := w.config(filepath.Join(t.TempDir(), "state"), "partitions: [0, 1, 2]")
	d := start(t, cfg)
	d.read(int64(len(log)))
	d.end()
	want := inside(t, &cfg)

	spoil(t, cfg.State.Dir, "*.sst")
	words := &words{}
	again, err := daemon.New(cfg, "test", slog.New(slog.NewTextHandler(words, nil)))
	if err != nil {
		t.Fatal(err)
	}
	d = runs(t, again)
	d.read(int64(len(log)))
	aside, err := filepath.Glob(cfg.State.Dir + ".damaged-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %v, %v", aside, err)
	}
	if tables, _ := filepath.Glob(filepath.Join(aside[0], "*.sst")); len(tables) == 0 {
		t.Errorf("%s has no tables", aside[0])
	}
	if said := words.String(); strings.Count(said, "level=ERROR") != 1 || !strings.Contains(said, "state was damaged and is set aside") || !strings.Contains(said, aside[0]) {
		t.Errorf("the log says\n%s", said)
	}
	for path, says := range map[string]string{"/metrics": "blipd_state_set_aside_total 1", "/-/ready": "state was damaged and set aside as " + aside[0], "/": "state was damaged and set aside as"} {
		if _, body := d.get(path); !strings.Contains(body, says) {
			t.Errorf("%s does not say %q: %.2000s", path, says, body)
		}
	}
	eventually(t, "ready", func() bool { return d.Readiness().Ready })
	d.end()
	if diff := cmp.Diff(want, inside(t, &cfg)); diff != "" {
		t.Errorf("counted again it is another (-before +after):\n%s", diff)
	}

	if err := w.cluster.DeleteRecords("events", 1, 100); err != nil {
		t.Fatal(err)
	}
	spoil(t, cfg.State.Dir, "MANIFEST")
	d = start(t, cfg)
	eventually(t, "it is said that the log begins late", func() bool {
		return strings.Contains(strings.Join(d.Readiness().Notes, "\n"), "partition 1 is not what it was before: its log began at offset 100")
	})
	d.read(int64(len(log) - 100))
	d.end()
	d = start(t, cfg) // and still is at the next start
	if notes := strings.Join(d.Readiness().Notes, "\n"); !strings.Contains(notes, "its log began at offset 100") {
		t.Errorf("notes are %q", notes)
	}
	d.read(int64(len(log) - 100))
	d.end()

	spoil(t, cfg.State.Dir, "MANIFEST")
	d = start(t, cfg)
	d.read(int64(len(log) - 100))
	d.end()
	spoil(t, cfg.State.Dir, "MANIFEST")
	_, err = daemon.New(cfg, "test", slog.New(slog.DiscardHandler))
	if !errors.Is(err, state.ErrUnusable) || !strings.Contains(err.Error(), "3 directories were set aside within 24h0m0s") {
		t.Errorf("the fourth time: %v", err)
	}
}

// TestDamageInPartition: damage that only shows when a partition is brought back, while
// pages are served already, sets the directory aside too; what people hold stays held.
func TestDamageInPartition(t *testing.T) {
	w := newWorld(t, 3)
	log := events(200, 4)
	for range 3 {
		log = append(log, kafka.Message{Key: []byte("k"), Value: []byte("no event")})
	}
	w.produce(log...)
	if err := w.cluster.DeleteTopic("rejected"); err != nil {
		t.Fatal(err)
	}
	cfg := w.config(filepath.Join(t.TempDir(), "state"), "partitions: [0, 1, 2]")
	d := start(t, cfg)
	d.read(int64(len(log)))
	if status, body := d.ask("POST", "/api/v1/hold", `{"reason":"refunds look odd","by":"anna"}`); status != 200 {
		t.Fatalf("hold: %d %s", status, body)
	}
	d.end()
	want := inside(t, &cfg)

	store, err := state.Open(cfg.State, "events")
	if err != nil {
		t.Fatal(err)
	}
	cut := 0 // letters between two others, as a commit takes them along that is lost
	for number := range 3 {
		p, err := store.Partition(number, daemon.StateOptions(&cfg))
		if err != nil {
			t.Fatal(err)
		}
		letters, err := p.Outbox(10)
		if err == nil && len(letters) == 3 {
			cut++
			err = p.Delivered(letters[1:2])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil || cut != 1 {
		t.Fatalf("%d partitions have letters (%v)", cut, err)
	}
	d = start(t, cfg)
	eventually(t, "it is said", func() bool {
		_, body := d.get("/metrics")
		return strings.Contains(body, "blipd_state_set_aside_total 1")
	})
	d.read(int64(len(log)))
	d.end()
	if aside, err := filepath.Glob(cfg.State.Dir + ".damaged-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
	if diff := cmp.Diff(want, inside(t, &cfg)); diff != "" {
		t.Errorf("counted again it is another (-before +after):\n%s", diff)
	}
	d = start(t, cfg)
	if held := d.Held(); len(held) != 1 || held[0].By != "anna" {
		t.Errorf("held: %+v", held)
	}
	d.end()
}

// TestDamageWhileRunning: damage that shows while the daemon runs ends it with an error
// that says so, and the next start sets the directory aside.
func TestDamageWhileRunning(t *testing.T) {
	w := newWorld(t, 3)
	log := events(200, 4)
	w.produce(log...)
	w.produce(kafka.Message{Key: []byte("k"), Value: []byte("no event, but easy to find")})
	if err := w.cluster.DeleteTopic("rejected"); err != nil {
		t.Fatal(err)
	}
	cfg := w.config(filepath.Join(t.TempDir(), "state"), "partitions: [0, 1, 2]")
	d := start(t, cfg)
	d.read(int64(len(log) + 1))
	d.end()

	d = start(t, cfg) // now the letter lies in a table
	tables, err := filepath.Glob(filepath.Join(cfg.State.Dir, "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, table := range tables {
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(b, []byte("no event, but easy to find"))
		if at < 0 {
			continue
		}
		found = true
		f, err := os.OpenFile(table, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt([]byte("N"), int64(at))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatal("no table has the letter")
	}
	if err := <-d.done; !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), "letter 0 in the outbox") {
		t.Fatalf("the daemon ends with %v", err)
	}

	stop := cfg
	stop.State.StopOnDamage = true
	_, err = daemon.New(stop, "test", slog.New(slog.DiscardHandler))
	if !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), "it was found damaged while it was in use") {
		t.Errorf("told to stop on damage: %v", err)
	}
	d = start(t, cfg)
	d.read(int64(len(log) + 1))
	if notes := strings.Join(d.Readiness().Notes, "\n"); !strings.Contains(notes, "letter 0 in the outbox") {
		t.Errorf("notes are %q", notes)
	}
	d.end()
}
