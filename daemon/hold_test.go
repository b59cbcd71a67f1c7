package daemon_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"blipd/state"
	"blipd/web"
)

// ask sends a request and returns what came.
func (r *running) ask(method, path, body string) (status int, answer string) {
	r.t.Helper()
	request, err := http.NewRequest(method, "http://"+r.Addr()+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response.StatusCode, string(b)
}

// TestHoldOutlivesRestart: what is held stays so, estimates go on, and the book
// tells who did what.
func TestHoldOutlivesRestart(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "group: g")
	d := start(t, cfg)
	if status, body := d.ask("POST", "/api/v1/hold", `{"reason":"refunds look odd","by":"anna"}`); status != 200 {
		t.Fatalf("hold: %d %s", status, body)
	}
	d.end()

	d = start(t, cfg)
	w.produce(events(20, 1)...)
	var answer struct{ Held, Book []state.Hold }
	d.getJSON("/api/v1/hold", &answer)
	if len(answer.Held) != 1 || len(answer.Book) != 1 || answer.Held[0] != answer.Book[0] || answer.Held[0].By != "anna" || answer.Held[0].At.IsZero() {
		t.Errorf("after a restart: %+v", answer)
	}
	var report struct {
		Trajectories int
		Hold         *state.Hold
	}
	eventually(t, "estimates of a held experiment", func() bool {
		if status, _ := d.get("/api/v1/effects"); status != http.StatusOK {
			return false
		}
		d.getJSON("/api/v1/effects", &report)
		return report.Trajectories == 20
	})
	if report.Hold == nil || *report.Hold != answer.Held[0] {
		t.Errorf("the report's hold is %+v", report.Hold)
	}
	if status, body := d.ask("DELETE", "/api/v1/hold?reason=explained&by=otto", ""); status != 200 {
		t.Fatalf("release: %d %s", status, body)
	}
	d.end()

	d = start(t, cfg)
	d.getJSON("/api/v1/hold", &answer)
	if len(answer.Held) != 0 || len(answer.Book) != 2 || answer.Book[1].Held || answer.Book[1].By != "otto" {
		t.Errorf("after the release and a restart: %+v", answer)
	}
	d.end()
}

// TestProfiles: pprof is served where it was asked for, and only there.
func TestProfiles(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "group: g")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Web.DebugListen = free.Addr().String()
	_ = free.Close()
	d := start(t, cfg)
	answer, err := http.Get("http://" + cfg.Web.DebugListen + "/debug/pprof/goroutine?debug=1")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != 200 || !strings.Contains(string(body), "blipd/daemon") {
		t.Errorf("goroutines: %d %.200s", answer.StatusCode, body)
	}
	if status, _ := d.get("/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("among the pages: %d", status)
	}
	d.end()
	if answer, err := http.Get("http://" + cfg.Web.DebugListen + "/debug/pprof/"); err == nil {
		_ = answer.Body.Close()
		t.Error("profiles are served by a daemon that has stopped")
	}
}

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
