package web

import (
	"log/slog"
	"net/http/httptest"
	"testing"
)

// TestProfilesAreApart: pprof is on its own server, under names of this machine.
func TestProfilesAreApart(t *testing.T) {
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		if _, response := get(t, world(), path); response.StatusCode != 404 {
			t.Errorf("%s among the pages: %d", path, response.StatusCode)
		}
	}
	debug := NewDebugServer(slog.New(slog.DiscardHandler))
	for target, want := range map[string]int{
		"http://127.0.0.1:6060/debug/pprof/":     200,
		"http://127.0.0.1:6060/debug/pprof/heap": 200,
		"http://[::1]:6060/debug/pprof/cmdline":  200,
		"http://[::1]/debug/pprof/symbol":        200,
		"http://localhost/debug/pprof/symbol":    200,
		"http://127.0.0.1:6060/":                 404,
		"http://127.0.0.1:6060/metrics":          404,
		"http://evil.example:6060/debug/pprof/":  403,
		"http://192.0.2.1:6060/debug/pprof/":     403,
	} {
		w := httptest.NewRecorder()
		debug.Handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
	}
}

func TestProfilesStayOnThisMachine(t *testing.T) {
	for address, fine := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, ":0": false, "0.0.0.0:0": false, "127.0.0.1:-1": false,
	} {
		l, err := ListenDebug(Config{DebugListen: address})
		if fine != (err == nil) {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			_ = l.Close()
		}
	}
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "localhost": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "blipd.example": false, "localhost.example": false,
	} {
		if Loopback(host) != want {
			t.Errorf("%q: loopback is not %v", host, want)
		}
	}
}
