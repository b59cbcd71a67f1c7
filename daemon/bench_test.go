package daemon_test

import (
	"bytes"
	"context"
	"testing"

	"blipd/daemon"
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
