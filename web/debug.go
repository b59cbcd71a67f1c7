package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"
)

// longestProfile is how long an answer of pprof may take: profiles are of seconds
// that whoever asks chooses.
const longestProfile = 10 * time.Minute

// ListenDebug listens where cfg says that pprof is served, which is on this
// machine only. Its server is NewDebugServer.
func ListenDebug(cfg Config) (net.Listener, error) {
	l, err := net.Listen("tcp", cfg.DebugListen)
	if err != nil {
		return nil, fmt.Errorf("web: listen on %s: %w: set web.debug_listen", cfg.DebugListen, err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		_ = l.Close()
		return nil, fmt.Errorf("web: listen on %s: %s is no loopback address, and profiles show what is in memory: set web.debug_listen to 127.0.0.1:PORT", cfg.DebugListen, l.Addr())
	}
	return l, nil
}

// Loopback tells whether host is a loopback address, or localhost.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// NewDebugServer is a server for pprof, and for nothing else.
func NewDebugServer(log *slog.Logger) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &http.Server{
		Handler:           guard(local(mux)),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      longestProfile,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          logLogger("http of profiles", slog.LevelWarn, log),
	}
}

// local lets through what is asked for under a name of this machine: a page whose
// name is pointed at it asks under that name.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Loopback(hostOf(r)) {
			Problem{Type: "cross-site", Status: http.StatusForbidden, Detail: "profiles are served as localhost or 127.0.0.1 only"}.write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf is the host that a request is sent to, without port and brackets.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	if n := len(r.Host); n > 1 && r.Host[0] == '[' && r.Host[n-1] == ']' {
		return r.Host[1 : n-1]
	}
	return r.Host
}
