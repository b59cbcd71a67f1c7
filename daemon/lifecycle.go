package daemon

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"blipd/ingest"
	"blipd/web"
)

// watchEvery is how often it is seen whether the daemon is ready, reads, and how far
// it is from the end of the log.
const watchEvery = 250 * time.Millisecond

// condition is how the daemon was when it was last looked at.
type condition struct {
	ready  bool
	ever   bool // it was ready before
	paused map[string]bool
}

// look writes one line for each thing that is no longer as it was.
func (c *condition) look(log *slog.Logger, now web.Readiness, paused map[string]bool) {
	switch {
	case now.Ready && !c.ready && c.ever:
		log.Info("ready again")
	case now.Ready && !c.ready:
		log.Info("ready")
	case !now.Ready && c.ready:
		log.Warn("not ready", "missing", now.Missing)
	}
	c.ready, c.ever = now.Ready, c.ever || now.Ready
	for _, reason := range slices.Sorted(maps.Keys(paused)) {
		switch {
		case paused[reason] && !c.paused[reason]:
			log.Warn("intake paused", "reason", reason)
		case !paused[reason] && c.paused[reason]:
			log.Info("intake resumed", "reason", reason)
		}
	}
	c.paused = paused
}

// watch tells the log how the daemon is, until ctx ends.
func (d *Daemon) watch(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var was condition
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		d.lookBack(time.Now())
		was.look(d.log, d.Readiness(), d.paused())
		d.lookAtLoops(time.Now())
	}
}

// began is told which partitions a generation of the group gives to this process.
func (d *Daemon) began(workers map[int]*ingest.Worker) {
	numbers := slices.Sorted(maps.Keys(workers))
	d.log.Info("partitions assigned", "topic", d.config.Load().Kafka.Topic, "partitions", numbers)
	d.intake.began(workers)
	d.rebuilds.assigned(numbers)
}

// ended is told that the generation is over.
func (d *Daemon) ended() {
	d.intake.ended()
	d.log.Info("partitions given back", "topic", d.config.Load().Kafka.Topic)
}

// storeOpened says what the store holds. What cannot be counted is not worth an error.
func (d *Daemon) storeOpened(begun time.Time) {
	var files, bytes int64
	_ = filepath.WalkDir(d.config.Load().State.Dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return nil
	})
	d.log.Info("store opened", "dir", d.config.Load().State.Dir, "files", files, "bytes", bytes, "took", time.Since(begun))
}
