package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Action is something that the daemon can be told to do over HTTP. Whoever asks
// is written to the log with what came of it.
type Action struct {
	Name    string   // in the log, like reload
	Path    string   // like /-/reload; it may also be one that is read
	Methods []string // of POST, PUT and DELETE

	// Do answers with what is written as JSON; nil is an answer without a body.
	// An error that is a *Problem is one of whoever asked and is answered as it
	// is; any other is one of the daemon, status 500. It is called concurrently.
	Do func(context.Context, *Order) (answer any, err error)
}

// Order is one request for an action.
type Order struct {
	User   string // who asks, by a password or certificate that was checked; "" where there is none
	Remote string // the address they ask from
	Query  url.Values
	body   []byte
}

// mostBody bounds what a request may send, in bytes.
const mostBody = 64 << 10

// Decode reads the body, one JSON object, into what to points to. A member that
// is not there is refused, and so is no body, unless empty allows it: then to is
// left as it is. The error is a *Problem.
func (o *Order) Decode(to any, empty bool) error {
	if len(o.body) == 0 && empty {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(o.body)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(to)
	if errors.Is(err, io.EOF) {
		err = errors.New("no body")
	} else if err == nil && decoder.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return &Problem{Type: "bad-body", Status: http.StatusBadRequest,
			Detail: fmt.Sprintf("the body is not the JSON object that is taken here: %v", err)}
	}
	return nil
}

// resource is what one path does, by method.
type resource struct {
	read    http.Handler // GET and HEAD; nil for a path that only acts
	actions map[string]http.Handler
}

func (h *resource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.read != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.read.ServeHTTP(w, r)
		return
	}
	if act := h.actions[r.Method]; act != nil {
		act.ServeHTTP(w, r)
		return
	}
	allowed := make([]string, 0, 4)
	if h.read != nil {
		allowed = append(allowed, http.MethodGet, http.MethodHead)
	}
	for method := range h.actions {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	Problem{Type: "method-not-allowed", Status: http.StatusMethodNotAllowed,
		Detail: "this path takes " + strings.Join(allowed, ", ") + ", not " + r.Method}.write(w)
}

// addAction puts an action among the paths.
func addAction(paths map[string]*resource, c *control) {
	at := paths[c.action.Path]
	if at == nil {
		at = &resource{}
		paths[c.action.Path] = at
	}
	if at.actions == nil {
		at.actions = map[string]http.Handler{}
	}
	for _, method := range c.action.Methods {
		if at.actions[method] != nil {
			panic("web: two actions for " + method + " " + c.action.Path)
		}
		at.actions[method] = c
	}
}

// control answers requests for one action.
type control struct {
	action Action
	log    *slog.Logger
	known  func(*http.Request) string // the user of a request, "" where none is known
}

func (h *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	order := &Order{User: h.known(r), Remote: r.RemoteAddr}
	status, err := h.answer(w, r, order)
	attributes := []any{"action", h.action.Name, "user", order.User, "remote", order.Remote, "status", status, "took", time.Since(begun)}
	switch {
	case err == nil:
		h.log.Info("action done", attributes...)
	case status < http.StatusInternalServerError:
		h.log.Warn("action refused", append(attributes, "err", err)...)
	default:
		h.log.Error("action failed", append(attributes, "err", err)...)
	}
}

// answer does the action and writes what came of it.
func (h *control) answer(w http.ResponseWriter, r *http.Request, order *Order) (status int, err error) {
	var answer any
	if err = order.read(w, r); err == nil {
		answer, err = h.action.Do(r.Context(), order)
	}
	var body []byte
	if err == nil && answer != nil {
		body, err = json.Marshal(answer)
	}
	if wrong, ok := errors.AsType[*Problem](err); ok {
		wrong.write(w)
		return wrong.Status, err
	}
	if err != nil {
		Problem{Type: "internal", Status: http.StatusInternalServerError,
			Detail: h.action.Name + " has failed, the log says why"}.write(w)
		return http.StatusInternalServerError, err
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return http.StatusNoContent, nil
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n')) // an error means that the client is gone
	return http.StatusOK, nil
}

// read takes from a request what an action may see of it.
func (o *Order) read(w http.ResponseWriter, r *http.Request) (err error) {
	if foreign(r) {
		return &Problem{Type: "cross-site", Status: http.StatusForbidden,
			Detail: "a page of another site may not ask for this: send it from a program, such as blipd or curl"}
	}
	if o.Query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return refuse("unreadable query: %v", err)
	}
	if o.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody)); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return &Problem{Type: "body-too-large", Status: http.StatusRequestEntityTooLarge,
				Detail: fmt.Sprintf("a body of more than %d bytes: send less", mostBody)}
		}
		return &Problem{Type: "bad-body", Status: http.StatusBadRequest, Detail: fmt.Sprintf("the body broke off: %v", err)}
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); len(o.body) > 0 && kind != "application/json" {
		return &Problem{Type: "no-json", Status: http.StatusUnsupportedMediaType,
			Detail: fmt.Sprintf("a body of type %q: send JSON, with Content-Type: application/json", kind)}
	}
	return nil
}

// sameSite tells requests that a browser sends for another site's page.
var sameSite = http.NewCrossOriginProtection()

// foreign tells whether a browser asks for a page that may not be of this
// server. A name can be pointed at this address by whoever owns it, and then
// their page is of the same origin: so a browser may ask by address, as localhost
// or with a password or certificate, but not by name alone.
func foreign(r *http.Request) bool {
	if sameSite.Check(r) != nil {
		return true
	}
	browser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	if !browser || r.Header.Get("Authorization") != "" || r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return false
	}
	host := hostOf(r)
	_, err := netip.ParseAddr(host)
	return err != nil && host != "localhost"
}
