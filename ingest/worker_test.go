package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"blipd/event"
	"blipd/ingest/kafka"
)

func work(t *testing.T, n *notebook) (w *Worker, stop func() error) {
	t.Helper()
	w = NewWorker(event.Decoder{Schema: schema}, n, nil, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	return w, func() error { cancel(); return <-done }
}

func batch(from int64, values ...string) kafka.Batch {
	b := kafka.Batch{Next: from + int64(len(values)), HighWatermark: 100}
	for i, v := range values {
		b.Records = append(b.Records, kafka.Record{Offset: from + int64(i), Key: []byte("t1"), Value: []byte(v)})
	}
	return b
}

// TestWorker: batches are applied in order, with what could not be read among
// them; a call runs between two of them; the lag follows.
func TestWorker(t *testing.T) {
	n := &notebook{}
	w, stop := work(t, n)
	if w.Heard() || w.Lag() != 0 {
		t.Errorf("before anything was heard: %v, lag %d", w.Heard(), w.Lag())
	}
	w.offer(batch(0, line(1), "broken"))
	for !w.room() {
		time.Sleep(time.Millisecond)
	}
	w.offer(batch(2, line(1), line(2))) // the last has another key
	var seen string
	for seen != "[0 1 2 3] 2 4" {
		if err := w.Do(context.Background(), func() { seen = fmt.Sprint(n.offsets, n.faults, n.next) }); err != nil {
			t.Fatal(err)
		}
	}
	for w.Lag() != 96 {
		time.Sleep(time.Millisecond)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := w.Do(context.Background(), func() {}); !errors.Is(err, ErrStopped) {
		t.Errorf("a call after the end: %v", err)
	}
}

// TestWorkerFails: an error of Apply ends the worker.
func TestWorkerFails(t *testing.T) {
	n := &notebook{err: errors.New("disk full")}
	w := NewWorker(event.Decoder{Schema: schema, Keyless: true}, n, nil, nil)
	w.offer(batch(0, line(1)))
	if err := w.Run(context.Background()); !errors.Is(err, n.err) {
		t.Errorf("%v, want the error of Apply", err)
	}
}

// TestWorkerSince: what is in hand has a beginning, and waiting has none.
func TestWorkerSince(t *testing.T) {
	n := &notebook{}
	w, stop := work(t, n)
	if !w.Since().IsZero() {
		t.Error("a worker that waits has something in hand")
	}
	begun, until := make(chan struct{}), make(chan struct{})
	called := make(chan error, 1)
	go func() { called <- w.Do(context.Background(), func() { close(begun); <-until }) }()
	<-begun
	at := w.Since()
	if at.IsZero() || time.Since(at) < 0 || !w.Since().Equal(at) {
		t.Errorf("a call in hand since %v, then %v", at, w.Since())
	}
	close(until)
	if err := <-called; err != nil {
		t.Fatal(err)
	}
	for !w.Since().IsZero() {
		time.Sleep(time.Millisecond)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if !w.Since().IsZero() {
		t.Error("a worker that has ended has something in hand")
	}
}

// TestWorkerPaused: what was applied is committed, nothing more is applied until the
// pause ends, calls go on; and a worker that ends while paused leaves the batch.
func TestWorkerPaused(t *testing.T) {
	for _, resumed := range []bool{true, false} {
		n := &notebook{}
		var paused atomic.Bool
		w := NewWorker(event.Decoder{Schema: schema}, n, nil, paused.Load)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		see := func() (seen string) {
			if err := w.Do(context.Background(), func() { seen = fmt.Sprint(n.offsets) }); err != nil {
				t.Fatal(err)
			}
			return seen
		}
		w.offer(batch(0, line(1)))
		for see() != "[0]" {
		}
		paused.Store(true)
		w.offer(batch(1, line(1)))
		for !w.room() || len(w.queue) > 0 {
		}
		for range 3 {
			if seen := see(); seen != "[0]" {
				t.Errorf("while paused: %s", seen)
			}
		}
		for !w.Since().IsZero() { // who pauses does not hang
		}
		if paused.Store(!resumed); resumed {
			for see() != "[0 1]" {
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := map[bool]string{true: "[0 1]", false: "[0]"}[resumed]; fmt.Sprint(n.offsets) != want {
			t.Errorf("in the end %v, want %s", n.offsets, want)
		}
	}
}
