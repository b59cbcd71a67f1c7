package daemon

import (
	"context"
	"encoding/json"
	"time"

	"blipd/estimators"
	"blipd/state"
)

// StateOptions is what a partition of cfg goes by.
func StateOptions(cfg *Config) state.Options { return cfg.stateOptions() }

// StalledAt is what would hang at a time, if nothing happened until then; the log is
// told too.
func (d *Daemon) StalledAt(now time.Time) []string {
	d.lookAtLoops(now)
	return d.stalled(now)
}

// Hang keeps the worker of a partition until release.
func (d *Daemon) Hang(ctx context.Context, partition int) (release func()) {
	taken, until, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = d.intake.worker(partition).Do(ctx, func() { close(taken); <-until })
	}()
	<-taken
	return func() { close(until); <-done }
}

// MomentsOf are copies of the sums of a partition.
func MomentsOf(p *state.Partition, experiment int) (closed, complete *estimators.Moments) {
	c, k := p.Ledgers(experiment)
	return c[0].(ledger).moments, k[0].(ledger).moments
}

// Describe is all that a partition of cfg has to say, both scopes of each experiment.
func Describe(cfg *Config, p *state.Partition) ([]byte, error) {
	var all []*estimators.Report
	for x := range cfg.Experiments {
		var s sums
		s.collect(p, x)
		closed, complete := cfg.reports(x, &s)
		all = append(all, closed, complete)
	}
	return json.Marshal(all)
}

// FreeSpace makes a daemon that does not run yet see a disk with so many bytes free.
func FreeSpace(d *Daemon, free func() (int64, error)) { d.space.free = free }
