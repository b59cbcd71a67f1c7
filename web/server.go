package web

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	exporter "github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/net/netutil"
)

// mostConnections bounds the connections at a time; the next one waits until one
// is closed. What blipd itself needs, files and brokers, must not run short of
// descriptors because many ask.
const mostConnections = 512

// NewServer is a server for Handler with the address of cfg and limits on how
// long a client may take. Whoever starts it, by Serve, also shuts it down.
func NewServer(cfg Config, source Source, log *slog.Logger, actions ...Action) *http.Server {
	s := &http.Server{
		Addr:              cfg.orDefaults().Listen,
		Handler:           Handler(cfg, source, log, actions...),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	if log != nil {
		s.ErrorLog = logLogger("http", slog.LevelWarn, log)
	}
	return s
}

// logLogger is a logger for libraries that have their own: what they say is an
// attribute of one message, so that lines which differ in an address alone are of
// one kind.
func logLogger(message string, level slog.Level, to *slog.Logger) *log.Logger {
	return log.New(logWriter{message, level, to}, "", 0)
}

type logWriter struct {
	message string
	level   slog.Level
	to      *slog.Logger
}

func (w logWriter) Write(b []byte) (int, error) {
	w.to.Log(context.Background(), w.level, w.message, "err", strings.TrimSpace(string(b)))
	return len(b), nil
}

// Serve serves s on l until it is shut down, as the web configuration file of cfg
// says. The error is never nil; http.ErrServerClosed is the orderly end.
func Serve(l net.Listener, s *http.Server, cfg Config, log *slog.Logger) error {
	l = netutil.LimitListener(l, mostConnections)
	if cfg.File == "" {
		return s.Serve(l)
	}
	return exporter.Serve(l, s, &exporter.FlagConfig{WebConfigFile: &cfg.File}, log)
}

// CheckFile says what is wrong with a web configuration file, or with the
// certificates and keys that it names.
func CheckFile(path string) error {
	if err := exporter.Validate(path); err != nil {
		return fmt.Errorf("not a web configuration file: %w", err)
	}
	return nil
}

// userOf is the user whose password was found right, or the subject of the
// certificate that was; "" where nobody was asked for one.
func (c Config) userOf(r *http.Request) string {
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return r.TLS.VerifiedChains[0][0].Subject.String()
	}
	if user, _, ok := r.BasicAuth(); ok && c.Users {
		return user
	}
	return ""
}
