package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
)

// ErrDamaged is in the chain of every ErrUnusable error that says that files of the
// directory are damaged or missing. SetAside is for those, and for no other.
var ErrDamaged = fmt.Errorf("the directory is damaged: move it away to start again from the log, or restore it from a backup: %w", ErrUnusable)

// damaged is the error of a directory whose parts do not fit together.
func damaged(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrDamaged)...)
}

// foreign is the error of a value that is as it was written, by its checksum, and
// cannot be understood: that is not damage.
func foreign(format string, args ...any) error {
	return fmt.Errorf(format+": another version of blipd has written it: run that one, or move the directory away to start again from the log: %w", append(args, ErrUnusable)...)
}

// contained runs what reads files that may be damaged: where it panics, it fails.
func contained(what string, read func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			words, _, _ := strings.Cut(strings.TrimSpace(fmt.Sprint(v)), "\n")
			err = damaged("%s: %s", what, words)
		}
	}()
	return read()
}

// inspect looks at the files before Badger does, for what Badger does not look at, or
// answers by ending the process or by deleting files:
//
//   - without a MANIFEST it would begin anew and delete every table;
//   - a table that is damaged is read in goroutines of its own, which panic; and what it
//     calls a checksum mismatch makes it go on without the table;
//   - the statistics of garbage, DISCARD, are trusted to be whole and true.
//
// Every block of every table is checked here, so that Badger need not. Tables that
// belong nowhere are out of its sight then.
func inspect(cfg Config) (orphans, error) {
	if known, err := hasManifest(cfg.Dir); err != nil || !known {
		return nil, err
	}
	if err := removeUneven(cfg.Dir); err != nil {
		return nil, err
	}
	manifest, err := readManifest(cfg)
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Glob(filepath.Join(cfg.Dir, "*.vlog"))
	if err == nil && len(logs) == 0 && len(manifest.Tables) > 0 {
		err = damaged("no file of large values (*.vlog) is there")
	}
	if err != nil {
		return nil, err
	}
	for number, in := range manifest.Tables {
		name := table.NewFilename(number, cfg.Dir)
		if err := inspectTable(name, in.Compression); err != nil {
			return nil, err
		}
	}
	return hideOrphans(cfg.Dir, &manifest)
}

// hasManifest tells whether Badger has been here. Its MANIFEST is the first file that
// it makes, and is never gone while others are there.
func hasManifest(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, badger.ManifestFilename))
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return err == nil, err
	}
	for _, pattern := range []string{"*.sst", "*.vlog", "*.mem"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return false, err
		}
		if len(files) > 0 {
			return false, damaged("%s is there and %s is not", filepath.Base(files[0]), badger.ManifestFilename)
		}
	}
	return false, nil
}

// removeUneven removes the statistics of garbage when they cannot be true: Badger
// gathers them again. They are pairs of a file's number and the bytes that are dead in
// it, up to a number of 0; with a number that is no file's, or comes twice, Badger
// would look for ever for the file with the most.
func removeUneven(dir string) error {
	const unit = 1 << 20 // of the size, doubled as it grows
	path := filepath.Join(dir, "DISCARD")
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	even, seen := len(b)%unit == 0, map[uint64]bool{0: true}
	for ; even && len(b) > 0; b = b[16:] {
		number := binary.BigEndian.Uint64(b)
		if number == 0 {
			return nil
		}
		even = number < 1<<32 && !seen[number] && binary.BigEndian.Uint64(b[8:]) < 1<<32
		seen[number] = true
	}
	if even && len(seen) == 1 {
		return nil
	}
	return os.Remove(path)
}

// readManifest reads which tables there are.
func readManifest(cfg Config) (manifest badger.Manifest, err error) {
	path := filepath.Join(cfg.Dir, badger.ManifestFilename)
	file, err := os.Open(path)
	if err != nil {
		return manifest, err
	}
	defer file.Close()
	err = contained("read "+badger.ManifestFilename, func() error {
		options := badgerOptions(cfg)
		var err error
		if manifest, _, err = badger.ReplayManifestFile(file, options.ExternalMagicVersion, options); err == nil {
			return nil
		}
		if words, _, _ := strings.Cut(err.Error(), "\n"); strings.Contains(words, "unsupported version") || strings.Contains(words, "external magic") {
			return fmt.Errorf("read %s: %s: run the version of blipd that wrote it, or a later one: %w", badger.ManifestFilename, words, ErrUnusable)
		}
		return ofDisk("read "+badger.ManifestFilename, err)
	})
	return manifest, err
}

// inspectTable reads a table from end to end.
func inspectTable(path string, compression options.CompressionType) error {
	name := filepath.Base(path)
	return contained("read table "+name, func() error {
		file, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
		if err != nil {
			return ofDisk("open table "+name, err)
		}
		t, err := table.OpenTable(file, table.Options{ReadOnly: true, BlockSize: tableBlockSize, Compression: compression, ChkMode: options.OnTableRead})
		if err != nil {
			return ofDisk("read table "+name, err)
		}
		return t.Close(-1)
	})
}

// ofDisk tells an error of Badger's that the system has answered with, such as that
// there are too many open files, from damage. Badger does not keep the chain of its
// errors, only their words; and what may pass by itself must not be called damage.
func ofDisk(what string, err error) error {
	if errors.Is(err, badger.ErrDBClosed) { // whoever asks has come too late
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, number := range []syscall.Errno{syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.EBUSY, syscall.ESTALE, syscall.EINTR} {
		if errors.Is(err, number) || strings.Contains(err.Error(), number.Error()) {
			return fmt.Errorf("%s: %w: %w", what, err, ErrUnusable)
		}
	}
	return damaged("%s: %s", what, strings.TrimSpace(err.Error()))
}
