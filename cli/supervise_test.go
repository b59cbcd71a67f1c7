package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"blipd/state"
	"blipd/web"
)

// patient is a daemon as a supervisor sees it.
type patient struct {
	mu      sync.Mutex
	stalled []string
	ready   web.Readiness
}

func (p *patient) Stalled() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stalled
}
func (p *patient) Readiness() web.Readiness { return p.ready }
func (p *patient) Live() web.Live {
	return web.Live{Topic: "events", Partitions: []web.Partition{{Stats: state.Stats{Open: 3}, Lag: 7}, {Stats: state.Stats{Open: 2}, Lag: -1}}}
}

func (p *patient) hang(words ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = words
}

// TestSignsOfLife: they come in time while loops move, ready or not, and do not come
// while one hangs.
func TestSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		p := &patient{ready: web.Readiness{Missing: []string{"kafka cannot be reached:\ndial", "no refit yet"}}}
		s := &supervisor{daemon: p, log: slog.New(slog.DiscardHandler), every: 4 * time.Second, tell: func(m string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, m)
			return true, nil
		}}
		signs := func() (n int, last string) {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			for _, m := range told {
				if strings.HasPrefix(m, "WATCHDOG=1\n") {
					n++
				}
				last = m
			}
			told = nil
			return n, last
		}
		ctx, cancel := context.WithCancel(t.Context())
		go s.watch(ctx)
		time.Sleep(19 * time.Second)
		if n, last := signs(); n != 10 || last != "WATCHDOG=1\nSTATUS=not ready: kafka cannot be reached: dial; no refit yet" {
			t.Errorf("in 19 s with one every 4 s asked for: %d, the last %q", n, last)
		}
		p.hang("partition 1: a batch does not end")
		time.Sleep(time.Minute)
		if n, last := signs(); n != 0 || last != "STATUS=hangs: partition 1: a batch does not end" {
			t.Errorf("in a minute of hanging: %d, the last %q", n, last)
		}
		p.hang()
		time.Sleep(2 * time.Second)
		if n, _ := signs(); n == 0 {
			t.Error("it goes on, and no sign of life")
		}
		cancel()
	})
}

func TestStatus(t *testing.T) {
	p := &patient{ready: web.Readiness{Ready: true, Notes: []string{"restart for kafka"}}}
	s := &supervisor{daemon: p}
	if got, want := s.status(), "ready: 2 partitions of events, 7 records behind, 5 trajectories open; restart for kafka"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := oneLine([]string{strings.Repeat("ä", longestStatus)}); len(got) > longestStatus+len(" …") {
		t.Errorf("%d bytes in one line", len(got))
	}
}

// TestNobodyAsks: outside of systemd nothing is told; where telling fails it is said
// once and goes on.
func TestNobodyAsks(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	s := supervise(&patient{}, slog.New(slog.DiscardHandler))
	s.watch(t.Context()) // returns at once
	var words strings.Builder
	s = &supervisor{daemon: &patient{}, log: slog.New(slog.NewTextHandler(&words, nil)), tell: func(string) (bool, error) { return false, errors.New("refused") }}
	for range 2 {
		if !s.sign() {
			t.Error("it gives up")
		}
	}
	if strings.Count(words.String(), "level=WARN") != 1 {
		t.Errorf("after two failures: %s", &words)
	}
}

// TestNotify runs the daemon as systemd would, with a broker that is not there: it is
// ready all the same, gives signs of life, says that it reloads and that it stops.
func TestNotify(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "200000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	file := filepath.Join(dir, "blipd.yaml")
	text := fmt.Sprintf("kafka: {brokers: [\"127.0.0.1:1\"]}\nstate: {dir: %q}\nweb: {listen: \"127.0.0.1:0\"}\nexperiments: [{name: x, arms: {control: a, interventions: [b]}, outcomes: [{name: y}]}]\n", filepath.Join(dir, "state"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{words: io.Discard, env: func(string) (string, bool) { return "", false }, logLevel: "error",
		interrupted: func() (context.Context, context.CancelFunc) { return ctx, cancel }}
	c := &runCommand{}
	c.Config.File = file
	done := make(chan error, 1)
	go func() { done <- c.Run(p) }()

	hear := func(want ...string) {
		t.Helper()
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		for buffer := make([]byte, 4096); ; {
			n, err := conn.Read(buffer)
			if err != nil {
				t.Fatalf("waiting for %q: %v", want, err)
			}
			all := true
			for _, w := range want {
				all = all && strings.Contains(string(buffer[:n]), w)
			}
			if all {
				return
			}
		}
	}
	hear("READY=1\n", "STATUS=not ready: ")
	hear("WATCHDOG=1\n", "STATUS=not ready: kafka cannot be reached: ")
	hear("WATCHDOG=1\n")
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	hear("RELOADING=1\n", "MONOTONIC_USEC=")
	hear("READY=1\n")
	cancel()
	hear("STOPPING=1\n")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
