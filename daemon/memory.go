package daemon

import (
	"context"
	"time"
)

// relieveEvery is how often the process looks at its memory.
const relieveEvery = 500 * time.Millisecond

// relieve keeps what lies in memory of mapped files within state.memory, until
// ctx ends. Where that cannot be, the daemon works as well without.
func (d *Daemon) relieve(ctx context.Context) error {
	tick := time.NewTicker(relieveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		d.shelf.RLock()
		var err error
		if d.store != nil { // else the daemon is about to end
			err = d.store.Relieve()
		}
		d.shelf.RUnlock()
		if r := d.rebuilds.underWay(); r != nil {
			_ = r.store.Relieve() // an error means that its directory has gone meanwhile
		}
		if err != nil {
			d.log.Warn("memory of mapped files is left to the system", "err", err)
			return nil
		}
	}
}
