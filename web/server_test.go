package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// exampleFile is the web configuration file that the documentation shows; its
// password is "change me".
func exampleFile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../examples/web.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutClients is the example without client certificates.
func withoutClients(t *testing.T) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(exampleFile(t)) {
		if !strings.Contains(line, "client_auth_type") && !strings.Contains(line, "client_ca_file:") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// served serves a configuration on a port of its own until the test ends.
func served(t *testing.T, cfg Config, words io.Writer, actions ...Action) (address string) {
	t.Helper()
	return servedOf(t, cfg, world(), words, 0, actions...)
}

// servedOf is served with a source, and a time within which headers must come; 0 is
// the server's own.
func servedOf(t *testing.T, cfg Config, source Source, words io.Writer, headers time.Duration, actions ...Action) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(words, nil))
	s := NewServer(cfg, source, log, actions...)
	if headers > 0 {
		s.ReadHeaderTimeout = headers
	}
	ended := make(chan error, 1)
	go func() { ended <- Serve(l, s, cfg, log) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("served until %v", err)
		}
	})
	return l.Addr().String()
}

// shared is a buffer that a server writes while a test reads.
type shared struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func client(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// TestPasswords: over TLS, nothing is told without the right password.
func TestPasswords(t *testing.T) {
	a := newAuthority(t, "ours")
	var words shared
	var asked []Order
	cfg := Config{File: a.webFile(t, withoutClients(t)), TLS: true, Users: true}
	if err := CheckFile(cfg.File); err != nil {
		t.Fatal(err)
	}
	address := served(t, cfg, &words, reload(&asked))
	c := client(t, &tls.Config{RootCAs: a.pool})
	for _, x := range []struct {
		method, path, user, password string
		status                       int
	}{
		{"GET", "/", "anna", "change me", 200},
		{"GET", "/metrics", "anna", "change me", 200},
		{"GET", "/metrics", "anna", "change you", 401},
		{"GET", "/metrics", "anna", "", 401},
		{"GET", "/metrics", "otto", "change me", 401},
		{"GET", "/metrics", "", "", 401},
		{"GET", "/-/healthy", "", "", 401},
		{"GET", "/nowhere", "", "", 401},
		{"POST", "/-/reload", "", "", 401},
		{"POST", "/-/reload", "anna", "wrong", 401},
		{"POST", "/-/reload", "anna", "change me", 204},
	} {
		r, err := http.NewRequest(x.method, "https://"+address+x.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.user != "" {
			r.SetBasicAuth(x.user, x.password)
		}
		response, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode != x.status {
			t.Errorf("%s %s of %q with %q: %d, want %d", x.method, x.path, x.user, x.password, response.StatusCode, x.status)
		}
		if x.status == 200 && (response.Header.Get("Strict-Transport-Security") == "" || response.Header.Get("Content-Security-Policy") != policy || response.ProtoMajor != 2) {
			t.Errorf("%s: %s with %v", x.path, response.Proto, response.Header)
		}
	}
	if len(asked) != 1 || asked[0].User != "anna" || !strings.Contains(words.String(), "action=reload user=anna") {
		t.Errorf("asked for by %v, logged %s", asked, words.String())
	}
	if strings.Contains(words.String(), "change") || strings.Contains(words.String(), "$2y$") {
		t.Errorf("a password or its hash is in the log: %s", words.String())
	}
	clear, err := client(t, nil).Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	if _ = clear.Body.Close(); clear.StatusCode != 400 {
		t.Errorf("in the clear: %d", clear.StatusCode)
	}
}

// TestPasswordsAreReadAgain: who may no longer ask is refused without a restart.
func TestPasswordsAreReadAgain(t *testing.T) {
	a := newAuthority(t, "ours")
	cfg := Config{File: a.webFile(t, withoutClients(t)), TLS: true, Users: true}
	address := served(t, cfg, io.Discard)
	c := client(t, &tls.Config{RootCAs: a.pool})
	ask := func() int {
		r, _ := http.NewRequest("GET", "https://"+address+"/-/ready", nil)
		r.SetBasicAuth("anna", "change me")
		response, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	before := ask()
	if err := os.WriteFile(cfg.File, []byte(strings.Replace(withoutClients(t), "anna:", "otto:", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := ask(); before != 200 || after != 401 {
		t.Errorf("%d, and without anna %d", before, after)
	}
}

// TestClientCertificates: only who shows one of the right authority is heard,
// and is known by it.
func TestClientCertificates(t *testing.T) {
	a, other := newAuthority(t, "ours"), newAuthority(t, "another")
	var asked []Order
	file := a.webFile(t, strings.Replace(exampleFile(t), "basic_auth_users:\n  anna:", "# anna:", 1))
	address := served(t, Config{File: file, TLS: true}, io.Discard, reload(&asked))
	for _, x := range []struct {
		what  string
		shows []tls.Certificate
		heard bool
	}{
		{"none", nil, false},
		{"one of another authority", other.pair(t, "mallory"), false},
		{"the right one", a.pair(t, "router"), true},
	} {
		r, _ := http.NewRequest("POST", "https://"+address+"/-/reload", nil)
		r.SetBasicAuth("anna", "nobody asks for it")
		response, err := client(t, &tls.Config{RootCAs: a.pool, Certificates: x.shows}).Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		if x.heard != (err == nil && response.StatusCode == 204) {
			t.Errorf("%s: %v, %v", x.what, response, err)
		}
	}
	if len(asked) != 1 || asked[0].User != "CN=router" {
		t.Errorf("asked for by %v", asked)
	}
}

// TestUnknownUser: a name that nobody checked is not put down as one.
func TestUnknownUser(t *testing.T) {
	var asked []Order
	address := served(t, Config{}, io.Discard, reload(&asked))
	r, _ := http.NewRequest("POST", "http://"+address+"/-/reload", nil)
	r.SetBasicAuth("anna", "made up")
	response, err := client(t, nil).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _ = response.Body.Close(); len(asked) != 1 || asked[0].User != "" || asked[0].Remote == "" {
		t.Errorf("asked for by %v", asked)
	}
}

func TestWrongFiles(t *testing.T) {
	a := newAuthority(t, "ours")
	for _, c := range []struct{ text, want string }{
		{"tls_server_config: {cert_file: server.crt}", "key_file"},
		{"tls_server_config: {cert_file: server.crt, key_file: nowhere.key}", "nowhere.key"},
		{"tls_server_config: {cert_file: server.crt, key_file: server.crt}", "X509KeyPair"},
		{"tls_server_config: {cert_file: server.crt, key_file: server.key, client_ca_file: clients.crt}", "Client Auth"},
		{"tls_server_config: {cert_file: server.crt, key_file: server.key, min_version: TLS9}", "TLS9"},
		{"basic_auth_users: {anna: plain}", "hash"},
		{"basic_auth_user: {anna: plain}", "basic_auth_user"},
		{"http_server_config: {headers: {Server: x}}", "Server"},
	} {
		err := CheckFile(a.webFile(t, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "plain") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	for _, text := range []string{"", "basic_auth_users: {}", exampleFile(t)} {
		if err := CheckFile(a.webFile(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSlowAndLargeRequests: a client that takes its time over its headers, or sends
// too many, is left.
func TestSlowAndLargeRequests(t *testing.T) {
	patient := served(t, Config{}, io.Discard)
	short := servedOf(t, Config{}, world(), io.Discard, 50*time.Millisecond)
	for _, c := range []struct{ send, want string }{
		{"GET / HTTP/1.1\r\nHost: x\r\n", ""}, // and no more
		{"", ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", "HTTP/1.1 431 "},
		{"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
		{fmt.Sprintf("POST /-/ready HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 1<<40), "HTTP/1.1 405 "},
	} {
		address := patient
		if c.want == "" {
			address = short
		}
		conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute)) // of a test that fails
		if _, err := io.WriteString(conn, c.send); err != nil && c.want == "" {
			t.Fatal(err)
		}
		// A connection that is cut with bytes unread ends in a reset.
		answer, err := io.ReadAll(conn)
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%.40q: still open", c.send)
		}
		_ = conn.Close()
		if !strings.HasPrefix(string(answer), c.want) || c.want == "" && strings.Contains(string(answer), " 200 ") {
			t.Errorf("%.40q: answered %.80q", c.send, answer)
		}
	}
}
