package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/config"
	"blipd/daemon"
	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/sim"
	"blipd/web"
)

//go:embed demo.yaml
var demoYAML []byte

const (
	partitions = 2
	// lastRefit bounds the refit at the end, which makes the last table fresh.
	lastRefit = 5 * time.Second
)

// Options says how a demo runs.
type Options struct {
	Listen  string // host:port of the pages
	Version string
	Log     *slog.Logger
}

// Demo is a house with everything in it.
type Demo struct {
	dir      string
	topic    string
	cluster  *kfake.Cluster
	producer *kafka.Client
	daemon   *daemon.Daemon
	fleet    *sim.Fleet
	truth    map[key]float64
}

// key is under what a planted effect and its estimate are known.
type key struct{ estimand, outcome, arm, dimension, group string }

// New starts the broker and opens the daemon; both end with Run.
func New(o Options) (_ *Demo, err error) {
	d := &Demo{truth: map[key]float64{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if d.dir, err = os.MkdirTemp("", "blipd-demo-"); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if d.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "blipd.events"), kfake.SeedTopics(1, "blipd.rejected")); err != nil {
		return nil, fmt.Errorf("demo: start the embedded broker: %w", err)
	}
	settings := map[string]string{"BROKER": d.cluster.ListenAddrs()[0], "STATE": d.dir, "LISTEN": o.Listen}
	cfg, err := config.Parse("demo.yaml", demoYAML, func(name string) (string, bool) { v, ok := settings[name]; return v, ok }, os.ReadFile)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	d.topic = cfg.Kafka.Topic
	if d.producer, err = kafka.New(kafka.Config{Brokers: cfg.Kafka.Brokers, Topic: d.topic}); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if d.daemon, err = daemon.New(*cfg, o.Version, o.Log); err != nil {
		return nil, err
	}
	d.fleet = sim.NewFleet(uint64(time.Now().UnixNano()), event.TimeOf(time.Now().Add(-headStart)))
	d.plant(cfg.Experiments[0].Rules.Experiment.Name)
	return d, nil
}

// plant notes the truth of the fleet, for the pages and for Truth.
func (d *Demo) plant(experiment string) {
	var told []web.Truth
	for _, e := range d.fleet.Truth() {
		d.truth[key{e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group}] = e.Value
		told = append(told, web.Truth{Estimand: e.Estimand, Outcome: e.Outcome, Arm: e.Arm, Dimension: e.Dimension, Group: e.Group, Value: e.Value})
	}
	d.daemon.Tell(experiment, told)
}

// Addr is where the pages are served.
func (d *Demo) Addr() string { return d.daemon.Addr() }

// Report is the last refit's, nil before the first.
func (d *Demo) Report() *estimators.Report {
	return d.daemon.Report(d.daemon.Experiments()[0].Name, estimators.Closed)
}

// Truth is the planted value of what an estimate estimates.
func (d *Demo) Truth(e *estimators.Estimate) (value float64, known bool) {
	value, known = d.truth[key{e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group}]
	return value, known
}

// Run lets the fleet work until ctx ends, refits a last time, and takes the
// house down.
func (d *Demo) Run(ctx context.Context) error {
	ctx, failed := context.WithCancelCause(ctx)
	defer failed(nil)
	living, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	done := make(chan error, 1)
	go func() {
		err := d.daemon.Run(living)
		failed(err)
		done <- err
	}()
	var work sync.WaitGroup
	work.Go(func() { failed(d.produce(ctx)) })
	work.Go(func() { d.trimAlways(ctx) })
	<-ctx.Done()
	work.Wait()

	last, enough := context.WithTimeout(living, lastRefit)
	err := d.daemon.Refit(last)
	enough()
	stop()
	err = errors.Join(err, <-done, d.close())
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		err = errors.Join(cause, err)
	}
	return err
}

// close closes what the daemon does not.
func (d *Demo) close() error {
	var err error
	if d.producer != nil {
		err = d.producer.Close()
	}
	if d.cluster != nil {
		d.cluster.Close()
	}
	return errors.Join(err, os.RemoveAll(d.dir))
}
