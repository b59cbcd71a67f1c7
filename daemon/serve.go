package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"blipd/web"
)

// serve answers HTTP until ctx ends.
func (d *Daemon) serve(ctx context.Context) error {
	return serveUntil(ctx, d.server, d.listener, func() error {
		return web.Serve(d.listener, d.server, d.config.Load().Web, d.log)
	})
}

// serveDebug serves pprof until ctx ends.
func (d *Daemon) serveDebug(ctx context.Context) error {
	server := web.NewDebugServer(d.log)
	return serveUntil(ctx, server, d.debug, func() error { return server.Serve(d.debug) })
}

// serveUntil shuts a server down when ctx ends; a request under way has a second.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener, serve func() error) error {
	stop := context.AfterFunc(ctx, func() {
		grace, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	defer stop()
	if err := serve(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("daemon: serve %s: %w", l.Addr(), err)
	}
	return nil
}
