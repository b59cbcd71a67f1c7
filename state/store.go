package state

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// Store is a directory of state, open for one daemon.
type Store struct {
	config Config
	topic  string
	db     *badger.DB
	lock   *os.File

	partitions atomic.Int64 // that are open
	ledgers    atomic.Int64 // bytes of their newest generations
	settled    string       // what Open has done that a kill had left undone
	partsLock  sync.Mutex   // while the parts of an experiment are read and written
}

// Open opens the directory of cfg, or makes it, for the state of one topic.
func Open(cfg Config, topic string) (*Store, error) {
	lock, settled, err := takeDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(condemned(cfg.Dir), roomToOpen(cfg.Dir)); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &Store{config: cfg, topic: topic, lock: lock, settled: settled}
	if s.db, err = openBadger(cfg); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("state: open %s: %w", cfg.Dir, err)
	}
	if err := s.identify(); err != nil {
		return nil, errors.Join(fmt.Errorf("state: open %s: %w", cfg.Dir, err), s.Close())
	}
	return s, nil
}

// takeDir locks the directory that is to be used, and makes it if need be.
func takeDir(dir string) (lock *os.File, settled string, err error) {
	if _, err := os.Stat(dir); err == nil {
		if lock, err = lockDir(dir); err != nil {
			return nil, "", err
		}
	}
	if lock, settled, err = settle(dir, lock); err == nil && lock == nil {
		if err = os.MkdirAll(dir, 0o750); err != nil {
			return nil, "", fmt.Errorf("state: make %s: %w: %w", dir, err, ErrUnusable)
		}
		lock, err = lockDir(dir)
	}
	if err != nil && lock != nil {
		_ = lock.Close()
	}
	return lock, settled, err
}

// Settled says what Open has done that a kill had left undone, "" for nothing.
func (s *Store) Settled() string { return s.settled }

// noteLock is the file that is locked while a directory is in use.
const noteLock = "blipd.lock"

// lockDir makes sure that no other daemon has the directory open. The lock
// goes with the process, however it ends.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, noteLock)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, fmt.Errorf("state: lock %s: %w: %w", path, err, ErrUnusable)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("state: lock %s: another blipd runs on this directory: stop it, or give this one a state.dir of its own: %w", path, ErrUnusable)
	}
	return f, nil
}

// identify checks, or writes, whose state this is and in which layout.
func (s *Store) identify() error {
	found := ""
	err := s.read(keyFormat, "the format", func(r *pack.Reader) { r.Int() })
	known := err == nil
	if known {
		err = s.read(keyTopic, "the topic", func(r *pack.Reader) { found = r.Text() })
	}
	switch {
	case isAbsent(err) && known:
		return damaged("it does not say of which topic it is")
	case isAbsent(err):
		if err := s.empty(); err != nil {
			return err
		}
		return s.db.Update(func(txn *badger.Txn) error {
			return errors.Join(
				txn.Set(keyFormat, seal(func(w *pack.Writer) { w.Int(valueVersion) })),
				txn.Set(keyTopic, seal(func(w *pack.Writer) { w.Text(s.topic) })))
		})
	case err != nil:
		return err
	case found != s.topic:
		return fmt.Errorf("it is the state of topic %q, the configuration reads %q: give each topic a state.dir of its own: %w", found, s.topic, ErrUnusable)
	}
	return nil
}

// empty fails unless there is nothing yet: the format is the first that is written.
func (s *Store) empty() error {
	found := false
	err := s.eachKey(nil, nil, func([]byte) bool { found = true; return false })
	if err == nil && found {
		err = damaged("it does not say in which format it is")
	}
	return err
}

// Partitions lists the partitions that have state, in order. Their keys begin with a
// zero, having fewer than 16 million of them, and all others with a letter.
func (s *Store) Partitions() (numbers []int, err error) {
	for at, more := []byte{}, true; more && err == nil; {
		more = false
		err = s.eachKey(nil, at, func(k []byte) bool {
			if !isText(k) && len(k) > 4 {
				number := int(binary.BigEndian.Uint32(k))
				numbers = append(numbers, number)
				at, more = key(number+1, 0)[:4], true
			}
			return false
		})
	}
	return numbers, err
}

// isText tells the keys that belong to no partition.
func isText(key []byte) bool { return key[0] >= ' ' }

// read reads one sealed value; badger.ErrKeyNotFound is in the chain of the
// error when there is none.
func (s *Store) read(key []byte, what string, read func(*pack.Reader)) error {
	return s.value(key, what, func(value []byte) error { return unseal(what, value, read) })
}

// value shows one value as it is, as long as use runs.
func (s *Store) value(key []byte, what string, use func(value []byte) error) error {
	return s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if err != nil {
			return fmt.Errorf("state: read %s: %w", what, err)
		}
		return valueOf(item, what, use)
	})
}

// valueOf shows the value of an item. What Badger cannot read of its own files is
// damage.
func valueOf(item *badger.Item, what string, use func(value []byte) error) error {
	read := false
	err := item.Value(func(value []byte) error {
		read = true
		return use(value)
	})
	if err != nil && !read {
		return ofDisk("read "+what, err)
	}
	return err
}

// each visits the values under a prefix in the order of their keys, from start
// on, until visit says stop.
func (s *Store) each(prefix, start []byte, visit func(key, value []byte) (more bool, err error)) error {
	return s.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix}) // values are read as they are asked for
		defer it.Close()
		for it.Seek(start); it.Valid(); it.Next() {
			item, more := it.Item(), true
			err := valueOf(item, nameOfKey(item.Key()), func(value []byte) (err error) {
				more, err = visit(item.Key(), value)
				return err
			})
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// eachKey visits the keys alone. It passes over every key that was deleted
// lately: start where the first one can be.
func (s *Store) eachKey(prefix, start []byte, visit func(key []byte) (more bool)) error {
	return s.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
		defer it.Close()
		for it.Seek(start); it.Valid() && visit(it.Item().Key()); it.Next() {
		}
		return nil
	})
}

// reclaim gives back the space of large values that are gone, one file of them
// at most; most values are small and do not lie there.
func (s *Store) reclaim() error {
	const dead = 0.5 // of a file: worth the rewriting of what is left
	err := s.db.RunValueLogGC(dead)
	if err == nil || errors.Is(err, badger.ErrNoRewrite) || errors.Is(err, badger.ErrRejected) {
		return nil // there is nothing to give back, or another partition is at it
	}
	return fmt.Errorf("state: reclaim the value log of %s: %w", s.config.Dir, err)
}

// set writes one value.
func (s *Store) set(key, value []byte) error {
	return s.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
}

// remove deletes keys, a bounded number in each transaction.
func (s *Store) remove(keys [][]byte) error {
	for len(keys) > 0 {
		n := min(10_000, len(keys))
		err := s.db.Update(func(txn *badger.Txn) error {
			for _, k := range keys[:n] {
				if err := txn.Delete(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("state: delete %d keys: %w", n, err)
		}
		keys = keys[n:]
	}
	return nil
}

// Close closes the directory. It may be called more than once.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	err := s.db.Close()
	if err != nil {
		err = fmt.Errorf("state: close %s: %w", s.config.Dir, err)
	}
	err = errors.Join(err, s.lock.Close())
	s.lock = nil
	return err
}
