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
	f.books[x].total, f.books[x].done = f.books[x].make(), noPeriod
	name := p.options.Rules[x].Experiment.Name
	prefix := key(p.number, 'i')
	err := p.store.each(prefix, prefix, func(at, id []byte) (bool, error) {
		k, err := p.recall(string(id))
		if err != nil || k == nil || k.Experiment != name || k.order != numberOf(at) || f.forgotten(k) {
			return err == nil, err
		}
		f.retell(k, x)
		if next := f.books[x].next(f.clock.now); f.clock.now != event.NoTime {
			f.books[x].complete(next) // as it goes: memory holds few ledgers at once
		}
		return true, nil
	})
	open := make([]*kept, 0, len(f.open))
	for _, k := range f.open {
		if k.Experiment == name {
			open = append(open, k)
		}
	}
	slices.SortFunc(open, func(a, b *kept) int { return strings.Compare(a.ID, b.ID) })
	for _, k := range open {
		f.retell(k, x)
		f.schedule(k, x)
		f.touch(k)
	}
	return err
}

// retell counts a trajectory again: its decisions, how it stands, its sums.
func (f *fold) retell(k *kept, x int) {
	s := &f.stats.Experiments[x]
	s.Started++
	for i := range k.Decisions {
		f.tally(x, &k.Decisions[i])
	}
	if k.phase != phaseClosed {
		s.Open++
		return
	}
	s.Closed[k.how]++
	if f.hasOutcomes(k, x) {
		f.books[x].operate(operation{kind: opAdd, period: f.books[x].period(k.started)}, &k.Trajectory)
		return
	}
	f.censor(k, x, 1)
}
