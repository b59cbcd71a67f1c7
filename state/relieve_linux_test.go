package state

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestRelieve: tables leave memory when the process has more in it than it may,
// and only then; what they hold is still read.
func TestRelieve(t *testing.T) {
	s := openStore(t, t.TempDir())
	want := bytes.Repeat([]byte("abc"), 100_000)
	for i := range int64(400) { // enough for tables
		if err := s.set(keyNumber(0, 'z', i), want); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.db.Flatten(1); err != nil {
		t.Fatal(err)
	}
	read := func() {
		t.Helper()
		n := 0
		err := s.each(key(0, 'z'), key(0, 'z'), func(_, value []byte) (bool, error) {
			n++
			return bytes.Equal(value, want), nil
		})
		if err != nil || n != 400 {
			t.Fatalf("%d of 400 values were read: %v", n, err)
		}
	}
	read()
	before := tablesInMemory(t)
	if before < 20<<20 {
		t.Fatalf("%d bytes of tables are in memory: nothing to see", before)
	}
	s.config.Memory = 1 << 40
	if err := s.Relieve(); err != nil || tablesInMemory(t) < before {
		t.Errorf("%d bytes of tables are in memory, %d before, and there was room (%v)", tablesInMemory(t), before, err)
	}
	s.config.Memory = 1 << 20
	if err := s.Relieve(); err != nil || tablesInMemory(t) > before/10 {
		t.Errorf("%d bytes of tables are in memory, %d before (%v)", tablesInMemory(t), before, err)
	}
	read()
}

func tablesInMemory(t *testing.T) (sum int64) {
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("no smaps here: ", err)
	}
	table := false
	for line := range strings.Lines(string(smaps)) {
		fields := strings.Fields(line)
		if len(fields) > 0 && !strings.HasSuffix(fields[0], ":") {
			table = strings.HasSuffix(strings.TrimSpace(line), ".sst")
		}
		if table && fields[0] == "Rss:" {
			var kb int64
			for _, digit := range fields[1] {
				kb = 10*kb + int64(digit-'0')
			}
			sum += kb << 10
		}
	}
	return sum
}
