package state

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"blipd/event"
)

// usage is what a process with state takes.
type usage struct {
	disk       int64 // bytes of blocks, not of files with holes
	least      int64 // the same, of several the least
	heap       int64 // when garbage is collected; of several the least
	goroutines int
	files      int
}

func usageOf(t testing.TB, dir string) (u usage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil { // it may be gone meanwhile
			u.disk += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	u.least, u.files, u.goroutines = u.disk, len(open), runtime.NumGoroutine()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.heap = int64(m.HeapAlloc)
	return u
}

func (u usage) String() string {
	return fmt.Sprintf("disk %d to %d MB, heap %d MB, %d goroutines, %d files", u.least>>20, u.disk>>20, u.heap>>20, u.goroutines, u.files)
}

// span is the most of each, and the least of disk and heap.
func span(all []usage) usage {
	most := all[0]
	for _, u := range all[1:] {
		most = usage{max(most.disk, u.disk), min(most.least, u.least), min(most.heap, u.heap), max(most.goroutines, u.goroutines), max(most.files, u.files)}
	}
	return most
}

// churn goes on with a log of trajectories, so many at once, each of 8 decisions with
// 12 features and an outcome, one event in 10 ms of event time.
type churn struct {
	live  int
	batch []event.Entry
	n     int64 // events so far
}

func (c *churn) next(events int) []event.Entry {
	c.batch = c.batch[:0]
	for range events {
		round, at := c.n/int64(9*c.live), c.n%int64(9*c.live)
		step, lane := int(at)/c.live+1, at%int64(c.live)
		id, when := fmt.Sprintf("conv_%010d", round*int64(c.live)+lane), morning.Add(time.Duration(c.n)*10*time.Millisecond)
		e := outcome(id, when, float64(lane%2), 0)
		if step < 9 {
			e = benchDecision(id, step, when)
		}
		c.batch = append(c.batch, event.Entry{Event: e, Record: event.Record{Offset: c.n}})
		c.n++
	}
	return c.batch
}

// TestSoak opens and closes a hundred times the trajectories that are under way at
// once, and keeps closed ones as long as ten of these turns take: what a process takes
// must not grow with what it has ever seen.
//
// From the second, third and fourth tenth of the way to the last
// three, what is the most grows by no more than a quarter, and beside that by what comes
// and goes: of files 64 tables, of goroutines 8. On the disk tables gather on level 0 and
// then are merged: what there is at the least, behind a merge, grows by no more than a
// quarter and a memtable's table. On the heap lie the memtables that wait and the buffers
// as large that Badger comes to have at some time, and keeps: what there is at the least
// grows by no more than a quarter and 400 MB, which 1,300 bytes a trajectory would be. (It
// stands still from about the sixth tenth on.)
func TestSoak(t *testing.T) {
	if os.Getenv("BLIPD_HEAVY") == "" {
		t.Skip("BLIPD_HEAVY is not set")
	}
	const live, turns = 5000, 100
	const turn = live * 9
	s, err := Open(Config{Dir: t.TempDir(), KeepClosed: turn * 10 * 10 * time.Millisecond, Memory: 2 << 30}, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rules := retail()
	rules.RevisionWindow = turn * 10 * time.Millisecond
	p := openPartition(t, s, Options{Rules: []Rules{rules}, Limits: wide, NewLedger: counting, Letters: true})
	c := &churn{live: live}
	tenths := make([]usage, 10)
	for i := range turns {
		for range 10 {
			if err := p.applyAll(c.next(turn/10), c.n); err != nil {
				t.Fatal(err)
			}
		}
		most := &tenths[i*10/turns]
		if u := usageOf(t, s.config.Dir); most.disk == 0 {
			*most = u
		} else {
			*most = span([]usage{*most, u})
		}
	}
	for i, u := range tenths {
		t.Logf("tenth %d: %v", i+1, u)
	}
	early, late := span(tenths[1:4]), span(tenths[7:])
	for _, test := range []struct {
		what              string
		early, late, more int64
	}{
		{"bytes on the disk at the least", early.least, late.least, memtableSize},
		{"bytes on the heap at the least", early.heap, late.heap, 400 << 20},
		{"goroutines", int64(early.goroutines), int64(late.goroutines), 8},
		{"files", int64(early.files), int64(late.files), 64},
	} {
		if most := test.early/4*5 + test.more; test.late > most {
			t.Errorf("%d %s late, %d early: want no more than %d", test.late, test.what, test.early, most)
		}
	}
	if n := p.Stats().Experiments[0].Closed[ByOutcome]; n < (turns-1)*live {
		t.Errorf("only %d were closed", n)
	}
}
