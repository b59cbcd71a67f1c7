package state

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pageOut is MADV_PAGEOUT of madvise(2): it takes pages out of memory and loses
// nothing, whatever has come to lie there.
const pageOut = 21

// Relieve takes Badger's tables out of memory when the process has more than
// state.memory in it. Badger maps its files, and what it has written or read once
// stays resident as long as the system has room. Nothing is lost: what is needed
// again is read again.
func (s *Store) Relieve() error {
	resident, err := residentBytes()
	if err != nil || resident <= s.config.Memory/8*7 {
		return err
	}
	dir, err := filepath.EvalSymlinks(s.config.Dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return fmt.Errorf("state: relieve memory of %s: %w", s.config.Dir, err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("state: relieve memory of %s: %w", s.config.Dir, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		line := lines.Text()
		span, _, _ := strings.Cut(line, " ")
		at := strings.Index(line, dir)
		if at < 0 || filepath.Dir(line[at:]) != dir || filepath.Ext(line) != ".sst" {
			continue
		}
		from, to, _ := strings.Cut(span, "-")
		begin, err := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err != nil || err2 != nil || end <= begin {
			continue
		}
		// An error means an old kernel, or a table that has gone meanwhile.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(begin), uintptr(end-begin), pageOut)
	}
	return nil
}

// residentBytes is what the process has in memory.
func residentBytes() (int64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("state: read resident memory: %w", err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return 0, fmt.Errorf("state: read resident memory: %q: %w", statm, err)
	}
	return resident * int64(os.Getpagesize()), nil
}
