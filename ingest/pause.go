package ingest

import (
	"context"
	"sync"
)

// pause keeps workers and what must not happen beside them apart.
type pause struct {
	mu      sync.Mutex // guards all below
	changed sync.Cond
	working bool
	stop    context.CancelFunc // of the work under way
	asked   int                // calls that wait, or run
}

func (p *pause) lock() {
	p.mu.Lock()
	p.changed.L = &p.mu
}

// Between runs call while no worker is at work, and returns what it does: those
// at work stop behind the batch in hand and commit, this process stays a member
// of its group, and afterwards partitions are opened anew.
func (c *Consumer) Between(call func() error) error {
	p := &c.pause
	p.lock()
	defer p.mu.Unlock()
	p.asked++
	if p.working {
		p.stop()
	}
	for p.working {
		p.changed.Wait()
	}
	defer func() {
		p.asked--
		p.changed.Broadcast()
	}()
	return call()
}

// begin waits until nobody asks for a pause; stop ends the work that begins.
func (p *pause) begin(stop context.CancelFunc) {
	p.lock()
	defer p.mu.Unlock()
	for p.asked > 0 {
		p.changed.Wait()
	}
	p.working, p.stop = true, stop
}

func (p *pause) end() {
	p.lock()
	defer p.mu.Unlock()
	p.working = false
	p.changed.Broadcast()
}
