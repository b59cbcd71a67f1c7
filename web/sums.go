package web

import (
	"math"

	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// arms are the control and then the interventions, as state counts them.
func arms(e *Experiment) []string { return append([]string{e.Control}, e.Interventions...) }

// sumExperiment adds up the counters of the experiment at a place of the
// configuration over the partitions that this process owns. Its slices have
// a place for every arm and every reason.
func sumExperiment(live *Live, place int, e *Experiment) state.ExperimentStats {
	sum := state.ExperimentStats{
		NotRandomized: make([]int64, len(event.NotRandomizedReasons())+1), // by event.NotRandomized
		Assigned:      make([]int64, len(e.Interventions)+1),
		Expected:      make([]float64, len(e.Interventions)+1),
	}
	for i := range live.Partitions {
		if place >= len(live.Partitions[i].Experiments) {
			continue // nothing of it was read there
		}
		x := &live.Partitions[i].Experiments[place]
		sum.Started += x.Started
		sum.Open += x.Open
		sum.Excluded += x.Excluded
		addInts(sum.Closed[:], x.Closed[:])
		addInts(sum.NotRandomized, x.NotRandomized)
		addInts(sum.Assigned, x.Assigned)
		for arm := range min(len(sum.Expected), len(x.Expected)) {
			sum.Expected[arm] += x.Expected[arm]
		}
	}
	return sum
}

// addInts adds from into to, place by place, as far as both reach.
func addInts(to, from []int64) {
	for i := range min(len(to), len(from)) {
		to[i] += from[i]
	}
}

// hasValue tells whether an estimate has a value that can be shown.
func hasValue(x *estimators.Estimate) bool {
	if x.Status != estimators.OK {
		return false
	}
	for _, v := range []float64{x.Value, x.StdError, x.Low, x.Up, x.SequenceLow, x.SequenceUp} {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
