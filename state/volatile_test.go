package state

import (
	"fmt"
	"strings"
	"testing"

	"blipd/event"
)

// TestVolatile: state that is not recovered takes trajectories of any size that
// is allowed, and still knows those that have closed.
func TestVolatile(t *testing.T) {
	store, err := Open(Config{Dir: t.TempDir(), Volatile: true, Memory: 1 << 20}, "files")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var bad []string
	p := openPartition(t, store, Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: toys(nil, &bad)})
	var large []event.Member
	for i := range 900 {
		large = append(large, event.Member{Name: fmt.Sprintf("m%03d", i), Value: event.TextOf(strings.Repeat("x", 250))})
	}
	offset := int64(0)
	read := func(e event.Event) {
		t.Helper()
		if err := p.applyAll(entries(offset, e), offset+1); err != nil {
			t.Fatal(err)
		}
		offset++
	}
	const n = 30
	for i := range n {
		id := fmt.Sprint("t", i)
		for k := range 1 + i%7 { // up to 1.7 MB
			d := decide(id, k+1, at(10, i), "review")
			d.Decision.State = large
			read(d)
		}
	}
	var all []event.Event
	for i := range n {
		all = append(all, outcome(fmt.Sprint("t", i), at(11, i), 1, 0))
	}
	if err := p.applyAll(entries(offset, all...), offset+n); err != nil {
		t.Fatal(err)
	}
	offset += n
	read(outcome("t6", at(12, 0), 0, 1)) // revised
	read(outcome("t5", at(12, 0), 1, 0)) // the same again
	s := p.Stats()
	if e := s.Experiments[0]; e.Closed[ByOutcome] != n || e.Changed != 1 || s.Rejected[event.Duplicate] != 1 {
		t.Errorf("%d closed, %d changed, %d duplicates; want %d, 1, 1", e.Closed[ByOutcome], e.Changed, s.Rejected[event.Duplicate], n)
	}
	for _, wrong := range bad {
		t.Error(wrong)
	}
}
