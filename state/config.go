package state

import (
	"log/slog"
	"time"

	"blipd/event"
)

// Config says where state lives and how it is kept.
type Config struct {
	Dir        string        // a directory of its own; one daemon at a time. Default ./data
	SyncWrites bool          // every commit reaches the disk before it counts: a power cut loses nothing. Default true
	KeepClosed time.Duration // how long, in stream time, closed trajectories are kept for revisions and refolding. Default 720h
	Memory     int64         // bytes that the working set may take. Default 2 GiB
	MinFree    int64         // bytes that must be free on the disk, beside ledgers, for the log to be read. Default DefaultMinFree

	Log *slog.Logger // hears what Badger complains of; nil: nobody does

	// StopOnDamage: a damaged directory stays where it is, and nothing starts on it;
	// without, it is set aside and everything counted again from the log.
	StopOnDamage bool

	// Volatile state is not recovered: it lives as long as its Store, and only
	// what the fold may ask for again is written. For reading files.
	Volatile bool
}

// Limits bound what one partition may hold.
type Limits struct {
	OpenTrajectories       int // of one partition; a decision that would open another is too_many. Default 2,000,000
	DecisionsPerTrajectory int // one more is too_many. Default 1000
}

// Rules are what the state fold of one experiment goes by.
type Rules struct {
	Experiment event.Experiment

	StartPeriod    time.Duration // the spans by which ledgers are kept while they are incomplete. Default 1h
	Timeout        time.Duration // trajectory_timeout: stream time after its first event at which an open trajectory is closed. Default 24h
	CloseGrace     time.Duration // stream time for which a trajectory that has its outcomes waits for late decisions. Default 0
	RevisionWindow time.Duration // stream time after closing within which revisions and late decisions count. Default 24h

	// TimeoutValues are the values that outcomes take when they have none at
	// the time-out, per outcome of the Experiment; nil where none is declared.
	TimeoutValues []*float64

	Hash string // of the analysis definition, without policies: another one opens another epoch

	// Policies name what can be added and taken away within an epoch, each with
	// everything that decides what is summed of it; distinct.
	Policies      []string
	PoliciesApart bool // they are never summed with the rest
}
