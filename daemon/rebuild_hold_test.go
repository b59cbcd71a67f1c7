package daemon_test

import (
	"testing"

	"blipd/state"
	"blipd/web"
)

// TestRebuildKeepsHolds: a state that is made anew from the log holds what people
// held, also after a restart.
func TestRebuildKeepsHolds(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "group: g")
	log := events(40, 1)
	w.produce(log...)
	d := start(t, cfg)
	d.read(int64(len(log)))
	if status, body := d.ask("POST", "/api/v1/hold", `{"reason":"refunds look odd","by":"anna"}`); status != 200 {
		t.Fatalf("hold: %d %s", status, body)
	}
	if last := d.rebuild(""); last.Phase != web.Rebuilt {
		t.Fatalf("the rebuild ended %+v", last)
	}
	var answer struct{ Held, Book []state.Hold }
	for _, when := range []string{"after the rebuild", "after a restart"} {
		d.getJSON("/api/v1/hold", &answer)
		if len(answer.Held) != 1 || len(answer.Book) != 1 || answer.Held[0].By != "anna" {
			t.Errorf("%s: %+v", when, answer)
		}
		d.end()
		d = start(t, cfg)
	}
	d.end()
}
