package state

import (
	"fmt"
	"slices"

	"blipd/event/pack"
)

// makeBooks makes empty books of all parts.
func (p *Partition) makeBooks() error {
	for x := range p.options.Rules {
		rules := &p.options.Rules[x]
		parts, err := p.store.parts(rules)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, parts.list)
		p.fold.books[x] = newBook(int64(rules.StartPeriod), x, p.options.NewLedger, parts.list)
	}
	return nil
}

// restoreBooks reads the chunks of the newest generation.
func (p *Partition) restoreBooks(m *meta, changed []bool) error {
	var bytes []byte
	for n := range p.newest.chunks {
		what := fmt.Sprintf("chunk %d of ledgers, generation %d", n, p.newest.number)
		err := p.store.read(keyNumber(p.number, 'k', p.newest.number, n), what, func(r *pack.Reader) { bytes = append(bytes, r.Bytes()...) })
		if err != nil {
			return damaged("%v", err)
		}
	}
	p.weigh(len(bytes))
	r := &pack.Reader{B: bytes}
	for range r.Count() {
		name := r.Text()
		x := p.fold.experiment(name)
		if x >= 0 && changed[x] {
			x = -1 // of an epoch that has ended
		}
		if err := p.restoreBook(x, m.experiments[name].parts, r); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return foreign("ledgers, generation %d: %v", p.newest.number, err)
	}
	return nil
}

// restoreBook reads the book of experiment x, which has the parts of these
// numbers; it is only passed over where x is -1.
func (p *Partition) restoreBook(x int, numbers []int64, r *pack.Reader) error {
	var b book
	if x >= 0 {
		b = p.fold.books[x]
	}
	b.done = r.Int()
	written := int(r.Int())
	if x >= 0 && !r.Failed() && written != len(numbers) {
		return damaged("the book of experiment %q has %d parts, the counters say %d", p.options.Rules[x].Experiment.Name, written, len(numbers))
	}
	read := func(into func() ledgers) error {
		for i := 0; i < written && !r.Failed(); i++ {
			bytes := r.Bytes()
			if x < 0 || r.Failed() {
				continue
			}
			part := slices.IndexFunc(p.parts[x], func(p part) bool { return p.number == numbers[i] })
			if part < 0 {
				continue // its policies are gone
			}
			if err := into()[part].UnmarshalBinary(bytes); err != nil {
				return foreign("ledger of experiment %q: %v", p.options.Rules[x].Experiment.Name, err)
			}
		}
		return nil
	}
	if err := read(func() ledgers { return b.total }); err != nil {
		return err
	}
	if learned := r.Bytes(); learned != nil && x >= 0 && p.fold.learn[x] != nil {
		if err := p.fold.learn[x].UnmarshalBinary(learned); err != nil {
			return foreign("learner of experiment %q: %v", p.options.Rules[x].Experiment.Name, err)
		}
	}
	for range r.Count() {
		number := r.Int()
		if err := read(func() ledgers { return b.sums(number) }); err != nil {
			return err
		}
	}
	if x >= 0 {
		p.fold.books[x] = b
	}
	return nil
}
