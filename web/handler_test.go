package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// do asks the handler for a path.
func do(t *testing.T, source Source, method, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler(Config{}, source, nil).ServeHTTP(w, r)
	return w.Result()
}

// get asks for a path and returns what came, with its status.
func get(t *testing.T, source Source, target string) (string, *http.Response) {
	t.Helper()
	response := do(t, source, http.MethodGet, target)
	return textOf(t, response), response
}

func textOf(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestPathsAndMethods(t *testing.T) {
	for _, c := range []struct {
		method, target string
		status         int
		kind           string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/metrics", 200, "text/plain"},
		{"GET", "/-/healthy", 200, "text/plain; charset=utf-8"},
		{"GET", "/-/ready", 200, "application/json"},
		{"GET", "/api/v1/effects", 200, "application/json"},
		{"GET", "/api/v1/contrast", 422, "application/problem+json"},
		{"GET", "/api/v1/contrast?of=all&to=all", 422, "application/problem+json"},
		{"GET", "/api/v1/contrast?of=all&to=rest&to=all", 400, "application/problem+json"},
		{"GET", "/api/v1/contrast?of=all&against=all", 400, "application/problem+json"},
		{"GET", "/api/v1/contrast?of=all&experiment=x", 404, "application/problem+json"},
		{"GET", "/api/v1/policies/value", 422, "application/problem+json"},
		{"GET", "/api/v1/policies/value?intervene=search", 422, "application/problem+json"}, // a report without sums
		{"GET", "/api/v1/policies/value?intervene=search=2", 422, "application/problem+json"},
		{"GET", "/api/v1/policies/value?intervene=search&expr=index", 422, "application/problem+json"},
		{"GET", "/api/v1/policies/value?intervene=search&experiment=x", 404, "application/problem+json"},
		{"POST", "/", 405, "application/problem+json"},
		{"DELETE", "/api/v1/effects", 405, "application/problem+json"},
		{"PUT", "/metrics", 405, "application/problem+json"},
		{"GET", "/healthz", 404, "application/problem+json"},
		{"GET", "/index.html", 404, "application/problem+json"},
		{"GET", "/metrics/", 404, "application/problem+json"},
		{"GET", "/api/v1/", 404, "application/problem+json"},
		{"POST", "/nowhere", 404, "application/problem+json"},
		{"GET", "/static/", 404, "application/problem+json"},
		{"GET", "/static/page.css", 404, "application/problem+json"},
		{"GET", "/static/..%2fpage.go", 404, "application/problem+json"},
	} {
		response := do(t, world(), c.method, c.target)
		if response.StatusCode != c.status || !strings.HasPrefix(response.Header.Get("Content-Type"), c.kind) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.target,
				response.StatusCode, response.Header.Get("Content-Type"), c.status, c.kind)
		}
		if c.status == 405 && response.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow is %q", c.method, c.target, response.Header.Get("Allow"))
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": policy,
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", c.method, c.target, name, got)
			}
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is unsafe: %s", policy)
	}
}

func TestProbes(t *testing.T) {
	if _, response := get(t, waiting(), "/-/healthy"); response.StatusCode != 200 {
		t.Errorf("healthy while not ready: %d", response.StatusCode)
	}
	hung := world()
	hung.stalled = []string{"topic x partition 3: a batch does not end, for 2m5s", "a refit does not end"}
	if body, response := get(t, hung, "/-/healthy"); response.StatusCode != 503 ||
		body != "blipd hangs: topic x partition 3: a batch does not end, for 2m5s; a refit does not end\n" {
		t.Errorf("healthy while something hangs: %d %s", response.StatusCode, body)
	}
	body, response := get(t, waiting(), "/-/ready")
	var answer Readiness
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if response.StatusCode != 503 || answer.Ready || len(answer.Missing) != 1 {
		t.Errorf("not ready: %d %s", response.StatusCode, body)
	}
	if body, response = get(t, world(), "/-/ready"); response.StatusCode != 200 || body != "{\"ready\":true}\n" {
		t.Errorf("ready: %d %s", response.StatusCode, body)
	}
}

func TestAssetsAreCachedForEver(t *testing.T) {
	if len(assets) < 3 {
		t.Fatalf("%d embedded files", len(assets))
	}
	for name := range assets {
		where, err := assetURL(name)
		if err != nil {
			t.Fatal(err)
		}
		body, response := get(t, world(), where)
		tag := response.Header.Get("ETag")
		if response.StatusCode != 200 || body != string(assets[name].body) || tag == "" ||
			!strings.Contains(response.Header.Get("Cache-Control"), "immutable") || response.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %d, %v", where, response.StatusCode, response.Header)
		}
		if again := do(t, world(), "GET", where, "If-None-Match", tag); again.StatusCode != 304 {
			t.Errorf("%s with its tag: %d", where, again.StatusCode)
		}
	}
	if _, err := assetURL("nothing.css"); err == nil {
		t.Error("a file that is not embedded has an address")
	}
}

func TestServerHasLimits(t *testing.T) {
	s := NewServer(Config{}, world(), nil)
	if s.Addr != DefaultListen || s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= 0 || s.WriteTimeout <= 0 || s.IdleTimeout <= 0 {
		t.Errorf("server without limits: %+v", s)
	}
}

// TestBusy: one more than the most at a time is told to come again, and probes are
// answered all the same.
func TestBusy(t *testing.T) {
	under, leave := make(chan struct{}), make(chan struct{})
	hold := Action{Name: "hold", Path: "/slow", Methods: []string{"POST"}, Do: func(context.Context, *Order) (any, error) {
		under <- struct{}{}
		<-leave
		return nil, nil
	}}
	h := Handler(Config{}, world(), nil, hold)
	ask := func(method, path string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code
	}
	var all sync.WaitGroup
	for range mostAtOnce {
		all.Go(func() { ask("POST", "/slow") })
		<-under
	}
	if page, probe := ask("GET", "/"), ask("GET", "/-/ready"); page != 503 || probe != 200 {
		t.Errorf("while %d are answered: the page %d, a probe %d", mostAtOnce, page, probe)
	}
	close(leave)
	all.Wait()
	if page := ask("GET", "/"); page != 200 {
		t.Errorf("afterwards: %d", page)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	h := Handler(Config{}, world(), nil)
	var all sync.WaitGroup
	for range 4 {
		for _, target := range []string{"/", "/metrics", "/api/v1/effects", "/-/ready"} {
			all.Go(func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
				if w.Code != 200 {
					t.Errorf("%s: %d", target, w.Code)
				}
			})
		}
	}
	all.Wait()
}
