package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

//go:noinline
func spin(until time.Time) (sum float64) {
	for time.Now().Before(until) {
		for i := range 1000 {
			sum += math.Sqrt(float64(i))
		}
	}
	return sum
}

// TestReadProfile: what runtime/pprof writes is read, and what is cut off is no
// panic.
func TestReadProfile(t *testing.T) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		t.Skip(err) // go test -cpuprofile takes one itself
	}
	spin(time.Now().Add(300 * time.Millisecond))
	pprof.StopCPUProfile()
	all, err := readProfile(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	in := 0.0
	shares := all.shares(func(stack []string) string {
		for _, f := range stack {
			if strings.HasSuffix(f, "cli.spin") {
				return "spin"
			}
		}
		return "else"
	})
	sum := 0.0
	for _, s := range shares {
		sum += s.Share
		if s.Name == "spin" {
			in = s.Share
		}
	}
	if in < 0.5 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("%.2f of the time was in spin, of %.2f", in, sum)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(raw) {
		_, _ = readRawProfile(raw[:cut])
	}
	if _, err := readProfile([]byte("no profile")); err == nil {
		t.Error("what is no profile is read")
	}
}

// TestStages: a sample belongs to the innermost room that works for itself.
func TestStages(t *testing.T) {
	for _, c := range []struct{ stack, want string }{
		{"runtime.mallocgc blipd/event.readNode blipd/event.(*Decoder).Decode blipd/ingest.(*Worker).Run", stageDecode},
		{"runtime.memmove blipd/event.(*Decision).pack blipd/state.(*Partition).commit blipd/ingest.(*Worker).Run", stageFold},
		{"hash/crc32.Update github.com/dgraph-io/badger/v4.(*Txn).Commit blipd/state.(*Partition).commit", stageDisk},
		{"blipd/config.find.func1 blipd/estimators.(*Moments).Add blipd/daemon.ledger.Add blipd/state.(*fold).apply", stageSums},
		{"blipd/estimators.(*Moments).Merge blipd/state.(*book).copies blipd/daemon.(*sums).collect blipd/ingest.(*Worker).Run", stageRefit},
		{"syscall.Read github.com/segmentio/kafka-go.(*conn).run", stageFetch},
		{"runtime.scanObject runtime.gcBgMarkWorker", stageCollect},
		{"runtime.futex runtime.schedule runtime.mcall", stageOther},
		{"", stageOther},
	} {
		if got := stageOf(strings.Fields(c.stack)); got != c.want {
			t.Errorf("%s is %s, want %s", c.stack, got, c.want)
		}
	}
}
