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

// Relieve takes Badger's tables out of memory when more than an eighth of
// state.memory is of files. Badger maps its files, and what it has written or read
// once stays resident as long as the system has room, so that memory would grow with
// all that was ever kept. Nothing is lost: what is needed again is read again.
func (s *Store) Relieve() error {
	files, err := residentFiles()
	if err != nil || files <= s.config.Memory/8 {
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

// residentFiles is what the process has in memory of files.
func residentFiles() (int64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("state: read resident memory: %w", err)
	}
	var size, resident, files int64
	if _, err := fmt.Sscan(string(statm), &size, &resident, &files); err != nil {
		return 0, fmt.Errorf("state: read resident memory: %q: %w", statm, err)
	}
	return files * int64(os.Getpagesize()), nil
}
