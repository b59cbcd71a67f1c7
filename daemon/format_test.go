package daemon_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blipd/daemon"
	"blipd/event"
	"blipd/state"
)

var writeFormat = flag.String("write-format", "", "write a fixture of the present format of state under this name into testdata/formats")

// TestFormats reads state that earlier versions wrote, and goes on with it: what was
// counted stays to the last bit, and what comes behind is counted as it was then.
// Each fixture stays for ever; when the format changes, -write-format=NAME makes one
// of the new one.
func TestFormats(t *testing.T) {
	if *writeFormat != "" {
		writeFixture(t, filepath.Join("testdata", "formats", *writeFormat))
	}
	fixtures, err := filepath.Glob("testdata/formats/*.tar.gz")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range fixtures {
		name := filepath.Base(path[:len(path)-len(".tar.gz")])
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unpackTo(t, path, dir)
			want, err := os.ReadFile(filepath.Join("testdata", "formats", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			cfg := formatConfig(t, dir)
			for _, restarted := range []bool{false, true} { // once written by this version, too
				if missing := lacks(formatState(t, &cfg, false), part(t, want, 0)); missing != "" {
					t.Errorf("restarted %v: %s", restarted, missing)
				}
			}
			if missing := lacks(formatState(t, &cfg, true), part(t, want, 1)); missing != "" {
				t.Errorf("after the rest of the log: %s", missing)
			}
		})
	}
}

// lacks says where JSON of today is not what it was; it may say more.
func lacks(got, want []byte) string {
	var is, was any
	if err := errors.Join(json.Unmarshal(got, &is), json.Unmarshal(want, &was)); err != nil {
		return err.Error()
	}
	return lacking("", is, was)
}

func lacking(path string, is, was any) string {
	switch was := was.(type) {
	case map[string]any:
		now, _ := is.(map[string]any)
		for name, v := range was {
			if missing := lacking(path+"."+name, now[name], v); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		now, _ := is.([]any)
		if len(now) < len(was) {
			return fmt.Sprintf("%s: %d elements, there were %d", path, len(now), len(was))
		}
		for i, v := range was {
			if missing := lacking(fmt.Sprintf("%s[%d]", path, i), now[i], v); missing != "" {
				return missing
			}
		}
		return ""
	}
	if is != was {
		return fmt.Sprintf("%s: is %v, was %v", path, is, was)
	}
	return ""
}

// part is one of the lines of a fixture's answers.
func part(t *testing.T, answers []byte, n int) []byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(answers), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("%d answers, want 2", len(lines))
	}
	return lines[n]
}

// formatConfig has everything that state keeps: a learner, clusters, a policy that
// came later.
func formatConfig(t *testing.T, dir string) daemon.Config {
	t.Helper()
	return parse(t, "localhost:1", dir, "group: g", learner, learner+"\n    cluster: state.task",
		"policies: [", "policies: [{name: late, intervene: 'action.tool == \"refund\"', probability: 0.5}, ")
}

// formatLog is a log with faults, revisions, excludes and trajectories that stay open.
func formatLog() []event.Record {
	var log []event.Record
	add := func(key, value []byte) {
		log = append(log, event.Record{Offset: int64(len(log)), Key: key, Value: value})
	}
	for i, m := range events(150, 31) {
		add(m.Key, m.Value)
		switch {
		case i%97 == 5:
			add(m.Key, []byte(`{"type":"decision"`))
		case i%89 == 7:
			add(m.Key, m.Value)
		case i%83 == 11:
			add(m.Key, fmt.Appendf(nil, `{"type":"exclude","trajectory_id":%q}`, m.Key))
		case i%79 == 3:
			add(m.Key, fmt.Appendf(nil, `{"type":"outcome","trajectory_id":%q,"time":"2026-11-01T00:10:00Z","outcomes":{"score":1.5},"revision":3}`, m.Key))
		}
	}
	return log
}

// formatState opens state, reads the rest of the log if it is asked to, and says what
// is there: reports and counters, as JSON.
func formatState(t *testing.T, cfg *daemon.Config, rest bool) []byte {
	t.Helper()
	store, err := state.Open(cfg.State, "events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	p, err := store.Partition(0, daemon.StateOptions(cfg))
	if err != nil {
		t.Fatal(err)
	}
	if rest {
		feed(t, cfg, p, formatLog())
	}
	b, err := daemon.Describe(cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	letters, err := p.Outbox(1000)
	if err != nil {
		t.Fatal(err)
	}
	old, err := store.Report("x", 1)
	if err != nil {
		t.Fatal(err)
	}
	holds, err := store.Holds()
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal([]any{json.RawMessage(b), p.Stats(), letters, string(old), holds})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// feed applies records that were not yet applied, and commits them.
func feed(t *testing.T, cfg *daemon.Config, p *state.Partition, log []event.Record) {
	t.Helper()
	reader := event.NewReader(event.Decoder{Schema: cfg.Schema(), Keyless: true})
	each := func(yield func(*event.Entry) bool) {
		for _, r := range log {
			e := event.Entry{Record: r}
			e.Fault = reader.Read(r, &e.Event)
			if !yield(&e) {
				return
			}
		}
	}
	if err := p.Apply(each, log[len(log)-1].Offset+1); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
}

// writeFixture makes a fixture of the format that this version writes: as a daemon
// leaves it that was stopped in the middle of the log, behind a policy that was added.
func writeFixture(t *testing.T, base string) {
	dir, log := t.TempDir(), formatLog()
	cfg := formatConfig(t, dir)
	founding := parse(t, "localhost:1", dir, "group: g", learner, learner+"\n    cluster: state.task")
	for _, step := range []struct {
		cfg *daemon.Config
		to  int
	}{{&founding, len(log) / 2}, {&cfg, len(log) / 3 * 2}} {
		store, err := state.Open(step.cfg.State, "events")
		if err != nil {
			t.Fatal(err)
		}
		p, err := store.Partition(0, daemon.StateOptions(step.cfg))
		if err != nil {
			t.Fatal(err)
		}
		feed(t, step.cfg, p, log[:step.to])
		err = errors.Join(store.SetReport("x", 1, []byte("a report of then")),
			store.SetHolds([]state.Hold{{At: time.Unix(1, 0).UTC(), Experiment: "x", Held: true, Reason: "a try", By: "me"}}))
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(base), 0o750); err != nil {
		t.Fatal(err)
	}
	packTo(t, base+".tar.gz", dir)
	answers := fmt.Appendf(nil, "%s\n%s\n", formatState(t, &cfg, false), formatState(t, &cfg, true))
	if err := os.WriteFile(base+".json", answers, 0o600); err != nil {
		t.Fatal(err)
	}
}

func packTo(t *testing.T, path, dir string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func unpackTo(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(name, 0o750)
		} else if b, readErr := io.ReadAll(r); readErr != nil {
			err = readErr
		} else {
			err = os.WriteFile(name, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
