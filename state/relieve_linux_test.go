package state

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRelieve: tables leave memory when more of it is of files than may be, and
// only then; what they hold is still read.
func TestRelieve(t *testing.T) {
	s := openStore(t, t.TempDir())
	var fs syscall.Statfs_t
	if err := syscall.Statfs(s.config.Dir, &fs); err != nil || fs.Type == tmpfs {
		t.Skip("temporary files lie in memory here: ", err)
	}
	want := bytes.Repeat([]byte("abc"), 100_000)
	deadline := time.Now().Add(30 * time.Second)
	written := 0
	for ; tablesInMemory(t) < 20<<20; written++ { // Badger makes tables when it likes
		if err := s.set(keyNumber(0, 'z', int64(written)), want); err != nil || time.Now().After(deadline) {
			t.Fatalf("%d bytes of tables are in memory after %d values (%v)", tablesInMemory(t), written, err)
		}
	}
	read := func() {
		t.Helper()
		n := 0
		err := s.each(key(0, 'z'), key(0, 'z'), func(_, value []byte) (bool, error) {
			n++
			return bytes.Equal(value, want), nil
		})
		if err != nil || n != written {
			t.Fatalf("%d of %d values were read: %v", n, written, err)
		}
	}
	read()
	before := tablesInMemory(t)
	s.config.Memory = 1 << 40
	if err := s.Relieve(); err != nil || tablesInMemory(t) < before/2 {
		t.Errorf("%d bytes of tables are in memory, %d before, and there was room (%v)", tablesInMemory(t), before, err)
	}
	s.config.Memory = 1 << 20
	for deadline := time.Now().Add(2 * time.Minute); tablesInMemory(t) > before/4; { // pages that were touched just now stay for a while
		if err := s.Relieve(); err != nil {
			t.Fatal(err)
		}
		if now := tablesInMemory(t); now > before/4 && time.Now().After(deadline) {
			t.Fatalf("%d bytes of tables are in memory, %d before", now, before)
		}
		time.Sleep(20 * time.Millisecond)
	}
	read()
}

const tmpfs = 0x01021994

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
