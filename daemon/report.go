package daemon

import (
	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// sums are what a refit collects of one experiment: the merged ledgers of all
// partitions, in partition order, and their counters.
type sums struct {
	closed, complete scope
	stats            []*state.Stats
	epoch            int
}

// scope is one of the two.
type scope struct {
	parts  []*estimators.Moments // of everything, then of policies that came later
	shards []estimators.Totals   // of each partition's first part
}

func (s *scope) add(ledgers []state.Ledger) {
	for part, l := range ledgers {
		m := l.(ledger).moments
		if part == 0 {
			s.shards = append(s.shards, m.Totals())
		}
		if part == len(s.parts) {
			s.parts = append(s.parts, m)
		} else {
			s.parts[part].Merge(m)
		}
	}
}

// report solves all parts.
func (s *scope) report(spec *estimators.Spec) *estimators.Report {
	if len(s.parts) == 0 { // no partition yet
		s.parts = append(s.parts, estimators.New(spec.Part(false, spec.PolicyKeys())))
	}
	r := s.parts[0].Report()
	r.Health = append(r.Health, estimators.CheckMerge(s.shards, s.parts[0]))
	for _, late := range s.parts[1:] {
		r.AddGains(late)
	}
	return r
}

// collect adds one partition; it runs where the partition may be used.
func (s *sums) collect(p *state.Partition, x int) {
	closed, complete := p.Ledgers(x)
	s.closed.add(closed)
	s.complete.add(complete)
	s.stats = append(s.stats, p.Stats())
	number, _ := p.Epoch(x)
	s.epoch = max(s.epoch, number)
}

// ask says which contrasts are reported: the sums do not depend on them, and they
// may have changed since partitions were opened.
func (s *sums) ask(contrasts []estimators.Contrast) {
	for _, scope := range []*scope{&s.closed, &s.complete} {
		scope.parts[0].Ask(contrasts)
	}
}

// reports solves both scopes of experiment x.
func (c *Config) reports(x int, s *sums) (closed, complete *estimators.Report) {
	spec := &c.Experiments[x].Spec
	closed, complete = s.closed.report(spec), s.complete.report(spec)
	closed.Scope, complete.Scope = estimators.Closed, estimators.Complete
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
		r.Excluded += of.Excluded
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
