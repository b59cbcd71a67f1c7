package web

import (
	"cmp"
	"slices"
	"strconv"

	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// collectReport sends what the last refit found for one experiment, with the
// largest groups of each dimension, most of them.
func (c *collector) collectReport(out *emitter, e *Experiment, most int) {
	report := c.source.Report(e.Name, estimators.Closed)
	if report == nil {
		return
	}
	sizes := groupSizes(report)
	shown := map[string]map[string]bool{}
	for dimension, groups := range sizes {
		largest := bySize(groups)
		if dimension != estimators.All {
			largest = largest[:min(len(largest), most)]
			out.send(groupsHidden, float64(len(groups)-len(largest)), e.Name, dimension)
		}
		shown[dimension] = map[string]bool{}
		for _, g := range largest {
			shown[dimension][g] = true
		}
	}
	for _, dimension := range e.Dimensions {
		if sizes[dimension] == nil {
			out.send(groupsHidden, 0, e.Name, dimension)
		}
	}
	for i := range report.Estimates {
		switch x := &report.Estimates[i]; {
		case x.Estimand == estimators.PolicyGain:
			collectSeries(out, &gainSeries, x, e.Name, x.Outcome, x.Arm, x.Policy)
			if hasValue(x) {
				out.send(supportLow, indicator(x.Support == estimators.SupportLow), e.Name, x.Outcome, x.Arm, x.Policy)
			}
		case x.Dimension == "": // no series of the contract
		case shown[x.Dimension][x.Group]:
			collectSeries(out, &effectSeries, x, e.Name, x.Estimand, x.Outcome, x.Arm, x.Dimension, x.Group)
		}
	}
	for _, m := range report.Models {
		for _, arm := range e.Interventions {
			for _, verdict := range []string{estimators.CheckPass, estimators.CheckWarn, estimators.CheckFail} {
				out.send(modelCheck, indicator(m.Check == verdict), e.Name, m.Outcome, arm, verdict)
			}
		}
	}
	for _, check := range report.Health {
		out.send(healthCheckOK, indicator(check.OK), e.Name, check.Name)
		if limit := limitOf[check.Name]; limit != "" {
			out.send(limitedDecisions, check.Value, e.Name, limit)
		}
	}
	if report.CompleteTo != event.NoTime {
		out.send(completeTo, seconds(report.CompleteTo.Std()), e.Name)
	}
}

// limitOf are the health checks that fail at a limit, and its key under limits.
var limitOf = map[string]string{"groups": "groups_per_dimension", "blip_levels": "blip_levels", "clusters": "clusters"}

// collectSeries sends one estimate under its labels; a value that is not
// defined has no series.
func collectSeries(out *emitter, of *estimateFamilies, x *estimators.Estimate, labels ...string) {
	send := func(f *family, value float64) { out.send(f, value, slices.Clone(labels)...) }
	send(of.trajectories, float64(x.Trajectories))
	send(of.decisions, float64(x.Decisions))
	if !hasValue(x) {
		return
	}
	send(of.estimate, x.Value)
	send(of.stdError, x.StdError)
	send(of.low, x.Low)
	send(of.high, x.Up)
	send(of.sequenceLow, x.SequenceLow)
	send(of.sequenceHigh, x.SequenceUp)
}

// groupSizes are the trajectories of every group, by dimension.
func groupSizes(report *estimators.Report) map[string]map[string]int64 {
	sizes := map[string]map[string]int64{}
	for i := range report.Estimates {
		x := &report.Estimates[i]
		if x.Dimension == "" {
			continue
		}
		if sizes[x.Dimension] == nil {
			sizes[x.Dimension] = map[string]int64{}
		}
		sizes[x.Dimension][x.Group] = max(sizes[x.Dimension][x.Group], x.Trajectories)
	}
	return sizes
}

// bySize orders groups: the largest first, equals by name.
func bySize(sizes map[string]int64) []string {
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return names
}

// collectPartition sends what is only of one partition.
func collectPartition(out *emitter, topic string, p *Partition) {
	number := strconv.Itoa(p.Partition)
	if p.Stopped != "" {
		out.send(partitionStopped, 1, topic, number, p.Stopped)
	}
	if p.Lag >= 0 {
		out.send(inputLag, float64(p.Lag), topic, number)
	}
	if p.Stream != event.NoTime {
		out.send(streamTime, seconds(p.Stream.Std()), topic, number)
	}
}

// collectIntake sends what the partitions of this process counted.
func collectIntake(out *emitter, live *Live) {
	var read, open, outbox int64
	rejected := make([]int64, len(event.Reasons())+1) // by event.Reason
	closed := make([]int64, len(state.Hows()))        // by state.How
	heard, named := false, true
	for i := range live.Partitions {
		p := &live.Partitions[i]
		if p.Owned {
			collectPartition(out, live.Topic, p)
		}
		if p.Lag >= 0 {
			heard, named = true, named && p.Named
		}
		read, open, outbox = read+p.Records, open+p.Open, outbox+p.Outbox
		addInts(rejected, p.Rejected)
		for _, e := range p.Experiments {
			addInts(closed, e.Closed[:])
		}
	}
	if heard {
		out.send(topicIDKnown, indicator(named), live.Topic)
	}
	out.send(logWentBack, float64(live.WentBack), live.Topic)
	out.send(records, float64(read), live.Topic)
	out.send(trajectoriesOpen, float64(open))
	out.send(outboxRecords, float64(outbox))
	for _, reason := range event.Reasons() {
		out.send(recordsRejected, float64(rejected[reason]), reason.String())
	}
	for _, how := range state.Hows() {
		out.send(trajectoriesClosed, float64(closed[how]), how.String())
	}
	for reason, paused := range live.Paused {
		out.send(intakePaused, indicator(paused), reason)
	}
}

// collectProgress sends how far reading and rebuilding are from their ends.
func collectProgress(out *emitter, live *Live) {
	if p := live.Progress; p != nil && p.Left != nil {
		out.send(inputLevelIn, *p.Left, p.Topic)
	}
	r := live.Rebuild
	under := r != nil && r.Phase == Rebuilding
	out.send(rebuildActive, indicator(under))
	if under {
		out.send(rebuildDone, float64(r.Done), r.Topic)
		out.send(rebuildBehind, float64(r.Behind), r.Topic)
	}
}

// collectExperiments sends what the partitions of this process counted, by
// experiment.
func collectExperiments(out *emitter, live *Live) {
	for i, e := range live.Experiments {
		sum := sumExperiment(live, i, &e)
		for arm, name := range arms(&e) {
			out.send(assignments, float64(sum.Assigned[arm]), e.Name, name)
			out.send(assignmentsExpected, sum.Expected[arm], e.Name, name)
		}
		out.send(trajectoriesExcluded, float64(sum.Excluded), e.Name)
		for _, reason := range event.NotRandomizedReasons() {
			out.send(notRandomized, float64(sum.NotRandomized[reason]), e.Name, reason.String())
		}
	}
}
