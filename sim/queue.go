package sim

import (
	"container/heap"

	"blipd/event"
)

// queue gives back what was put in by time, and equal times as they came.
type queue struct {
	waiting pendings
	count   uint64
}

// pending is an event that waits for its time.
type pending struct {
	at    event.Time
	order uint64
	event event.Event
	fault int // how the record is broken; 0 for not at all
}

func (q *queue) put(p pending) {
	q.count++
	p.order = q.count
	heap.Push(&q.waiting, p)
}

// next takes the first out if it is due before t.
func (q *queue) next(t event.Time) (pending, bool) {
	if len(q.waiting) == 0 || q.waiting[0].at > t {
		return pending{}, false
	}
	return heap.Pop(&q.waiting).(pending), true
}

type pendings []pending

func (p pendings) Len() int { return len(p) }

func (p pendings) Less(i, j int) bool {
	if p[i].at != p[j].at {
		return p[i].at < p[j].at
	}
	return p[i].order < p[j].order
}

func (p pendings) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

func (p *pendings) Push(x any) { *p = append(*p, x.(pending)) }

func (p *pendings) Pop() any {
	old := *p
	last := old[len(old)-1]
	old[len(old)-1] = pending{} // its event may go
	*p = old[:len(old)-1]
	return last
}
