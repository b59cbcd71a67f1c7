package state

import (
	"slices"

	"blipd/event"
)

// book keeps the ledgers of one experiment by start period: those that are not
// complete, and the total of all that are. Periods complete in their order, so
// the total always holds everything that started before one moment.
type book struct {
	length  int64 // of a period, in nanoseconds
	make    func() Ledger
	total   Ledger
	periods []period // not complete, ascending
	done    int64    // periods below this one are complete
}

// period is a span of stream time in which trajectories start.
type period struct {
	number int64
	open   int    // trajectories that started in it and have not closed
	ledger Ledger // of those that have; nil while there are none
}

func newBook(length int64, experiment int, ledger NewLedger) book {
	b := book{length: length, done: noPeriod, make: func() Ledger { return ledger(experiment) }}
	b.total = b.make()
	return b
}

// period is the number of the period in which a trajectory started.
func (b *book) period(started event.Time) int64 { return periodOf(started, b.length) }

// at finds a period that is not complete, and makes room for it.
func (b *book) at(number int64) *period {
	i, found := slices.BinarySearchFunc(b.periods, number, func(p period, n int64) int {
		switch {
		case p.number < n:
			return -1
		case p.number > n:
			return 1
		}
		return 0
	})
	if !found {
		b.periods = slices.Insert(b.periods, i, period{number: number})
	}
	return &b.periods[i]
}

// begin counts a trajectory that was opened, end one that is no longer open. A
// complete period has no open ones to count, save after the end of all input.
func (b *book) begin(started event.Time) { b.opened(started, 1) }
func (b *book) end(started event.Time)   { b.opened(started, -1) }

func (b *book) opened(started event.Time, n int) {
	if number := b.period(started); number >= b.done {
		b.at(number).open += n
	}
}

// ledger is where trajectories of a period are summed.
func (b *book) ledger(number int64) Ledger {
	if number < b.done {
		return b.total
	}
	p := b.at(number)
	if p.ledger == nil {
		p.ledger = b.make()
	}
	return p.ledger
}

// next is the first period that cannot be completed as long as stream time is
// now: the current one, or an earlier one with an open trajectory.
func (b *book) next(now event.Time) int64 {
	current := b.period(now)
	for _, p := range b.periods {
		if p.open > 0 && p.number < current {
			return p.number
		}
	}
	return current
}

// complete merges the ledgers of all periods below next into the total.
func (b *book) complete(next int64) {
	for len(b.periods) > 0 && b.periods[0].number < next {
		if l := b.periods[0].ledger; l != nil {
			b.total.Merge(l)
		}
		b.periods = slices.Delete(b.periods, 0, 1)
	}
	b.done = max(b.done, next)
}

// copies are the sums of all that has closed, and those of complete periods.
func (b *book) copies() (closed, complete Ledger) {
	closed, complete = b.make(), b.make()
	complete.Merge(b.total)
	closed.Merge(b.total)
	for _, p := range b.periods {
		if p.ledger != nil {
			closed.Merge(p.ledger)
		}
	}
	return closed, complete
}

// operation is what was done to a book: an entry of the log from which ledgers
// are recovered, in log order.
type operation struct {
	kind       opKind
	experiment int
	period     int64 // of the trajectory; opComplete: the first that is not complete
	at         place // of the trajectory, in the archive
}

type opKind uint8

const (
	opAdd opKind = iota
	opRemove
	opComplete
)

// complete completes the periods of experiment x that can be.
func (f *fold) complete(x int) {
	if f.clock.now == event.NoTime {
		return
	}
	b := &f.books[x]
	if next := b.next(f.clock.now); next > b.done {
		f.record(operation{kind: opComplete, experiment: x, period: next})
		b.complete(next)
		f.stats.Experiments[x].CompleteTo = b.completeTo()
	}
}

// completeTo is where the complete periods end; event.NoTime before any.
func (b *book) completeTo() event.Time {
	if b.done == noPeriod {
		return event.NoTime
	}
	return event.Time(b.done * b.length)
}

// operate does an operation; what is counted is learned from.
func (f *fold) operate(op operation, t *event.Trajectory) {
	f.books[op.experiment].operate(op, t)
	if l := f.learn[op.experiment]; l != nil && op.kind == opAdd {
		l.Learn(t)
	}
}

func (b *book) operate(op operation, t *event.Trajectory) {
	switch op.kind {
	case opAdd:
		b.ledger(op.period).Add(t)
	case opRemove:
		b.ledger(op.period).Remove(t)
	case opComplete:
		b.complete(op.period)
	}
}

// operationSize is what an operation takes on disk, at most.
const operationSize = 48

func (f *fold) record(op operation) {
	f.changes.operations = append(f.changes.operations, op)
	f.changes.size += operationSize
}
