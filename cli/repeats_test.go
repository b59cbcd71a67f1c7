package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestRepeats: lines that repeat are left out and counted; others are not touched.
func TestRepeats(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	h := newRepeats(slog.NewTextHandler(&out, nil), func() time.Time { return now })
	log := slog.New(h)
	written := func() (lines []string) {
		lines = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		out.Reset()
		if lines[0] == "" {
			return nil
		}
		return lines
	}
	for i := range 100 {
		log.Warn("unreachable", "err", fmt.Sprint("attempt ", i))
	}
	if lines := written(); len(lines) != mostRepeats || !strings.Contains(lines[9], "attempt 9") {
		t.Errorf("%d lines of one kind: %q", len(lines), lines)
	}
	for partition := range 20 {
		for range 2 {
			log.Error("stopped", "partition", partition)
		}
	}
	log.Info("unreachable") // another level
	if lines := written(); len(lines) != 41 {
		t.Errorf("%d lines about 20 partitions, and one of another level", len(lines))
	}

	now = now.Add(repeatsSpan - 1)
	log.Warn("unreachable")
	if lines := written(); lines != nil {
		t.Errorf("within the span: %q", lines)
	}
	now = now.Add(1)
	log.Info("something else")
	lines := written()
	if len(lines) != 2 || !strings.Contains(lines[0], `level=WARN msg="lines left out that repeat" line=unreachable left_out=91 since=2026-11-30T03:00:00.000Z`) || !strings.Contains(lines[1], "something else") {
		t.Errorf("after it: %q", lines)
	}
	for range mostRepeats + 2 {
		log.Warn("unreachable")
	}
	if lines := written(); len(lines) != mostRepeats {
		t.Errorf("in the next span %d lines", len(lines))
	}
	h.Flush()
	if lines := written(); len(lines) != 1 || !strings.Contains(lines[0], "left_out=2") {
		t.Errorf("at the end: %q", lines)
	}
	h.Flush()
	if lines := written(); lines != nil {
		t.Errorf("at the end, again: %q", lines)
	}
}

// TestRepeatsOfMany: what is kept of lines is bounded, whatever they say; a logger
// made from another counts with it.
func TestRepeatsOfMany(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	h := newRepeats(slog.NewTextHandler(&out, nil), func() time.Time { return now })
	for i := range 5 * mostRepeated {
		slog.New(h).Info(fmt.Sprint("line ", i))
	}
	if n := len(h.seen.lines); n > mostRepeated {
		t.Errorf("%d kinds of lines are kept", n)
	}
	out.Reset()
	for range mostRepeats {
		slog.New(h).With("partition", 1).Info("again")
		slog.New(h).With("partition", 2).WithGroup("g").Info("again")
		slog.New(h).With("partition", 1, "n", out.Len()).Info("again")
	}
	if n := strings.Count(out.String(), "msg=again"); n != 2*mostRepeats {
		t.Errorf("%d lines, want %d of each partition", n, mostRepeats)
	}
}
