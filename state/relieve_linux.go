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
// again is read again; so where files are but a sixteenth of state.memory, and it is
// the heap that is large, they stay.
func (s *Store) Relieve() error {
	resident, files, err := residentBytes()
	if err != nil || resident <= s.config.Memory/16*13 || files <= s.config.Memory/16 {
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

// residentBytes is what the process has in memory, and what of it is of files.
func residentBytes() (all, files int64, err error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, fmt.Errorf("state: read resident memory: %w", err)
	}
	var size int64
	if _, err := fmt.Sscan(string(statm), &size, &all, &files); err != nil {
		return 0, 0, fmt.Errorf("state: read resident memory: %q: %w", statm, err)
	}
	page := int64(os.Getpagesize())
	return all * page, files * page, nil
}
