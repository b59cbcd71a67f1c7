package daemon_test

import (
	"net/http"
	"strings"
	"testing"

	"blipd/ingest/kafka"
	"blipd/web"
)

// TestBackfill: a daemon that is far behind is not ready and says by how much,
// on every surface; once level it stays ready, however much comes.
func TestBackfill(t *testing.T) {
	w := newWorld(t, 1)
	if err := w.cluster.DeleteTopic("rejected"); err != nil { // which holds intake up
		t.Fatal(err)
	}
	const poison, bad = 6000, "no event"
	for range poison / 100 {
		w.produce(slicesOf(100, kafka.Message{Key: []byte("k"), Value: []byte(bad)})...)
	}
	cfg := w.config(t.TempDir(), "group: g")
	cfg.Kafka.MaxBytes = 4096
	d := start(t, cfg)
	eventually(t, "readiness says how far it is behind", func() bool {
		status, body := d.get("/-/ready")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "catching up: ") && strings.Contains(body, `"level":false`)
	})
	eventually(t, "the page shows it", func() bool { _, page := d.get("/"); return strings.Contains(page, "Catching up with events:") })
	if err := w.cluster.CreateTopic("rejected", 1, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ready", func() bool { status, _ := d.get("/-/ready"); return status == http.StatusOK })
	d.read(poison)
	var p *web.Progress
	eventually(t, "the progress is at its end", func() bool { p = d.Live().Progress; return p.Done == poison })
	if p.Behind != 0 || !p.Level || p.Left != nil {
		t.Errorf("at the end: %+v", p)
	}

	if err := w.cluster.DeleteTopic("rejected"); err != nil {
		t.Fatal(err)
	}
	for range poison / 100 {
		w.produce(slicesOf(100, kafka.Message{Key: []byte("k"), Value: []byte(bad)})...)
	}
	eventually(t, "it is far behind again", func() bool { return d.Live().Progress.Behind > 3000 })
	if _, body := d.get("/-/ready"); strings.Contains(body, "catching up") {
		t.Errorf("what is level once is not ready for lag: %s", body)
	}
	d.end()
}
