package daemon_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"blipd/daemon"
	"blipd/event"
	"blipd/state"
)

// BenchmarkEstimate is the whole way over files: decode, state fold, Badger,
// ledger, one refit. An operation is one event.
func BenchmarkEstimate(b *testing.B) {
	cfg := parse(b, "unused:1", b.TempDir(), "group: g")
	var all bytes.Buffer
	log := events(20_000, 1)
	for _, m := range log {
		all.Write(m.Value)
		all.WriteByte('\n')
	}
	b.SetBytes(int64(all.Len() / len(log)))
	b.ReportAllocs()
	for done := 0; done < b.N; done += len(log) {
		if _, err := daemon.Estimate(context.Background(), &cfg, []string{"-"}, bytes.NewReader(all.Bytes()), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPause measures how long the goroutine of a partition does anything but read:
// it waits for a commit, writes ledgers, has its sums copied for a refit. An operation is
// an event. Reported are the longest of each, in milliseconds.
func BenchmarkPause(b *testing.B) {
	cfg := parse(b, "unused:1", b.TempDir(), "group: g")
	cfg.State.SyncWrites, cfg.Experiments[0].Spec.Learning = true, nil
	store, err := state.Open(cfg.State, "events")
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	options := daemon.StateOptions(&cfg)
	var landing, apply, commit, refit time.Duration // the longest
	options.Clock, options.Committed = time.Now, func(took time.Duration) { landing = max(landing, took) }
	p, err := store.Partition(0, options)
	if err != nil {
		b.Fatal(err)
	}
	longest := func(most *time.Duration, do func()) {
		begun := time.Now()
		do()
		*most = max(*most, time.Since(begun))
	}
	reader := event.NewReader(event.Decoder{Schema: cfg.Schema(), Keyless: true})
	var entry event.Entry
	log := events(b.N/5+1, 100)
	log = log[:min(b.N, len(log))]
	b.ResetTimer()
	for i := 0; i < len(log); i += 1000 {
		end := min(len(log), i+1000)
		each := func(yield func(*event.Entry) bool) {
			for n := i; n < end; n++ {
				entry.Record = event.Record{Offset: int64(n), Value: log[n].Value}
				entry.Fault, entry.Ignored = reader.Read(entry.Record, &entry.Event), false
				if !yield(&entry) {
					return
				}
			}
		}
		longest(&apply, func() {
			if err := p.Apply(each, int64(end)); err != nil {
				b.Fatal(err)
			}
		})
		if end%20_000 != 0 && end < len(log) {
			continue
		}
		longest(&commit, func() {
			if err := p.Commit(); err != nil {
				b.Fatal(err)
			}
		})
		longest(&refit, func() { p.Ledgers(0) })
	}
	for name, most := range map[string]time.Duration{"longest-apply-ms": apply, "longest-commit-ms": commit, "longest-landing-ms": landing, "longest-copy-ms": refit} {
		b.ReportMetric(float64(most.Microseconds())/1000, name)
	}
}
