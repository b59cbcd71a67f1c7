package daemon

import (
	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// sums are what a refit collects of one experiment: the merged ledgers of all
// partitions, in partition order, and their counters.
type sums struct {
	closed, complete *estimators.Moments
	parts            [2][]estimators.Totals // of each partition, closed and complete
	stats            []*state.Stats
	epoch            int
}

// collect adds one partition; it runs where the partition may be used.
func (s *sums) collect(p *state.Partition, x int) {
	closed, complete := p.Ledgers(x)
	s.parts[0] = append(s.parts[0], closed.(ledger).moments.Totals())
	s.parts[1] = append(s.parts[1], complete.(ledger).moments.Totals())
	if s.closed == nil {
		s.closed, s.complete = closed.(ledger).moments, complete.(ledger).moments
	} else {
		s.closed.Merge(closed.(ledger).moments)
		s.complete.Merge(complete.(ledger).moments)
	}
	s.stats = append(s.stats, p.Stats())
	number, _ := p.Epoch(x)
	s.epoch = max(s.epoch, number)
}

// under moves the sums to a spec of the same hash: what is asked of them, such
// as contrasts, may have changed since they were begun.
func (s *sums) under(spec *estimators.Spec) {
	closed, complete := estimators.New(spec), estimators.New(spec)
	closed.Merge(s.closed)
	complete.Merge(s.complete)
	s.closed, s.complete = closed, complete
}

// reports solves both scopes of experiment x.
func (c *Config) reports(x int, s *sums) (closed, complete *estimators.Report) {
	if s.closed == nil { // no partition yet
		s.closed, s.complete = estimators.New(&c.Experiments[x].Spec), estimators.New(&c.Experiments[x].Spec)
	}
	closed, complete = s.closed.Report(), s.complete.Report()
	closed.Scope, complete.Scope = estimators.Closed, estimators.Complete
	closed.Health = append(closed.Health, estimators.CheckMerge(s.parts[0], s.closed))
	complete.Health = append(complete.Health, estimators.CheckMerge(s.parts[1], s.complete))
	for _, r := range []*estimators.Report{closed, complete} {
		r.Epoch = max(1, s.epoch)
		r.NotComputed = append(r.NotComputed, c.Experiments[x].NotYet...)
		describe(r, &c.Experiments[x].Rules.Experiment, x, s.stats)
	}
	return closed, complete
}

// describe fills in what the counters know.
func describe(r *estimators.Report, e *event.Experiment, x int, stats []*state.Stats) {
	arms := e.Arms()
	assigned, expected := make([]int64, len(arms)), make([]float64, len(arms))
	started := int64(0)
	for _, why := range event.NotRandomizedReasons() {
		r.NotRandomized[why.String()] = 0
	}
	for i, s := range stats {
		for _, reason := range event.Reasons() {
			if n := s.Rejected[reason]; n > 0 {
				r.Rejected[reason.String()] += n
			}
		}
		of := &s.Experiments[x]
		r.Open += of.Open
		r.Censored += of.Censored
		started += of.Started
		for _, why := range event.NotRandomizedReasons() {
			r.NotRandomized[why.String()] += of.NotRandomized[why]
		}
		for a := range arms {
			assigned[a] += of.Assigned[a]
			expected[a] += of.Expected[a]
		}
		if i == 0 || of.CompleteTo < r.CompleteTo {
			r.CompleteTo = of.CompleteTo
		}
	}
	r.OpenShare = estimators.OpenShare(r.Open, started)
	r.Health = append(r.Health, estimators.CheckAssignment(arms, assigned, expected), estimators.CheckOpenShare(r.Open, started))
}
