package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"blipd/config"
	"blipd/daemon"
)

type runCommand struct {
	configFile
	Web struct {
		Config struct {
			File *string `name:"file" placeholder:"FILE" help:"The web configuration file, for TLS and passwords; instead of web.config_file."`
		} `embed:"" prefix:"config."`
	} `embed:"" prefix:"web."`
}

// Run runs the daemon until it is told to stop.
func (c *runCommand) Run(p *process) error {
	cfg, err := c.configuration(p)
	if err != nil {
		return err
	}
	cfg.Reread = func() (*daemon.Config, error) { return c.configuration(p) }
	p.limitMemory(cfg.State.Memory)
	ctx, cancel := p.interrupted()
	defer cancel()
	log, flush := p.logger()
	defer flush()
	log.Info("blipd starts", "version", version(), "go", runtime.Version(), "topic", cfg.Kafka.Topic, "brokers", cfg.Kafka.Brokers, "state", cfg.State.Dir)
	d, err := daemon.New(*cfg, version(), log)
	if err != nil {
		return stopped(log, err)
	}
	log.Info("blipd started", "address", cfg.Web.Scheme()+"://"+d.Addr())
	host := supervise(d, log)
	defer onHangup(func() {
		host.reloading()
		_, _ = d.Reload() // it says in the log what came of it
		host.ready()
	})()
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	host.ready()
	watching, unwatched := context.WithCancel(context.WithoutCancel(ctx))
	defer unwatched()
	go host.watch(watching)
	select {
	case err := <-done:
		return stopped(log, err)
	case <-ctx.Done():
	}
	host.stopping()
	log.Info("stopping: the batches in hand are finished and committed", "within", cfg.ShutdownTimeout)
	select {
	case err := <-done:
		return stopped(log, err)
	case <-time.After(d.ShutdownTimeout()):
		return stopped(log, fmt.Errorf("stop: not done within shutdown_timeout (%s); nothing that was committed is lost", d.ShutdownTimeout()))
	}
}

// configuration is what the file and the flags say.
func (c *runCommand) configuration(p *process) (*daemon.Config, error) {
	cfg, err := c.load(p)
	if err == nil && c.Web.Config.File != nil {
		err = config.WebFile(cfg, *c.Web.Config.File, os.ReadFile)
	}
	return cfg, err
}

// stopped writes the last line of the log, with the exit code that an error makes.
func stopped(log *slog.Logger, err error) error {
	if err == nil {
		log.Info("stopped", "exit_code", exitOK)
	} else {
		log.Error("stopped", "exit_code", codeOf(err), "err", err)
	}
	return err
}

// leastHeap is what the collector is always left: below it, it would do nothing
// but collect.
const leastHeap = 512 << 20

// limitMemory keeps the heap below three quarters of state.memory: files that
// are mapped into memory come on top. Whoever sets GOMEMLIMIT decides instead.
func (p *process) limitMemory(memory int64) {
	if _, set := p.env("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(max(memory/4*3, leastHeap))
	}
}
