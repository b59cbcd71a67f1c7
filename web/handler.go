package web

import (
	"log/slog"
	"net/http"
	"time"
)

// Handler answers all that blipd serves over HTTP. log takes what goes wrong
// while answering; nil discards it.
func Handler(cfg Config, source Source, log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	cfg = cfg.orDefaults()
	mux := http.NewServeMux()
	route := func(pattern string, h http.Handler) { mux.Handle(pattern, readOnly(h)) }
	route("/{$}", &pages{source: source, log: log})
	route("/static/{name}", http.HandlerFunc(serveAsset))
	route("/api/v1/effects", &effects{source: source, log: log})
	route("/api/v1/policies/value", &policyValue{source: source, log: log})
	route("/api/v1/contrast", &contrast{source: source, log: log})
	route("/metrics", metrics(cfg, source, log))
	route("/-/healthy", http.HandlerFunc(healthy))
	route("/-/ready", ready(source))
	mux.HandleFunc("/", unknownPath)
	return guard(mux)
}

// NewServer is a server for Handler with the address of cfg and limits on how
// long a client may take. Whoever starts it also shuts it down.
func NewServer(cfg Config, source Source, log *slog.Logger) *http.Server {
	s := &http.Server{
		Addr:              cfg.orDefaults().Listen,
		Handler:           Handler(cfg, source, log),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	if log != nil {
		s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	}
	return s
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

// readOnly lets GET and HEAD through.
func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", "GET, HEAD")
		problem{Type: "method-not-allowed", Status: http.StatusMethodNotAllowed,
			Detail: "this path takes GET and HEAD, not " + r.Method}.write(w)
	})
}

func unknownPath(w http.ResponseWriter, _ *http.Request) {
	problem{Type: "unknown-path", Status: http.StatusNotFound,
		Detail: "paths are /, /metrics, /api/v1/effects, /api/v1/policies/value, /api/v1/contrast, /-/healthy and /-/ready"}.write(w)
}
