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
	return c[0].(ledger).moments, k[0].(ledger).moments
}
