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
	make    func(part int) Ledger
	total   ledgers
	periods []period // not complete, ascending
	done    int64    // periods below this one are complete
}

// period is a span of stream time in which trajectories start.
type period struct {
	number int64
	open   int     // trajectories that started in it and have not closed
	sums   ledgers // of those that have; nil while there are none
}

// newBook is an empty book of an experiment for its parts.
func newBook(length int64, experiment int, ledger NewLedger, list []part) book {
	b := book{length: length, done: noPeriod}
	b.make = func(part int) Ledger { return ledger(experiment, part > 0, list[part].policies) }
	b.total = b.empty(len(list))
	return b
}

// empty are new ledgers of the first n parts.
func (b *book) empty(n int) (l ledgers) {
	for part := range n {
		l = append(l, b.make(part))
	}
	return l
}

// extend makes room for parts that begin now.
func (b *book) extend(parts int) {
	for part := len(b.total); part < parts; part++ {
		b.total = append(b.total, b.make(part))
		for i := range b.periods {
			if p := &b.periods[i]; p.sums != nil {
				p.sums = append(p.sums, b.make(part))
			}
		}
	}
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

// sums is where trajectories of a period are summed.
func (b *book) sums(number int64) ledgers {
	if number < b.done {
		return b.total
	}
	p := b.at(number)
	if p.sums == nil {
		p.sums = b.empty(len(b.total))
	}
	return p.sums
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
		b.total.merge(b.periods[0].sums)
		b.periods = slices.Delete(b.periods, 0, 1)
	}
	b.done = max(b.done, next)
}

// copies are the sums of all that has closed, and those of complete periods, by
// part.
func (b *book) copies() (closed, complete ledgers) {
	closed, complete = b.empty(len(b.total)), b.empty(len(b.total))
	complete.merge(b.total)
	closed.merge(b.total)
	for i := range b.periods {
		closed.merge(b.periods[i].sums)
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
	opExclude // a removal that the learner forgets too

	opKinds // their number
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

// operate does an operation; what is counted is learned from, what is excluded is
// forgotten.
func (f *fold) operate(op operation, t *event.Trajectory) {
	f.books[op.experiment].operate(op, t)
	if l := f.learn[op.experiment]; l != nil {
		switch op.kind {
		case opAdd:
			l.Learn(t)
		case opExclude:
			l.Forget(t.ID)
		}
	}
}

func (b *book) operate(op operation, t *event.Trajectory) {
	switch op.kind {
	case opAdd:
		b.sums(op.period).add(t)
	case opRemove, opExclude:
		b.sums(op.period).remove(t)
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
