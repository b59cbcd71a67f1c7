package ingest

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// TestReports tries on group, fetch and workers, in fake time and with the paces of
// production, what broke other systems in public; the rest of it is in package daemon.
// Each name is the repository and number of the report.
func TestReports(t *testing.T) {
	for name, report := range map[string]func(*testing.T){
		"segmentio/kafka-go/1398": reportKafkaGo1398,
		"lovoo/goka/212":          reportGoka212,
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, report) })
	}
}

// A member that is slow, and others that come and go: no record that was queued
// before a rebalance is counted after it by the wrong one, and all are counted once.
func reportKafkaGo1398(t *testing.T) {
	h := newHouse(t, 4)
	h.apply = 20 * time.Millisecond
	producer := h.client("")
	defer producer.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	stay := h.join(true)
	n, rounds := 0, 20
	for range rounds {
		h.produce(producer, 1000)
		n += 1000
		var leave []func() error
		for range 1 + rng.IntN(2) {
			leave = append(leave, h.join(true))
			time.Sleep(time.Duration(rng.IntN(15_000)) * time.Millisecond)
		}
		for _, one := range leave {
			if err := one(); err != nil {
				t.Errorf("a member that left ended with %v", err)
			}
			time.Sleep(time.Duration(rng.IntN(8_000)) * time.Millisecond)
		}
	}
	h.counted(n)
	if err := stay(); err != nil {
		t.Errorf("the member that stayed ended with %v", err)
	}
	h.end()
	if h.lives < 3*rounds {
		t.Errorf("%d generations in %d rounds: some came and never got in", h.lives, rounds)
	}
}

// A restore that takes longer than the session and the rebalance may: alone, the
// member stays; when another comes meanwhile it is thrown out, but what it has
// restored it need not restore again, and so it gets there.
func reportGoka212(t *testing.T) {
	for _, other := range []bool{false, true} {
		h := newHouse(t, 3)
		h.restore = 2 * time.Minute
		producer := h.client("")
		h.produce(producer, 300)
		stay := h.join(true)
		time.Sleep(time.Minute)
		if other {
			h.visit(35 * time.Second)
		}
		time.Sleep(time.Minute) // one partition is restored, the second not yet
		if members := len(h.broker.GroupInfo("readers").Members); members != 1 {
			t.Errorf("with another one %v: %d members while it restores, want 1", other, members)
		}
		h.counted(300)
		if lives := h.lives; !other && lives != 1 || lives > 3 {
			t.Errorf("with another one %v: %d generations counted", other, lives)
		}
		if err := stay(); err != nil {
			t.Errorf("it ended with %v", err)
		}
		_ = producer.Close()
		h.end()
	}
}
