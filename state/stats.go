package state

import "blipd/event"

// Stats are the counters of one partition as of its last commit: part of its
// state, a function of the log prefix. A Stats is never changed once handed out.
type Stats struct {
	Partition int
	Next      int64      // offset of the first record not counted
	Stream    event.Time // stream time; event.NoTime before two trajectories
	Records   int64      // read, set aside or not
	Rejected  []int64    // by event.Reason
	Open      int64      // trajectories of all experiments, also those that wait for one
	Outbox    int64      // records that wait to be sent

	Experiments []ExperimentStats // in the order of the configuration
}

// ExperimentStats are the counters of one experiment in one partition.
type ExperimentStats struct {
	Started int64       // trajectories
	Open    int64       // of them, not closed
	Closed  [hows]int64 // by How
	Changed int64       // times that an event changed a closed trajectory

	Excluded int64 // trajectories, open or closed before

	Censored     int64   // closed trajectories without outcomes, as of now
	CensoredRows []int64 // their rows, by arm drawn

	NotRandomized []int64   // decisions by event.NotRandomized
	Assigned      []int64   // randomized decisions by arm drawn
	Expected      []float64 // sum of the probabilities of each arm over the same decisions

	CompleteTo event.Time // all that started before has closed; event.NoTime before any
}

func newExperimentStats(e *event.Experiment) ExperimentStats {
	arms := 1 + len(e.Interventions)
	return ExperimentStats{
		NotRandomized: make([]int64, len(event.NotRandomizedReasons())+1),
		Assigned:      make([]int64, arms), Expected: make([]float64, arms), CensoredRows: make([]int64, arms),
		CompleteTo: event.NoTime,
	}
}

// restore takes over what was kept, also by a version with fewer reasons.
func (s *ExperimentStats) restore(old ExperimentStats) {
	fresh := *s
	*s = old
	s.NotRandomized, s.Assigned = refill(fresh.NotRandomized, old.NotRandomized), refill(fresh.Assigned, old.Assigned)
	s.CensoredRows, s.Expected = refill(fresh.CensoredRows, old.CensoredRows), refill(fresh.Expected, old.Expected)
}

func refill[T any](fresh, old []T) []T {
	copy(fresh, old)
	return fresh
}

// How says how a trajectory was closed.
type How uint8

// The ways to close.
const (
	ByOutcome How = iota // every required outcome was final
	ByTimeout            // at the time-out, with declared values for what was missing
	Censored             // at the time-out, without: in no estimate
	Excluded             // by an exclude, while it was open

	hows // their number
)

// String is the way as metrics carry it.
func (h How) String() string { return [hows]string{"outcome", "timeout", "censored", "excluded"}[h] }

// Hows lists the ways in a fixed order.
func Hows() []How { return []How{ByOutcome, ByTimeout, Censored, Excluded} }
