package cli

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/event"
)

// TestBench runs a small bench as a process of its own: all is counted, and
// every row has numbers.
func TestBench(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cpu.pprof")
	t.Setenv("TMPDIR", t.TempDir())
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, workTopic), kfake.SeedTopics(1, "blipd.rejected"))
	if err != nil {
		t.Fatal(err)
	}
	defer kafka.Close()
	cmd := exec.Command("blipd", "bench", "--events", "2000", "--rounds", "1", "--output", "json", "--profile", profile,
		"--refit", "100000", "--estimate", "800", "--memory", "100", "--kafka", kafka.ListenAddrs()[0])
	out, err := cmd.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Logf("%s", failed.Stderr)
		}
		t.Fatal(err)
	}
	var r benchReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 7 {
		t.Fatalf("%d rows, want 7", len(r.Rows))
	}
	want := int64(0) // decisions among the first 2000 events
	for e := range firstEvents(standard(2000), 2000) {
		if e.Type == event.TypeDecision {
			want++
		}
	}
	for i, w := range r.Rows {
		positive(t, w.Name, w.CPU, w.Least, w.Most, w.PerCore, w.PerSecond, w.Allocs, w.Bytes, w.Ratio)
		if runtime.GOOS == "linux" {
			positive(t, w.Name, w.Peak)
		}
		if strings.HasSuffix(w.Name, "Kafka") {
			positive(t, w.Name, w.ToEmbedded)
		}
		if w.Events != 2000 || i >= 2 && w.Name != rawOfKafka && w.Decisions != want {
			t.Errorf("%s: %d events and %d decisions were counted, want 2000 and %d", w.Name, w.Events, w.Decisions, want)
		}
	}
	if len(r.Heavy) != 4 {
		t.Fatalf("%d heavy rows, want 4", len(r.Heavy))
	}
	for _, h := range r.Heavy {
		positive(t, h.Name, h.Seconds)
	}
	if _, err := os.Stat(profile); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind: %v", left, err)
	}
}

func positive(t *testing.T, name string, all ...float64) {
	t.Helper()
	for i, x := range all {
		if !(x > 0) || math.IsInf(x, 0) {
			t.Errorf("%s: number %d is %v", name, i, x)
		}
	}
}

// TestBenchUsage: what cannot be measured is refused, and the forms of the
// result hold all parts.
func TestBenchUsage(t *testing.T) {
	var out, words strings.Builder
	if code := Run([]string{"bench", "--events", "0"}, nil, &out, &words); code != exitUsage {
		t.Errorf("exit code %d, want %d: %s", code, exitUsage, &words)
	}
	r := benchReport{Rows: make([]row, 5), Stages: []stage{{"decode", 0.5}}, Functions: []stage{{"main", 1}}, Heavy: []heavy{{Name: "refit"}}}
	for _, form := range []string{"table", "markdown"} {
		out.Reset()
		if err := r.write(&out, form); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"CPU µs/event", "decode", "50.0 %", "main", "refit"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: there is no %q in\n%s", form, part, &out)
			}
		}
	}
}

// TestBenchBroker: the broker ends when the bench does, however that ends.
func TestBenchBroker(t *testing.T) {
	cmd := exec.Command("blipd", "bench-part")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(in).Encode(job{Part: "broker", Topics: map[string]int{"x": 1}}); err != nil {
		t.Fatal(err)
	}
	_ = in.Close() // as the death of its parent closes it
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil || !strings.Contains(out.String(), "127.0.0.1:") {
			t.Errorf("the broker ended with %v after it said %s", err, &out)
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("the broker lives on")
	}
}
