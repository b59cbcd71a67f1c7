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

// benchLog is n events in the order of time: trajectories of 8 decisions with
// 12 features and an outcome, 200 of them at once.
func benchLog(n int) []event.Entry {
	log := make([]event.Entry, 0, n)
	for round := 0; len(log) < n; round++ {
		for step := 1; step <= 9; step++ {
			for lane := 0; lane < 200 && len(log) < n; lane++ {
				id := fmt.Sprintf("conv_%08d", round*200+lane)
				when := morning.Add(time.Duration(len(log)) * 10 * time.Millisecond)
				e := outcome(id, when, float64(lane%2), 0)
				if step < 9 {
					e = benchDecision(id, step, when)
				}
				log = append(log, event.Entry{Event: e, Record: event.Record{Offset: int64(len(log))}})
			}
		}
	}
	return log
}

func benchDecision(id string, step int, when event.Time) event.Event {
	e := decide(id, step, when, []string{"direct", "review"}[step%2])
	for i := range 12 {
		e.Decision.State = append(e.Decision.State, event.Member{Name: fmt.Sprintf("feature_%02d", i), Value: event.NumberOf(float64(i * step))})
	}
	return e
}

func BenchmarkApply(b *testing.B) {
	for _, size := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := openStore(b, b.TempDir())
			p := openPartition(b, s, Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: counting, Letters: true})
			log := benchLog(b.N)
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < len(log); i += size {
				batch := log[i:min(len(log), i+size)]
				if err := p.applyAll(batch, int64(i+len(batch))); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(diskOf(b, s.config.Dir))/float64(b.N), "disk-B/op")
		})
	}
}

// diskOf is the size of the files of a directory, once it is closed.
func diskOf(b *testing.B, dir string) (size int64) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}

func BenchmarkFold(b *testing.B) {
	gone := map[string]*kept{}
	f := newFold([]Rules{retail()}, wide, counting, func(id string) (*kept, error) { return gone[id], nil })
	log := benchLog(b.N)
	never := func() bool { return false }
	b.ReportAllocs()
	b.ResetTimer()
	for i := range log {
		if err := f.apply(&log[i]); err != nil {
			b.Fatal(err)
		}
		f.advance(never)
		if i%1000 == 999 {
			f.reset()
		}
	}
}

// BenchmarkOpen measures the memory of open trajectories of 4 decisions with
// 12 features.
func BenchmarkOpen(b *testing.B) {
	const open = 100_000
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f := newFold([]Rules{retail()}, wide, counting, func(string) (*kept, error) { return nil, nil })
		never := func() bool { return false }
		for i := range open {
			id := fmt.Sprintf("conv_%08d", i)
			for step := range 4 {
				e := event.Entry{Event: benchDecision(id, step+1, at(10, step))}
				if err := f.apply(&e); err != nil {
					b.Fatal(err)
				}
				f.advance(never)
			}
			f.reset()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/open, "B/open")
		runtime.KeepAlive(f)
	}
}

// BenchmarkReopen measures a restart, of directory and partition, with open
// trajectories of 4 decisions with 12 features: with the memory for events that the
// usual state.memory gives, under which they were written, with any, and with so little
// that nearly all sleep. BLIPD_HEAVY has it be a million of them.
func BenchmarkReopen(b *testing.B) {
	open := 100_000
	if os.Getenv("BLIPD_HEAVY") != "" {
		open = 1_000_000
	}
	dir := b.TempDir()
	s := openStore(b, dir)
	o := Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: counting}
	o.pace = pace{checkpoint: 20_000, chunk: 512 << 10, block: blockSize, journal: 8 << 20, memory: 512 << 20}
	p := openPartition(b, s, o)
	offset := int64(0)
	for step := range 4 {
		for i := 0; i < open; i += 10_000 {
			var batch []event.Entry
			for n := i; n < min(open, i+10_000); n++ {
				batch = append(batch, event.Entry{Event: benchDecision(fmt.Sprintf("conv_%08d", n), step+1, at(10, step)), Record: event.Record{Offset: offset}})
				offset++
			}
			if err := p.applyAll(batch, offset); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	p = nil
	for name, memory := range map[string]int64{"usual": 512 << 20, "awake": 1 << 40, "asleep": 4 << 20} {
		b.Run(name, func(b *testing.B) {
			o.pace.memory = memory
			busy := time.Duration(0)
			for b.Loop() {
				begun := processorTime(b)
				s := openStore(b, dir)
				if n := len(openPartition(b, s, o).fold.open); n != open {
					b.Fatal(n)
				}
				b.StopTimer()
				busy += processorTime(b) - begun
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(open), "ns/open")
			b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// processorTime is what the process has taken of processors.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
