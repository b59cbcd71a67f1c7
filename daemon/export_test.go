package daemon

import (
	"blipd/estimators"
	"blipd/state"
)

// StateOptions is what a partition of cfg goes by.
func StateOptions(cfg *Config) state.Options { return cfg.stateOptions() }

// MomentsOf are copies of the sums of a partition.
func MomentsOf(p *state.Partition, experiment int) (closed, complete *estimators.Moments) {
	c, k := p.Ledgers(experiment)
	return c.(ledger).moments, k.(ledger).moments
}

// FreeSpace makes a daemon that does not run yet see a disk with so many bytes free.
func FreeSpace(d *Daemon, free func() (int64, error)) { d.space.free = free }
