package web

import (
	"time"

	"blipd/estimators"
	"blipd/state"
)

// Source is what the pages ask of the daemon. Its answers are values that
// nobody changes any more, maps and slices included; asking never waits for a
// worker. It is safe for concurrent use.
type Source interface {
	// Experiments names the experiments in the order of the configuration.
	Experiments() []Experiment
	// Report is the last refit's report in a scope (estimators.Closed or
	// Complete), or nil before the first refit.
	Report(experiment, scope string) *estimators.Report
	// EarlierReport is the last report of an epoch that has ended, in the scope
	// closed, or nil.
	EarlierReport(experiment string, epoch int) *estimators.Report
	// Live are the counters as of now.
	Live() Live
	// Readiness says whether the daemon does its work, and what is missing.
	Readiness() Readiness
	// Stalled says what hangs, in words; nil while every loop of the daemon moves.
	Stalled() []string
	// Held are the entries by which experiments are held now, by experiment.
	Held() []state.Hold
	// HoldBook are the entries of all holds and releases that are kept, the oldest
	// first.
	HoldBook() ([]state.Hold, error)
}

// Experiment is what pages need to know of one.
type Experiment struct {
	Name          string
	Control       string
	Interventions []string
	Outcomes      []Outcome
	Dimensions    []string // without `all`
	Truth         []Truth  // of a simulated world; nil elsewhere
}

// Outcome is an outcome's name and which end of it is better, "higher" or "lower".
type Outcome struct{ Name, Better string }

// Truth is what a simulated world knows of one effect.
type Truth struct {
	Estimand, Outcome, Arm, Dimension, Group string
	Value                                    float64
}

// Live are counters and clocks read at a scrape.
type Live struct {
	Now        time.Time // the clock at which this was read
	Version    string
	Topic      string
	Partitions []Partition     // those this process has state of, in order
	Paused     map[string]bool // intake held up, by reason; all reasons are present

	Experiments        []Experiment // in the order of the counters of each partition
	GroupsPerDimension int          // groups of one dimension that metrics carry; 0: as the Config says

	Refits             Durations
	LastRefit          time.Time // zero before the first
	Commits            Durations
	WentBack           int64 // times that a log started or ended before where it had
	SetAside           int64 // directories of state that were damaged
	DeadLettersDropped int64 // refused by the broker for their content
	Reload             Reload
	Progress           *Progress // nil while nothing is known
	Rebuild            *Rebuild  // the last one, nil before the first
}

// Reload is how the configuration was last read.
type Reload struct {
	Successful bool      // it is in effect as it was last read
	LastOK     time.Time // when one that was good was last read, at the start or since
}

// Progress is how far counting the log has come.
type Progress struct {
	Topic  string     `json:"topic"`
	Done   int64      `json:"records_done"`           // counted
	Behind int64      `json:"records_behind"`         // of the log, not counted yet
	Rate   float64    `json:"records_per_second"`     // counted lately; 0 while that is not known
	Level  bool       `json:"level"`                  // at the end of the log, give or take what comes while batches are under way
	Left   *float64   `json:"seconds_left,omitempty"` // until the end of the log is reached, as it goes now; nil: it comes no nearer, or it is there
	End    *time.Time `json:"level_at,omitempty"`     // when that will be
}

// Rebuild is a state that is made anew beside the one in use, or was.
type Rebuild struct {
	Phase    string    `json:"phase"`            // one of the words below
	Detail   string    `json:"detail,omitempty"` // in words
	Began    time.Time `json:"began"`
	Progress           // behind the state in use
}

// The phases of a rebuild.
const (
	Rebuilding = "running"
	Rebuilt    = "switched" // it is in use
	GivenUp    = "given_up" // the state before is in use as before
)

// Partition is one partition's state and how far it is behind.
type Partition struct {
	state.Stats
	Owned   bool   // now: the group may have taken it away, and give it back
	Lag     int64  // records between Next and the end of the log; negative while unknown
	Named   bool   // the cluster tells the topic's id; of no meaning while Lag is unknown
	Stopped string // why it is not read any more, in one word; "" while it is
}

// Durations is a histogram of seconds.
type Durations struct {
	Count   uint64
	Sum     float64
	Buckets map[float64]uint64 // cumulative, by upper bound
}

// Readiness is the answer of /-/ready.
type Readiness struct {
	Ready   bool     `json:"ready"`
	Missing []string `json:"missing,omitempty"` // what is not yet so, in words
	Held    []string `json:"held,omitempty"`    // experiments that are held, which is no lack of readiness
	Notes   []string `json:"notes,omitempty"`   // what else to know; none of it keeps from being ready

	Progress []Progress `json:"progress,omitempty"` // of each topic that is read
	Rebuild  *Rebuild   `json:"rebuild,omitempty"`  // the last one
}
