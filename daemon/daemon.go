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
	log     *slog.Logger
	version string

	client   *kafka.Client
	consumer *ingest.Consumer
	listener net.Listener
	server   *http.Server
	debug    net.Listener // nil when pprof is off

	house  sync.RWMutex           // read by what uses partitions, held by what changes them
	shelf  sync.RWMutex           // read by what uses store beside it, held by what closes it
	store  *state.Store           // under either
	config atomic.Pointer[Config] // in effect; never changed in place

	intake   intake
	space    space
	holds    holds
	backfill backfill
	reloads  reloads
	rebuilds rebuilds
	loops    loops
	reports  atomic.Pointer[map[string]pair] // of the last refit, by experiment; nil before the first
	refits   *durations
	commits  *durations
	last     atomic.Int64 // unix nanoseconds of the last refit; 0 before
	backs    atomic.Int64 // times that a log started or ended before where it had
	setAside atomic.Int64 // directories of state that were damaged
	dropped  atomic.Int64 // dead letters that the broker refused for their content
	closed   bool         // under house: nothing changes any more
	broken   chan error   // what a change could not do; capacity 1

	mu    sync.Mutex // guards truth
	truth map[string][]web.Truth
}

// pair are the two scopes of one refit of one experiment.
type pair struct{ closed, complete *estimators.Report }

// New opens state and the listener, and dials no broker. What it has opened it
// closes again on an error.
func New(config Config, version string, log *slog.Logger) (_ *Daemon, err error) {
	d := &Daemon{log: log, version: version, refits: newDurations(), commits: newDurations(), broken: make(chan error, 1)}
	d.intake.init()
	d.reloads.begin(time.Now())
	d.rebuilds.asked = make(chan *rebuild, 1)
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	config.Kafka.Changed, config.State.Log = d.reachable, log
	d.config.Store(&config)
	if d.client, err = kafka.New(config.Kafka); err != nil {
		return nil, err
	}
	if err = d.openStore(); err != nil {
		return nil, err
	}
	d.watchesSpaceOf(d.store)
	if d.listener, err = net.Listen("tcp", config.Web.Listen); err != nil {
		return nil, fmt.Errorf("daemon: listen on %s: %w: set web.listen", config.Web.Listen, err)
	}
	if config.Web.DebugListen != "" {
		if d.debug, err = web.ListenDebug(config.Web); err != nil {
			return nil, err
		}
	}
	if d.holds.now, err = d.store.Held(); err != nil {
		return nil, err
	}
	d.consumer = &ingest.Consumer{
		Client: d.client, Schema: config.Schema(), Manual: len(config.Kafka.Partitions) > 0,
		Open: d.open, Began: d.began, Ended: d.ended,
		Held: d.held, Paused: d.space.short, Failed: d.failed, Nameless: d.nameless, WentBack: d.wentBack, Shared: d.shared, BeganLate: d.beganLate,
	}
	d.server = web.NewServer(config.Web, d, log, d.actions()...)
	return d, nil
}

// ShutdownTimeout is how long the end may take, as the configuration in effect has it.
func (d *Daemon) ShutdownTimeout() time.Duration { return d.config.Load().ShutdownTimeout }

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
	if d.debug != nil {
		room(d.serveDebug)
	}
	room(d.consume)
	room(d.refitAlways)
	room(d.relieve)
	room(d.watchSpace)
	room(d.relay)
	room(d.watch)
	room(d.askEnds)
	room(d.changes)
	room(d.rebuildAlways)
	<-ctx.Done()
	rooms.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return errors.Join(d.condemn(cause), d.closeInTime())
	}
	return d.close()
}

// consume brings state back, then reads the log.
func (d *Daemon) consume(ctx context.Context) error {
	if err := d.bringBack(); err != nil {
		return err
	}
	return d.consumer.Run(ctx)
}

// closeInTime closes, but does not wait for ever: what Badger cannot write it tries
// again without end, and who would stop a daemon that fails?
func (d *Daemon) closeInTime() error {
	closed := make(chan error, 1)
	go func() { closed <- d.close() }() // the process ends soon
	select {
	case err := <-closed:
		return err
	case <-time.After(d.ShutdownTimeout()):
		return fmt.Errorf("daemon: close: not done within shutdown_timeout (%s); nothing that was committed is lost", d.ShutdownTimeout())
	}
}

// close closes what New opened, the last first, once no change is under way.
func (d *Daemon) close() error {
	d.house.Lock()
	defer d.house.Unlock()
	d.shelf.Lock()
	defer d.shelf.Unlock()
	d.closed = true
	var errs []error
	select {
	case r := <-d.rebuilds.asked: // that nobody has begun
		errs = append(errs, r.store.Discard(), r.client.Close())
	default:
	}
	for _, l := range []net.Listener{d.listener, d.debug} {
		if l == nil {
			continue
		}
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
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
