package state

import (
	"fmt"
	"maps"
	"slices"

	"blipd/event/pack"
)

// Partition opens the state of one partition, empty or where it was left. An
// experiment whose definition has changed begins a new epoch here.
func (s *Store) Partition(number int, options Options) (*Partition, error) {
	p := &Partition{store: s, number: number, options: options, next: Unknown}
	p.options.pace = options.pace.orDefaults(s)
	p.fold = newFold(options.Rules, options.Limits, options.NewLedger, p.recall)
	p.fold.reload, p.fold.block = p.reload, p.options.pace.block
	for x := range options.Rules {
		if options.NewLearner != nil {
			p.fold.learn[x] = options.NewLearner(x)
		}
	}
	p.fold.reset()
	s.partitions.Add(1)
	p.fold.keep, p.fold.letters, p.fold.topic = s.config.KeepClosed, options.Letters, s.topic
	p.fold.stats.Partition = number
	p.epochs, p.retired = make([]epoch, len(options.Rules)), map[string]int64{}

	if err := p.makeBooks(); err != nil {
		return nil, fmt.Errorf("state: open partition %d: %w", number, err)
	}
	m, found, err := p.readMeta()
	if err != nil {
		return nil, fmt.Errorf("state: open partition %d: %w", number, err)
	}
	if found {
		err = p.restore(&m)
	} else {
		p.beginEpochs()
	}
	if err != nil {
		return nil, fmt.Errorf("state: open partition %d: %w", number, err)
	}
	p.publish(p.fold.stats.clone(), p.next)
	return p, nil
}

// beginEpochs begins the first epoch of each experiment, or the one behind
// those of the past.
func (p *Partition) beginEpochs() {
	maps.Copy(p.retired, p.options.Past)
	for x := range p.epochs {
		rules := &p.options.Rules[x]
		p.epochs[x] = epoch{int(p.retired[rules.Experiment.Name]) + 1, rules.Hash, 0}
		p.fold.epochs[x] = int32(p.epochs[x].number)
		delete(p.retired, rules.Experiment.Name)
	}
}

// restore brings back trajectories, ledgers and counters.
func (p *Partition) restore(m *meta) error {
	f := p.fold
	p.next, p.log, p.logged, p.letters, f.clock = m.next, m.log, m.logged, m.letters, m.clock
	f.changes.archive.first, p.journal.first, p.journal.next = m.archived, m.journalFirst, m.journalNext
	f.stats.Stream, f.stats.Records, f.stats.Open = m.stats.Stream, m.stats.Records, m.stats.Open
	copy(f.stats.Rejected, m.stats.Rejected)
	p.term = m.log.Term
	changed := p.restoreEpochs(m)
	for x := range p.epochs {
		f.epochs[x] = int32(p.epochs[x].number)
	}
	if err := p.restoreOpen(); err != nil {
		return err
	}
	if err := p.restoreOutbox(); err != nil {
		return err
	}
	if err := p.restoreErasures(); err != nil {
		return err
	}
	for x := range changed {
		if !changed[x] {
			b := &f.books[x]
			b.total = b.total[:held(p.parts[x], m.experiments[p.options.Rules[x].Experiment.Name].parts)]
		}
	}
	var err error
	if p.oldest, _, err = p.unbroken('a', "archive", m.archived); err != nil {
		return err
	}
	if err := p.restoreLedgers(m, changed); err != nil {
		return err
	}
	if n := int64(len(f.open)); n != m.stats.Open {
		return damaged("%d open trajectories are there, the counters say %d", n, m.stats.Open)
	}
	begun := false // something, so that the newest generation and the counters do not have it
	for x := range changed {
		if changed[x] {
			begun = true
			if err := p.refold(x); err != nil {
				return err
			}
			continue
		}
		old := m.experiments[p.options.Rules[x].Experiment.Name]
		if f.books[x].done != old.done {
			return damaged("ledgers of experiment %q are complete to period %d, the counters say %d", p.options.Rules[x].Experiment.Name, f.books[x].done, old.done)
		}
		if !slices.Equal(numbersOf(p.parts[x]), old.parts) {
			begun = true
			if err := p.refoldParts(x); err != nil {
				return err
			}
		}
	}
	if begun {
		return p.checkpoint()
	}
	return nil
}

// restoreEpochs tells which experiments begin an epoch here: those that are new
// or come back, and those whose definition has changed, though it may be that of
// this partition again. The numbers of those
// that are gone are remembered: an epoch's report stays under its number.
func (p *Partition) restoreEpochs(m *meta) (changed []bool) {
	for name, number := range m.retired {
		p.retired[name] = number
	}
	for name, old := range m.experiments {
		if p.fold.experiment(name) < 0 {
			p.retired[name] = int64(old.epoch.number)
		}
	}
	changed = make([]bool, len(p.options.Rules))
	for x := range p.options.Rules {
		rules := &p.options.Rules[x]
		name := rules.Experiment.Name
		old, known := m.experiments[name]
		if changed[x] = !known || old.epoch.hash != rules.Hash || held(p.parts[x], old.parts) == 0; changed[x] {
			p.epochs[x] = epoch{max(old.epoch.number, int(p.retired[name])) + 1, rules.Hash, max(0, p.next)}
			delete(p.retired, name)
			continue
		}
		p.epochs[x] = old.epoch
		p.fold.stats.Experiments[x].restore(old.stats)
	}
	return changed
}

func (p *Partition) restoreOutbox() error {
	first, n, err := p.unbroken('x', "outbox", p.letters)
	if err != nil {
		return err
	}
	p.outbox.Store(n)
	p.head.Store(first)
	return nil
}

// unbroken counts the keys of a kind that is numbered without a gap up to, not
// including, end, and given up from the oldest on; first is the oldest. A gap is left
// by a commit that is lost though later ones are there.
func (p *Partition) unbroken(kind byte, what string, end int64) (first, n int64, err error) {
	prefix, next := key(p.number, kind), int64(-1)
	err = p.store.eachKey(prefix, prefix, func(k []byte) bool {
		at := numberOf(k)
		if next < 0 {
			first, next = at, at
		}
		if at != next {
			return false
		}
		next++
		return true
	})
	if next < 0 {
		return end, 0, err
	}
	if err == nil && next != end {
		err = damaged("number %d is missing in the %s of partition %d, which ends with %d", next, what, p.number, end-1)
	}
	return first, end - first, err
}

// restoreLedgers reads the newest generation and adds the log after it.
func (p *Partition) restoreLedgers(m *meta, changed []bool) error {
	err := p.store.read(key(p.number, 'g'), "the newest generation of ledgers", func(r *pack.Reader) {
		p.newest = generation{r.Int(), r.Int(), r.Int()}
	})
	if err != nil && !isAbsent(err) {
		return err
	}
	if err == nil {
		if err := p.restoreBooks(m, changed); err != nil {
			return err
		}
	}
	if err := p.sweep(generation{}); err != nil { // what a kill has left
		return err
	}
	at, prefix := p.newest.logged, key(p.number, 'l')
	err = p.store.each(prefix, keyNumber(p.number, 'l', at), func(k, value []byte) (bool, error) {
		if numberOf(k) != at {
			return false, damaged("operation %d on ledgers is missing", at)
		}
		n, err := p.redo(value, changed)
		at += n
		return true, err
	})
	if err == nil && at != p.logged {
		err = damaged("operations %d to %d on ledgers are missing", at, p.logged-1)
	}
	return err
}
