package ingest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestBetween: calls run one at a time, never beside work, whether there is any
// or not, and work goes on after each.
func TestBetween(t *testing.T) {
	c := &Consumer{}
	refused := errors.New("refused")
	if err := c.Between(func() error { return refused }); err != refused {
		t.Errorf("without work: %v", err)
	}
	ctx, end := context.WithCancel(context.Background())
	var inside, works atomic.Int64
	enter := func() {
		if inside.Add(1) != 1 {
			t.Error("two at a time")
		}
	}
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			asked, stop := context.WithCancel(ctx)
			c.pause.begin(stop)
			enter()
			works.Add(1)
			<-asked.Done()
			inside.Add(-1)
			c.pause.end()
		}
	})
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for range 100 {
				_ = c.Between(func() error {
					enter()
					inside.Add(-1)
					return nil
				})
			}
		})
	}
	calls.Wait()
	before := works.Load()
	for works.Load() == before { // it begins again by itself
		_ = c.Between(func() error { return nil })
	}
	end()
	all.Wait()
}
