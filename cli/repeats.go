package cli

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// A line that repeats is written so many times in so long; then it is counted, and
// the count is written with the next line of any kind after that, or at the end.
const (
	mostRepeats  = 10
	repeatsSpan  = time.Minute
	mostRepeated = 1000 // kinds of lines that are told apart at a time
)

// repeats is a slog.Handler that leaves out lines that repeat: those of one level
// and message about the same topic, partition, experiment and action, whatever else
// they say.
type repeats struct {
	to    slog.Handler
	given string // attributes of With, as far as they tell lines apart
	seen  *seen
}

// seen is what a handler and those made from it by With have in common.
type seen struct {
	mu    sync.Mutex // guards all below, and the order of lines
	now   func() time.Time
	lines map[string]*line
}

// line is a kind of line and how often it came since.
type line struct {
	since   time.Time
	n       int // times it came, written or not
	level   slog.Level
	message string
	to      slog.Handler
}

func newRepeats(to slog.Handler, now func() time.Time) *repeats {
	return &repeats{to: to, seen: &seen{now: now, lines: map[string]*line{}}}
}

// Enabled is that of the handler behind.
func (h *repeats) Enabled(ctx context.Context, level slog.Level) bool {
	return h.to.Enabled(ctx, level)
}

// Handle writes a record, unless it repeats too often.
func (h *repeats) Handle(ctx context.Context, r slog.Record) error {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	now := h.seen.now()
	err := h.seen.tell(ctx, now.Add(-repeatsSpan))
	key := fmt.Sprint(r.Level, "\x00", r.Message, h.given)
	r.Attrs(func(a slog.Attr) bool {
		key += telling(a)
		return true
	})
	l := h.seen.lines[key]
	if l == nil {
		if len(h.seen.lines) >= mostRepeated {
			err = h.seen.tell(ctx, now)
		}
		l = &line{since: now, level: r.Level, message: r.Message, to: h.to}
		h.seen.lines[key] = l
	}
	if l.n++; l.n > mostRepeats || err != nil {
		return err
	}
	return h.to.Handle(ctx, r)
}

// WithAttrs is slog.Handler's.
func (h *repeats) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := *h
	own.to = h.to.WithAttrs(attrs)
	for _, a := range attrs {
		own.given += telling(a)
	}
	return &own
}

// WithGroup is slog.Handler's.
func (h *repeats) WithGroup(name string) slog.Handler {
	own := *h
	own.to = h.to.WithGroup(name)
	return &own
}

// telling is an attribute as part of a key, if lines are told apart by it.
func telling(a slog.Attr) string {
	if slices.Contains([]string{"topic", "partition", "experiment", "action", "reason"}, a.Key) {
		return "\x00" + a.Key + "=" + a.Value.String()
	}
	return ""
}

// Flush writes what is still to be told of lines that were left out.
func (h *repeats) Flush() {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	_ = h.seen.tell(context.Background(), h.seen.now()) // there is nobody left to tell an error to
}

// tell writes how many lines were left out of those that began at before or
// earlier, and forgets them.
func (s *seen) tell(ctx context.Context, before time.Time) error {
	for _, key := range slices.Sorted(maps.Keys(s.lines)) {
		l := s.lines[key]
		if l.since.After(before) {
			continue
		}
		delete(s.lines, key)
		if l.n <= mostRepeats {
			continue
		}
		r := slog.NewRecord(s.now(), l.level, "lines left out that repeat", 0)
		r.AddAttrs(slog.String("line", l.message), slog.Int("left_out", l.n-mostRepeats), slog.Time("since", l.since))
		if err := l.to.Handle(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
