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
	Partitions []Partition     // those this process owns, in order
	Paused     map[string]bool // intake held up, by reason; all reasons are present

	Refits             Durations
	LastRefit          time.Time // zero before the first
	Commits            Durations
	WentBack           int64 // times that a log started or ended before where it had
	SetAside           int64 // directories of state that were damaged
	DeadLettersDropped int64 // refused by the broker for their content
}

// Partition is one partition's state and how far it is behind.
type Partition struct {
	state.Stats
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
	Notes   []string `json:"notes,omitempty"`   // what people should know though it hinders nothing
}
