package daemon

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"blipd/web"
)

// TestConditions: one line a change, and none for what stays as it is.
func TestConditions(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	var c condition
	waits := web.Readiness{Missing: []string{"no refit yet"}}
	fine := web.Readiness{Ready: true}
	for _, step := range []struct {
		now    web.Readiness
		paused map[string]bool
		want   string
	}{
		{waits, map[string]bool{"kafka": false}, ""},
		{waits, map[string]bool{"kafka": true}, `level=WARN msg="intake paused" reason=kafka`},
		{waits, map[string]bool{"kafka": true}, ""},
		{fine, map[string]bool{"kafka": false}, "level=INFO msg=ready\nlevel=INFO msg=\"intake resumed\" reason=kafka"},
		{fine, map[string]bool{"kafka": false}, ""},
		{waits, map[string]bool{"kafka": true, "disk": true}, "level=WARN msg=\"not ready\" missing=\"[no refit yet]\"\nlevel=WARN msg=\"intake paused\" reason=disk\nlevel=WARN msg=\"intake paused\" reason=kafka"},
		{fine, map[string]bool{"kafka": true, "disk": false}, "level=INFO msg=\"ready again\"\nlevel=INFO msg=\"intake resumed\" reason=disk"},
	} {
		c.look(log, step.now, step.paused)
		if got := strings.TrimSpace(out.String()); got != step.want {
			t.Errorf("%+v, paused %v: wrote %q, want %q", step.now, step.paused, got, step.want)
		}
		out.Reset()
	}
}
