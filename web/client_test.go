package web

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClient holds and releases through TLS and a password.
func TestClient(t *testing.T) {
	a := newAuthority(t, "ours")
	f, actions := bookActions()
	cfg := Config{File: a.webFile(t, withoutClients(t)), TLS: true, Users: true}
	address := servedOf(t, cfg, f, io.Discard, 0, actions...)
	file := func(password string) string {
		path := filepath.Join(t.TempDir(), "http.yaml")
		text := "basic_auth: {username: anna, password: " + password + "}\ntls_config: {ca_file: " + filepath.Join(filepath.Dir(cfg.File), "clients.crt") + "}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, err := NewClient("https://"+address, file("change me"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := right.Hold(ctx, "", true, "odd", ""); err != nil || len(f.held) != 2 || f.held[0].By != "anna" {
		t.Errorf("%v, held %v", err, f.held)
	}
	if err := right.Release(ctx, "airline", false, "fine", "otto"); err != nil || len(f.held) != 1 || f.book[2].By != "otto" {
		t.Errorf("%v, held %v", err, f.held)
	}
	if err := right.Release(ctx, "", true, "fine", "otto"); err != nil || len(f.held) != 0 {
		t.Errorf("%v, held %v", err, f.held)
	}

	wrong, err := NewClient("https://"+address, file("hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := NewClient("https://"+address, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"a problem", right.Hold(ctx, "retial", false, "odd", "anna"), `404 Not Found: no experiment "retial", known are: retail, airline`},
		{"a wrong password", wrong.Hold(ctx, "retail", false, "odd", "anna"), "401 Unauthorized"},
		{"an authority that is not known", stranger.Hold(ctx, "retail", false, "odd", "anna"), "certificate"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || strings.Contains(c.err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", c.what, c.err, c.want)
		}
	}
}

// TestClientAddresses: what is no address is refused, and not repeated.
func TestClientAddresses(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:9464", "ftp://x", "http://anna:hunter2@x:port", "http://"} {
		if _, err := NewClient(base, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", base, err)
		}
	}
	c, err := NewClient("http://anna:hunter2@127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Hold(context.Background(), "x", false, "odd", "anna"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("nobody there: %v", err)
	}
	if _, err := NewClient("http://127.0.0.1:1", "nowhere.yaml"); err == nil || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("no file: %v", err)
	}
}
