package demo

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"blipd/estimators"
)

// TestDemo runs the whole house for a few seconds: events go through the
// broker, estimates come out beside what was planted, and it ends by itself.
func TestDemo(t *testing.T) {
	d, err := New(Options{Listen: "127.0.0.1:0", Version: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	for d.Report() == nil || d.Report().Trajectories < 1500 {
		if ctx.Err() != nil {
			t.Fatal("after two minutes fewer than 1500 trajectories have closed")
		}
		time.Sleep(20 * time.Millisecond)
	}
	answer, err := http.Get("http://" + d.Addr() + "/")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(page), "issue_refund") {
		t.Errorf("the page does not show the groups: %v", err)
	}
	_ = answer.Body.Close()
	d.trim()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}

	r := d.Report()
	known := 0
	for i := range r.Estimates {
		e := &r.Estimates[i]
		planted, ok := d.Truth(e)
		if !ok {
			t.Errorf("nothing is planted for %s %s=%s", e.Outcome, e.Dimension, e.Group)
			continue
		}
		known++
		if e.Status != estimators.OK {
			t.Errorf("%s %s=%s: %s %s", e.Outcome, e.Dimension, e.Group, e.Status, e.Reason)
			continue
		}
		// 56 estimates, a new seed each time: 6 standard errors fail one run in ten million.
		if off := math.Abs(e.Value-planted) / e.StdError; off > 6 {
			t.Errorf("%s %s=%s: %v is %.1f standard errors from the planted %v", e.Outcome, e.Dimension, e.Group, e.Value, off, planted)
		}
	}
	if known != 56 {
		t.Errorf("%d estimates beside a truth, want 56", known)
	}
	for _, c := range r.Health {
		if c.Name == "assignment" && !c.OK {
			t.Errorf("assignment: %s", c.Detail)
		}
	}
}
