package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// How Badger is set up. What it writes are blocks of 32 KiB and small keys, in
// transactions of a megabyte or so.
//
// Memory: a memtable takes a third more than its size, and there are up to four.
// Building a table from one takes up to twice its size, rounded up to a power of
// two, and Badger keeps as many as eight such buffers for ever; so memtables are
// small, and many tables gather on level 0 before they are merged. A table's block
// has room for one of ours: one that outgrows it is copied to twice the room.
//
// One database for all partitions, so that one sync serves them all; each key begins
// with its partition. Blocks are not checked when they are read: a check that fails
// there has Badger say that a key is not there, or leave the rest of a table out of a
// merge. What lies on disk is checked as a whole when it is opened (inspect), and what
// is read by the checksums of our own values. Keys never expire, and no prefix is
// dropped: both have brought back or lost keys in Badger's past.
const (
	memtableSize         = 40 << 20
	memtableSizeVolatile = 8 << 20
	tableBlockSize       = 40 << 10
	blockSize            = 32 << 10 // see pace
)

func badgerOptions(cfg Config) badger.Options {
	memtable, memtables, cache, large := int64(memtableSize), 3, int64(16<<20), int64(1<<20)
	if cfg.Volatile {
		memtable, memtables, cache, large = memtableSizeVolatile, 1, 2<<20, 256<<10
	}
	return badger.DefaultOptions(cfg.Dir).
		WithLogger(badgerLog{cfg.Log}).
		WithSyncWrites(cfg.SyncWrites).
		WithDetectConflicts(false). // one writer a partition, no key shared
		WithMetricsEnabled(false).
		WithNumCompactors(2).
		WithNumMemtables(memtables).
		WithNumLevelZeroTables(8).
		WithNumLevelZeroTablesStall(24).
		WithMemTableSize(memtable).
		WithValueThreshold(large). // a transaction holds 15 % of a memtable: a commit, and one such value
		WithBlockSize(tableBlockSize).
		WithValueLogFileSize(64 << 20).
		WithBlockCacheSize(cache).
		WithIndexCacheSize(2 * cache).
		WithCompression(options.None).                        // values are packed
		WithChecksumVerificationMode(options.NoVerification). // inspect has read every block
		WithVerifyValueChecksum(true)                         // else it decodes what is damaged, and keeps a lock when it cannot
}

// openBadger opens the database. A kill can leave an empty memtable or value
// log behind, with which the first Open fails although nothing is lost
// (dgraph-io/badger#2207): such files are removed, and Open tried once more.
func openBadger(cfg Config) (*badger.DB, error) {
	if err := removeEmpty(cfg.Dir); err != nil {
		return nil, err
	}
	orphans, err := inspect(cfg)
	if err != nil {
		return nil, err
	}
	var db *badger.DB
	err = contained("open it", func() (err error) {
		db, err = badger.Open(badgerOptions(cfg))
		if err != nil && strings.Contains(err.Error(), "Create a new file") {
			db, err = badger.Open(badgerOptions(cfg))
		}
		if err != nil {
			err = ofDisk("open it", err)
		}
		return err
	})
	if err == nil {
		if err = orphans.remove(db.MaxVersion()); err != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, unhide(cfg.Dir))
	}
	return db, nil
}

func removeEmpty(dir string) error {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Size() == 0 {
				if err := os.Remove(file); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
