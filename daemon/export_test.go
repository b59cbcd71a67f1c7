package daemon

import (
	"encoding/json"

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
