package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// reload is an action that takes a member or nothing, and keeps who asked.
func reload(asked *[]Order) Action {
	return Action{Name: "reload", Path: "/-/reload", Methods: []string{"POST", "PUT"}, Do: func(_ context.Context, o *Order) (any, error) {
		var body struct {
			Say string `json:"say"`
		}
		if err := o.Decode(&body, true); err != nil {
			return nil, err
		}
		*asked = append(*asked, *o)
		switch body.Say {
		case "":
			return nil, nil
		case "broken":
			return nil, errors.New("the disk is full")
		case "refused":
			return nil, &Problem{Type: "bad-config", Status: 422, Detail: "line 3: no such key"}
		case "unspeakable":
			return func() {}, nil
		}
		return map[string]string{"said": body.Say}, nil
	}}
}

func TestActions(t *testing.T) {
	const asJSON = "application/json; charset=utf-8"
	for _, c := range []struct {
		what, method, target, kind, body string
		headers                          []string
		status                           int
		answer                           string // a part of it
		log                              string // a part of its line, "" for none
	}{
		{what: "done", method: "POST", status: 204, log: "level=INFO msg=\"action done\" action=reload user=\"\" remote=192.0.2.1:1234 status=204"},
		{what: "the other method", method: "PUT", status: 204, log: "action done"},
		{what: "with an answer", method: "POST", kind: asJSON, body: `{"say":"hello"}`, status: 200, answer: `{"said":"hello"}`, log: "status=200"},
		{what: "an empty form is no body", method: "POST", kind: "application/x-www-form-urlencoded", status: 204, log: "action done"},
		{what: "who asks", method: "POST", headers: []string{"Authorization", "Basic YW5uYTpzZWNyZXQ="}, status: 204, log: "user=anna"},

		{what: "a method that it does not take", method: "GET", status: 405, answer: "POST, PUT, not GET"},
		{what: "a path that only is read", method: "POST", target: "/metrics", status: 405, answer: "GET, HEAD, not POST"},
		{what: "a form", method: "POST", kind: "application/x-www-form-urlencoded", body: `{"say":"hello"}`, status: 415, answer: "no-json", log: "level=WARN msg=\"action refused\""},
		{what: "text, which pages may send", method: "POST", kind: "text/plain", body: `{"say":"hello"}`, status: 415, answer: "no-json", log: "refused"},
		{what: "no type", method: "POST", body: `{"say":"hello"}`, status: 415, answer: "no-json", log: "refused"},
		{what: "no JSON", method: "POST", kind: asJSON, body: `{"say"`, status: 400, answer: "bad-body", log: "refused"},
		{what: "a list", method: "POST", kind: asJSON, body: `[]`, status: 400, answer: "bad-body", log: "refused"},
		{what: "a misspelt member", method: "POST", kind: asJSON, body: `{"sya":"hello"}`, status: 400, answer: "sya", log: "refused"},
		{what: "two values", method: "POST", kind: asJSON, body: `{}{}`, status: 400, answer: "more than one value", log: "refused"},
		{what: "the longest body", method: "POST", kind: asJSON, body: `{}` + strings.Repeat(" ", mostBody-2), status: 204, log: "done"},
		{what: "a longer one", method: "POST", kind: asJSON, body: `{}` + strings.Repeat(" ", mostBody-1), status: 413, answer: "more than 65536 bytes", log: "refused"},
		{what: "a query that cannot be read", method: "POST", target: "/-/reload?a=%zz", status: 400, answer: "bad-query", log: "refused"},
		{what: "refused by the action", method: "POST", kind: asJSON, body: `{"say":"refused"}`, status: 422, answer: "no such key", log: "status=422"},
		{what: "failed", method: "POST", kind: asJSON, body: `{"say":"broken"}`, status: 500, answer: "the log says why", log: "level=ERROR msg=\"action failed\""},
		{what: "no JSON for the answer", method: "POST", kind: asJSON, body: `{"say":"unspeakable"}`, status: 500, answer: "the log says why", log: "failed"},

		{what: "another site's page", method: "POST", headers: []string{"Sec-Fetch-Site", "cross-site"}, status: 403, answer: "cross-site", log: "refused"},
		{what: "another host of the same site", method: "POST", headers: []string{"Sec-Fetch-Site", "same-site"}, status: 403, log: "refused"},
		{what: "an old browser", method: "POST", headers: []string{"Origin", "http://elsewhere.example"}, status: 403, log: "refused"},
		{what: "a name pointed here", method: "POST", headers: []string{"Sec-Fetch-Site", "same-origin"}, status: 403, log: "refused"},
		{what: "a name pointed here, an old browser", method: "POST", headers: []string{"Origin", "http://example.com"}, status: 403, log: "refused"},
		{what: "a name, with a password", method: "POST", headers: []string{"Sec-Fetch-Site", "same-origin", "Authorization", "Basic YW5uYTpzZWNyZXQ="}, status: 204, log: "done"},
		{what: "by address", method: "POST", target: "http://127.0.0.1:9464/-/reload", headers: []string{"Sec-Fetch-Site", "same-origin"}, status: 204, log: "done"},
		{what: "by an address of six", method: "POST", target: "http://[::1]:9464/-/reload", headers: []string{"Origin", "http://[::1]:9464"}, status: 204, log: "done"},
		{what: "as localhost", method: "POST", target: "http://localhost:9464/-/reload", headers: []string{"Sec-Fetch-Site", "same-origin"}, status: 204, log: "done"},
	} {
		var words bytes.Buffer
		var asked []Order
		target := c.target
		if target == "" {
			target = "/-/reload"
		}
		r := httptest.NewRequest(c.method, target, strings.NewReader(c.body))
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		for i := 0; i+1 < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
		}
		w := httptest.NewRecorder()
		Handler(Config{Users: true}, world(), slog.New(slog.NewTextHandler(&words, nil)), reload(&asked)).ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("%s: %d %s, want %d with %q", c.what, w.Code, w.Body, c.status, c.answer)
		}
		if done := w.Code < 300; done != (len(asked) == 1 && w.Code < 300) {
			t.Errorf("%s: the action was called %d times", c.what, len(asked))
		}
		if lines := strings.Count(words.String(), "\n"); !strings.Contains(words.String(), c.log) || lines > 1 || c.log == "" && lines > 0 {
			t.Errorf("%s: logged %q, want one line with %q", c.what, words.String(), c.log)
		}
		if w.Code == 403 && len(asked) > 0 {
			t.Errorf("%s: refused, and done", c.what)
		}
		if strings.Contains(words.String(), "secret") || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: the password is told", c.what)
		}
	}
}

// TestActionByCertificate: a browser with a certificate may ask by name.
func TestActionByCertificate(t *testing.T) {
	r := httptest.NewRequest("POST", "https://blipd.example/-/reload", nil)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range []struct {
		known []*x509.Certificate
		want  bool
	}{{nil, true}, {[]*x509.Certificate{{}}, false}} {
		r.TLS = &tls.ConnectionState{PeerCertificates: c.known}
		if got := foreign(r); got != c.want {
			t.Errorf("with %d certificates: foreign is %v", len(c.known), got)
		}
	}
}

// TestActionOnReadPath: a path that is read can also be acted on.
func TestActionOnReadPath(t *testing.T) {
	var asked []Order
	a := reload(&asked)
	a.Path, a.Methods = "/api/v1/effects", []string{http.MethodDelete}
	h := Handler(Config{}, world(), nil, a)
	for method, want := range map[string]int{"GET": 200, "DELETE": 204, "POST": 405} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, a.Path, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", method, w.Code, want)
		}
		if allow := w.Header().Get("Allow"); want == 405 && allow != "DELETE, GET, HEAD" {
			t.Errorf("Allow is %q", allow)
		}
	}
}

func TestTwoActionsForOnePath(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two actions share a path and a method")
		}
	}()
	var asked []Order
	Handler(Config{}, world(), nil, reload(&asked), reload(&asked))
}
