package state

import (
	"slices"
	"strings"

	"blipd/event"
)

// refold begins an epoch of experiment x: it counts again, under the new
// definition and in log order, the closed trajectories that are still kept,
// and the open ones.
func (p *Partition) refold(x int) error {
	f := p.fold
	name := p.options.Rules[x].Experiment.Name
	err := p.eachClosed(func(k *kept) error {
		if k.Experiment != name {
			return nil
		}
		f.retell(k, x)
		if f.clock.now != event.NoTime {
			f.books[x].complete(f.books[x].next(f.clock.now)) // as it goes: memory holds few ledgers at once
		}
		return nil
	})
	if err != nil {
		return err
	}
	open := make([]*kept, 0, len(f.open))
	for _, k := range f.open {
		if k.Experiment == name {
			open = append(open, k)
		}
	}
	slices.SortFunc(open, func(a, b *kept) int { return strings.Compare(a.ID, b.ID) })
	for _, k := range open {
		if err := f.wake(k); err != nil {
			return err
		}
		f.retell(k, x)
		if f.held > p.budget() && k.restful() {
			f.lull(k)
		}
	}
	f.stats.Experiments[x].CompleteTo = f.books[x].completeTo()
	return nil
}

// refoldParts begins the parts of experiment x that its book has not yet: they
// count, in log order, the closed trajectories that are still kept, and nothing
// else changes.
func (p *Partition) refoldParts(x int) error {
	b := &p.fold.books[x]
	old := len(b.total)
	if b.extend(len(p.parts[x])); len(b.total) == old {
		return nil // only some are gone
	}
	return p.eachClosed(func(k *kept) error {
		if k.Experiment != p.options.Rules[x].Experiment.Name {
			return nil
		}
		if t := p.fold.contribution(k, x); t != nil {
			b.sums(b.period(k.started))[old:].add(t)
		}
		return nil
	})
}

// retell counts a trajectory again: its decisions, how it stands, its sums.
func (f *fold) retell(k *kept, x int) {
	s := &f.stats.Experiments[x]
	s.Started++
	t := f.whole(k)
	for i := range t.Decisions {
		f.tally(x, &t.Decisions[i])
	}
	if k.phase != phaseClosed {
		s.Open++
		return
	}
	s.Closed[k.how]++
	if k.how == Excluded {
		s.Excluded++
		return
	}
	if t := f.contribution(k, x); t != nil {
		f.operate(operation{kind: opAdd, experiment: x, period: f.books[x].period(k.started)}, t)
		return
	}
	f.censor(k, x, 1)
}
