package state

import "blipd/event"

// Ledger adds up closed trajectories of one partition, experiment, epoch, start
// period and part. State calls it and does not understand what it sums.
type Ledger interface {
	Add(*event.Trajectory)
	Remove(*event.Trajectory)
	Merge(Ledger)
	AppendBinary([]byte) ([]byte, error)
	// UnmarshalBinary also reads what a ledger with more policies wrote, without
	// the sums of those that it has not.
	UnmarshalBinary([]byte) error
}

// Learner is the learned outcome model of one partition, experiment and epoch. It
// learns from what is counted, in log order and never by a clock, so it is a
// function of the log as everything else is. What it says of a trajectory that
// closes is kept with it, so that a ledger takes it out as it was put in. State
// calls it and does not understand what it says.
type Learner interface {
	Predict(*event.Trajectory) []float64
	Learn(*event.Trajectory)
	Forget(id string)
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
}

// NewLearner makes a learner that has seen nothing; nil where an experiment, by
// its place in the Rules, has none.
type NewLearner func(experiment int) Learner

// NewLedger makes an empty ledger of an experiment, by its place in the Rules:
// the one that sums everything with some policies, or (late) one beside it that
// sums what further policies need.
type NewLedger func(experiment int, late bool, policies []string) Ledger

// ledgers are those of the parts of one experiment, side by side.
type ledgers []Ledger

func (l ledgers) add(t *event.Trajectory) {
	for _, one := range l {
		one.Add(t)
	}
}

func (l ledgers) remove(t *event.Trajectory) {
	for _, one := range l {
		one.Remove(t)
	}
}

func (l ledgers) merge(o ledgers) {
	for i := range o {
		l[i].Merge(o[i])
	}
}
