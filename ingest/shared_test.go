package ingest

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"blipd/ingest/kafka"
)

// TestShared: of two processes that each want all partitions the one that came gives
// up, the other counts on.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 2)
		producer := h.client("")
		h.produce(producer, 100)
		first := h.join(false)
		h.counted(100)
		second := h.join(false)
		h.produce(producer, 100)
		time.Sleep(newcomerWaits + 15*time.Second)
		if err := second(); !errors.Is(err, ErrShared) {
			t.Errorf("the second ended with %v, want %v", err, ErrShared)
		}
		h.counted(200)
		if err := first(); err != nil {
			t.Errorf("the first ended with %v", err)
		}
		_ = producer.Close()
		h.end()
	})
}

// TestGhost: a member that vanished without a word is waited for, found in a storm on a
// real Kafka.
func TestGhost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 3)
		producer := h.client("")
		h.produce(producer, 300)
		for _, after := range []time.Duration{0, 7 * time.Second} { // it is let in at once, or with the one that stays
			crash := h.ghost()
			time.Sleep(after)
			stay := h.join(false)
			time.Sleep(5 * time.Second)
			crash()
			h.counted(300)
			time.Sleep(2 * ownerWaits)
			if err := stay(); err != nil {
				t.Errorf("the one that stayed ended with %v", err)
			}
		}
		if h.shared == 0 {
			t.Error("the ghost was given nothing")
		}
		_ = producer.Close()
		h.end()
	})
}

// ghost is a member whose network fails for good when crash is called.
func (h *house) ghost() (crash func()) {
	var mu sync.Mutex
	var dead bool
	var conns []net.Conn
	client := h.clientOver(func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if dead {
			return nil, errors.New("the ghost has no network")
		}
		conn, err := h.wires.DialContext(ctx, network, address)
		if err == nil {
			conns = append(conns, conn)
		}
		return conn, err
	}, "readers")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- client.Join(ctx, func(ctx context.Context, _ kafka.Generation) error { <-ctx.Done(); return ctx.Err() })
	}()
	return func() {
		mu.Lock()
		dead = true
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		cancel()
		if err := <-done; err != nil {
			h.fault("the ghost ended with %v", err)
		}
		_ = client.Close()
	}
}
