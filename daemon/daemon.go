package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"blipd/estimators"
	"blipd/ingest"
	"blipd/ingest/kafka"
	"blipd/state"
	"blipd/web"
)

// Daemon is a running house, or one about to run.
type Daemon struct {
	config  Config
	log     *slog.Logger
	version string

	store    *state.Store
	client   *kafka.Client
	listener net.Listener
	server   *http.Server

	intake   intake
	space    space
	reports  atomic.Pointer[map[string]pair] // of the last refit, by experiment; nil before the first
	refits   *durations
	commits  *durations
	last     atomic.Int64 // unix nanoseconds of the last refit; 0 before
	backs    atomic.Int64 // times that a log started or ended before where it had
	setAside atomic.Int64 // directories of state that were damaged
	dropped  atomic.Int64 // dead letters that the broker refused for their content

	mu    sync.Mutex // guards truth
	truth map[string][]web.Truth
}

// pair are the two scopes of one refit of one experiment.
type pair struct{ closed, complete *estimators.Report }

// New opens state and the listener, and dials no broker. What it has opened it
// closes again on an error.
func New(config Config, version string, log *slog.Logger) (_ *Daemon, err error) {
	d := &Daemon{config: config, log: log, version: version, refits: newDurations(), commits: newDurations()}
	d.intake.init()
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	d.config.Kafka.Changed, d.config.State.Log = d.reachable, log
	if d.client, err = kafka.New(d.config.Kafka); err != nil {
		return nil, err
	}
	if err = d.openState(); err != nil {
		return nil, err
	}
	d.space.free, d.space.need = d.store.Free, d.store.Need
	if d.listener, err = net.Listen("tcp", d.config.Web.Listen); err != nil {
		return nil, fmt.Errorf("daemon: listen on %s: %w: set web.listen", d.config.Web.Listen, err)
	}
	d.server = web.NewServer(d.config.Web, d, log)
	return d, nil
}

// Addr is where the pages are served.
func (d *Daemon) Addr() string { return d.listener.Addr().String() }

// Run consumes, refits, sends and serves until ctx ends; then it finishes the
// batches in hand, closes everything, and returns nil. An error is a failure
// of state, of the server or of the group; unreachable brokers are none.
func (d *Daemon) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var rooms sync.WaitGroup
	room := func(run func(context.Context) error) {
		rooms.Go(func() {
			if err := run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	room(d.serve)
	room(d.consume)
	room(d.refitAlways)
	room(d.relieve)
	room(d.watchSpace)
	if d.config.Outputs.DeadLetters != "" {
		room(d.relay)
	}
	<-ctx.Done()
	rooms.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return errors.Join(d.condemn(cause), d.closeInTime())
	}
	return d.close()
}

// closeInTime closes, but does not wait for ever: what Badger cannot write it tries
// again without end, and who would stop a daemon that fails?
func (d *Daemon) closeInTime() error {
	closed := make(chan error, 1)
	go func() { closed <- d.close() }() // the process ends soon
	select {
	case err := <-closed:
		return err
	case <-time.After(d.config.ShutdownTimeout):
		return fmt.Errorf("daemon: close: not done within shutdown_timeout (%s); nothing that was committed is lost", d.config.ShutdownTimeout)
	}
}

// serve answers HTTP until ctx ends.
func (d *Daemon) serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		grace, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if d.server.Shutdown(grace) != nil {
			_ = d.server.Close()
		}
	})
	defer stop()
	if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("daemon: serve %s: %w", d.Addr(), err)
	}
	return nil
}

// consume reads the log through the workers.
func (d *Daemon) consume(ctx context.Context) error {
	c := ingest.Consumer{
		Client: d.client, Schema: d.config.Schema(), Manual: len(d.config.Kafka.Partitions) > 0,
		Open: d.open, Began: d.intake.began, Ended: d.intake.ended,
		Held: d.held, Paused: d.space.short, Failed: d.failed, Nameless: d.nameless, WentBack: d.wentBack, BeganLate: d.beganLate,
	}
	return c.Run(ctx)
}

// close closes what New opened, the last first.
func (d *Daemon) close() error {
	var errs []error
	if d.listener != nil {
		if err := d.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}
	if d.client != nil {
		errs = append(errs, d.client.Close())
	}
	return errors.Join(errs...)
}
