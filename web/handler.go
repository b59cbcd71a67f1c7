package web

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Handler answers all that blipd serves over HTTP, and does the actions. log
// takes what goes wrong while answering, and who asked for which action; nil
// discards it. It panics when two actions share a path and a method.
func Handler(cfg Config, source Source, log *slog.Logger, actions ...Action) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	cfg = cfg.orDefaults()
	paths := map[string]*resource{
		"/{$}":                   {read: &pages{source: source, log: log}},
		"/static/{name}":         {read: http.HandlerFunc(serveAsset)},
		"/api/v1/effects":        {read: &effects{source: source, log: log}},
		"/api/v1/policies/value": {read: &policyValue{source: source, log: log}},
		"/api/v1/contrast":       {read: &contrast{source: source, log: log}},
		"/api/v1/hold":           {read: &holds{source: source, log: log}},
		"/metrics":               {read: metrics(cfg, source, log)},
		"/-/healthy":             {read: healthy(source)},
		"/-/ready":               {read: ready(source)},
	}
	for _, a := range actions {
		addAction(paths, &control{action: a, log: log, known: cfg.userOf})
	}
	mux := http.NewServeMux()
	busy := newGate(mostAtOnce)
	for path, h := range paths {
		if strings.HasPrefix(path, "/-/") {
			mux.Handle(path, h) // whoever watches over the daemon is heard when it has much to do
		} else {
			mux.Handle(path, busy.before(h))
		}
	}
	mux.Handle("/", unknownPath(paths))
	return guard(mux)
}

// policy lets a page load its own style, script and icon, and ask this server
// again; nothing inline, nothing from elsewhere, in nobody's frame.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard puts on every answer what browsers should know of it.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// mostAtOnce bounds the answers under way: each is made in memory.
const mostAtOnce = 32

// gate lets a number of requests through at a time.
type gate chan struct{}

func newGate(most int) gate { return make(gate, most) }

// before answers those who come while the gate is full with when to come again.
func (g gate) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case g <- struct{}{}:
			defer func() { <-g }()
			next.ServeHTTP(w, r)
		default:
			Problem{Type: "busy", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
				Detail: fmt.Sprintf("%d requests are being answered, the most at a time: ask again", cap(g))}.write(w)
		}
	})
}

// unknownPath names the paths that there are.
func unknownPath(paths map[string]*resource) http.Handler {
	names := []string{"/"}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !strings.Contains(path, "{") {
			names = append(names, path)
		}
	}
	detail := "paths are " + strings.Join(names, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		Problem{Type: "unknown-path", Status: http.StatusNotFound, Detail: detail}.write(w)
	})
}
