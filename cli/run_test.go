package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"blipd/state"
)

// watched keeps what is written, and is told of each line.
type watched struct {
	mu   sync.Mutex
	all  strings.Builder
	told func(string)
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(b)
	w.told(string(b))
	return len(b), nil
}

// TestLifeInTheLog follows a daemon that finds no broker from its first line to its
// last, once to an orderly end and once onto a directory that another one holds.
func TestLifeInTheLog(t *testing.T) {
	messages := regexp.MustCompile(`msg=("[^"]*"|\w+)`)
	run := func(dir string, interruptAt string) (code int, said string, lines []string) {
		path := filepath.Join(dir, "blipd.yaml")
		text := fmt.Sprintf("kafka: {brokers: ['127.0.0.1:1'], topic: t}\nstate: {dir: '%s'}\nweb: {listen: '127.0.0.1:0'}\n"+
			"experiments: [{name: x, arms: {control: direct, interventions: [review]}, outcomes: [{name: score}]}]\n", filepath.Join(dir, "data"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w := &watched{told: func(line string) {
			if interruptAt != "" && strings.Contains(line, interruptAt) {
				cancel()
			}
		}}
		p := &process{words: w, out: w, env: func(string) (string, bool) { return "1", true }, logLevel: "info", logFormat: "text",
			interrupted: func() (context.Context, context.CancelFunc) { return ctx, cancel }}
		c := runCommand{}
		c.Config.File = path
		code = p.exit(c.Run(p))
		for _, m := range messages.FindAllStringSubmatch(w.all.String(), -1) {
			lines = append(lines, strings.Trim(m[1], `"`))
		}
		return code, w.all.String(), lines
	}
	dir := t.TempDir()
	code, said, lines := run(dir, "kafka unreachable")
	want := []string{"blipd starts", "store opened", "blipd started", "kafka unreachable, trying again",
		"stopping: the batches in hand are finished and committed", "stopped"}
	at := -1
	for _, line := range want {
		next := slices.Index(lines, line)
		if next <= at {
			t.Errorf("%q is not in its place among %q", line, lines)
		}
		at = next
	}
	if code != exitOK || !strings.Contains(said, "msg=stopped exit_code=0") {
		t.Errorf("exit code %d: %s", code, said)
	}

	other, err := state.Open(state.Config{Dir: filepath.Join(dir, "data"), Memory: 64 << 20}, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if code, said, _ := run(dir, ""); code != exitState || !strings.Contains(said, "level=ERROR msg=stopped exit_code=4") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
