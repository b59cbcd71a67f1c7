package state

import "blipd/event"

// Ledger adds up closed trajectories of one partition, experiment, epoch and
// start period. State calls it and does not understand what it sums.
type Ledger interface {
	Add(*event.Trajectory)
	Remove(*event.Trajectory)
	Merge(Ledger)
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
}

// NewLedger makes the empty ledger of an experiment, by its place in the Rules.
type NewLedger func(experiment int) Ledger
