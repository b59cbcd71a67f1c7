package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"blipd/estimators"
	"blipd/ingest"
	"blipd/state"
)

// firstRefit is how soon after the start the first refit is tried.
const firstRefit = 500 * time.Millisecond

// refitAlways refits on every tick until ctx ends.
func (d *Daemon) refitAlways(ctx context.Context) error {
	wait := min(firstRefit, d.config.Load().RefitInterval)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		begun := time.Now()
		if err := d.Refit(ctx); err != nil {
			return err
		}
		wait = refitPause(d.config.Load().RefitInterval, time.Since(begun), d.backfill.behindNow())
	}
}

// refitShare is how many times longer than a refit the pause after it is at least
// while the daemon catches up: refits take a twentieth of the time at most.
const refitShare = 19

// refitPause is the pause after a refit.
func refitPause(interval, took time.Duration, behind bool) time.Duration {
	if behind {
		return max(interval, refitShare*took)
	}
	return interval
}

// Refit collects the sums of all partitions, solves, and publishes the reports.
// Workers wait only while their own sums are copied.
func (d *Daemon) Refit(ctx context.Context) error {
	d.house.RLock()
	defer d.house.RUnlock()
	d.loops.refit.begin()
	defer d.loops.refit.end()
	begun, cfg := time.Now(), d.config.Load()
	partitions := d.intake.owned()
	if len(partitions) == 0 {
		return nil // nothing is known yet: no report, and readiness says so
	}
	all := make([]sums, len(cfg.Experiments))
	for _, p := range partitions {
		var broken error
		collected := func() {
			if broken = p.Commit(); broken != nil {
				return // counters and sums of one moment need it
			}
			for x := range all {
				all[x].collect(p, x)
			}
		}
		if !d.between(ctx, p, collected) {
			return nil
		}
		if broken != nil {
			return broken
		}
	}
	reports := map[string]pair{}
	for x, e := range cfg.Experiments {
		all[x].ask(e.Spec.Contrasts) // others than those the partitions were opened with
		closed, complete := cfg.reports(x, &all[x])
		reports[e.Spec.Experiment.Name] = pair{closed, complete}
		if d.space.short() {
			continue // the one before it stays, and this one is published all the same
		}
		if err := d.keep(closed); err != nil {
			return err
		}
	}
	if first := d.reports.Swap(&reports) == nil; first {
		d.log.Info("first refit", "partitions", len(partitions), "took", time.Since(begun))
	}
	d.refits.observe(time.Since(begun))
	d.last.Store(time.Now().UnixNano())
	return nil
}

// between runs a call that uses a partition in the goroutine of its worker;
// false when there is none now: the group is between two generations, or the
// daemon is stopping.
func (d *Daemon) between(ctx context.Context, p *state.Partition, call func()) bool {
	var worker *ingest.Worker
	if worker = d.intake.worker(p.Stats().Partition); worker == nil {
		return false
	}
	return worker.Do(ctx, call) == nil
}

// keep writes the report to state, where it stays when its epoch has ended.
func (d *Daemon) keep(r *estimators.Report) error {
	bytes, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("daemon: keep report of experiment %q: %w", r.Experiment, err)
	}
	return d.store.SetReport(r.Experiment, r.Epoch, bytes)
}
