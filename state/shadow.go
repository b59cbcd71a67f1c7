package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A second state can be made beside the one in use, and then put in its place.
// The names tell how far that has come, so that a kill at any moment leaves
// exactly one of the two in use:
//
//	DIR.rebuild      is being made: the next Open removes it
//	DIR.rebuilt      is whole and closed: the next Open puts it in the place of DIR
//	DIR.before-TIME  has been replaced: nobody removes it
const (
	making   = ".rebuild"
	made     = ".rebuilt"
	replaced = ".before-" // and the time in UTC
)

// markFile is in a directory that Shadow has made: only such a one is removed.
const markFile = "blipd.shadow"

// Shadow makes an empty state beside the directory of cfg, to be put in its
// place with Supplant or to be given up with Discard.
func Shadow(cfg Config, topic string) (*Store, error) {
	base, err := realDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Dir = base + making
	if err := removeShadow(base); err != nil {
		return nil, err
	}
	if err := os.Mkdir(cfg.Dir, 0o750); err != nil {
		return nil, fmt.Errorf("state: make %s: %w: blipd must be allowed to make directories beside state.dir", cfg.Dir, err)
	}
	err = os.WriteFile(filepath.Join(cfg.Dir, markFile), nil, 0o640)
	if err == nil && !sameDevice(base, cfg.Dir) {
		err = fmt.Errorf("state: %s is a mount point and cannot be renamed: let state.dir be a directory below it", base)
	}
	var s *Store
	if err == nil {
		s, err = Open(cfg, topic)
	}
	if err != nil {
		return nil, errors.Join(err, removeShadow(base))
	}
	return s, nil
}

// Discard closes a state that Shadow has made and removes it.
func (s *Store) Discard() error {
	err := s.Close()
	if err := os.RemoveAll(s.config.Dir); err != nil {
		return fmt.Errorf("state: remove %s: %w", s.config.Dir, err)
	}
	return err
}

// Supplant puts next, which Shadow has made, in the place of s, and takes along
// what s holds beside partitions, such as the reports of earlier epochs. Both
// are closed; what comes back is open in the directory of s, and kept is where s
// lies now. With keeps the error is one from before anything was touched: s is
// open and in use as before, and next is to be discarded.
func (s *Store) Supplant(next *Store, now time.Time) (opened *Store, kept string, keeps bool, err error) {
	base, err := realDir(s.config.Dir)
	if err == nil {
		err = s.copyTexts(next)
	}
	if err == nil {
		err = next.db.Close()
	}
	if err == nil {
		err = os.Rename(base+making, base+made)
	}
	if err == nil {
		if err = syncDir(filepath.Dir(base)); err != nil {
			err = errors.Join(err, os.Rename(base+made, base+making))
		}
	}
	if err != nil {
		return nil, "", true, fmt.Errorf("state: finish the state beside %s: %w", s.config.Dir, err)
	}
	// The locks go along with the directories: no other daemon comes in between.
	if err = s.db.Close(); err == nil {
		kept, err = replace(base, now)
	}
	if err != nil {
		return nil, "", false, fmt.Errorf("state: put %s in the place of %s: %w: start blipd again, it goes on there", base+made, s.config.Dir, err)
	}
	_ = s.lock.Close() // a lock that was only held
	s.lock = nil
	opened = &Store{config: s.config, topic: s.topic, lock: next.lock}
	next.lock = nil
	if opened.db, err = openBadger(s.config); err != nil {
		return nil, kept, false, fmt.Errorf("state: open %s, which was rebuilt: %w: %w", s.config.Dir, err, ErrUnusable)
	}
	return opened, kept, false, nil
}

// replace renames the directory in use, if there is one, and puts the one that
// is made in its place.
func replace(base string, now time.Time) (kept string, err error) {
	if _, err := os.Lstat(base); err == nil {
		kept = base + replaced + now.UTC().Format("20060102T150405Z")
		for n := 2; ; n++ {
			if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
				break
			}
			kept = fmt.Sprintf("%s%s%s-%d", base, replaced, now.UTC().Format("20060102T150405Z"), n)
		}
		if err := os.Rename(base, kept); err != nil {
			return "", err
		}
	}
	if err := os.Rename(base+made, base); err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(base, markFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return kept, syncDir(filepath.Dir(base))
}

// settle does what a kill has left undone, and says what. lock is that of dir
// if there is one; the lock that comes back is of the directory in use.
func settle(dir string, lock *os.File) (_ *os.File, words string, err error) {
	base, err := realDir(dir)
	if err != nil {
		return lock, "", err
	}
	if _, err := os.Lstat(base + made); err == nil {
		of, err := lockDir(base + made)
		if err != nil {
			return lock, "", err
		}
		kept, err := replace(base, time.Now())
		if lock != nil {
			err = errors.Join(err, lock.Close())
		}
		if err != nil {
			return of, "", fmt.Errorf("state: put %s in the place of %s: %w: %w", base+made, base, err, ErrUnusable)
		}
		lock, words = of, "the rebuilt state is in use: blipd had ended while it was put in its place"
		if kept != "" {
			words += "; the state before is kept in " + kept
		}
	}
	if _, err := os.Lstat(filepath.Join(base+making, markFile)); err == nil {
		if err := removeShadow(base); err != nil {
			return lock, words, err
		}
		words = "a rebuild had not come to its end and was given up: ask for it again"
	}
	return lock, words, nil
}

// removeShadow removes what Shadow has made, or an empty directory in its place.
func removeShadow(base string) error {
	dir := base + making
	if _, err := os.Lstat(filepath.Join(dir, markFile)); err == nil {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("state: remove %s, which a rebuild has left: %w", dir, err)
		}
		return nil
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("state: %s was not made by a rebuild and is in its way: move it away: %w", dir, err)
	}
	return nil
}

// copyTexts copies all that belongs to no partition, has a text for a key, and is
// not there yet.
func (s *Store) copyTexts(to *Store) error {
	batch := to.db.NewWriteBatch()
	defer batch.Cancel()
	err := s.each(nil, []byte{' '}, func(key, value []byte) (bool, error) {
		err := to.value(key, "a text", func([]byte) error { return nil })
		if !isAbsent(err) {
			return true, err
		}
		return true, batch.Set(bytes.Clone(key), bytes.Clone(value))
	})
	if err == nil {
		err = batch.Flush()
	}
	if err != nil {
		return fmt.Errorf("state: copy reports to %s: %w", to.config.Dir, err)
	}
	return nil
}

// realDir is where a directory lies, or would lie, once links are followed.
func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real = filepath.Clean(dir)
		if to, linked := os.Readlink(real); linked == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(real), to)
			}
			real = to
		}
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("state: find %s: %w: %w", dir, err, ErrUnusable)
	}
	return real, nil
}

func sameDevice(a, b string) bool {
	var x, y syscall.Stat_t
	return syscall.Stat(a, &x) == nil && syscall.Stat(b, &y) == nil && x.Dev == y.Dev
}

// syncDir makes renames within a directory last through a power cut.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
