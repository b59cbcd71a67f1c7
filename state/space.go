package state

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// DefaultMinFree is what Badger, as badgerOptions sets it up, may come to need
// after the last commit that it was allowed:
//
//	  160 MB  four memtables become tables before their logs are given up
//	   45 MB  the log of a new memtable
//	1,000 MB  a merge of level 0: what it writes lies beside what it read until it
//	          is done, and level 0 has 8 tables of 40 MB, 24 when merging lags behind
//	  200 MB  a merge further down beside it, and the tables of the level below
//	   64 MB  a file of large values, written again to give back what is dead in it
//
// which is a gigabyte and a half; the rest is for batches in hand, and for whoever
// else writes on that disk. Ledgers come on top (Need).
const DefaultMinFree = 2 << 30

// Free is how many bytes are free where the directory lies, for users without
// privileges.
func (s *Store) Free() (int64, error) {
	free, err := freeIn(s.config.Dir)
	if err != nil {
		return 0, fmt.Errorf("state: look how much is free in %s: %w", s.config.Dir, err)
	}
	return free, nil
}

// Need is how many bytes must be free for state to be written to: state.min_free,
// and twice the ledgers, which a checkpoint writes to the log of a memtable and then
// to a table, before the generation before it goes. It may be called at any time.
func (s *Store) Need() int64 { return s.config.MinFree + 2*s.ledgers.Load() }

// weigh notes how many bytes the newest generation of ledgers has.
func (p *Partition) weigh(bytes int) {
	p.store.ledgers.Add(int64(bytes) - p.weight)
	p.weight = int64(bytes)
}

// roomToOpen fails when there is too little space for Badger to come back: what a
// kill has left in memtables becomes tables at once, through mapped files, and a
// mapped file without space ends the process.
func roomToOpen(dir string) error {
	const beside = 8 << 20 // new logs, lists, statistics
	need := int64(beside)
	logs, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	if err != nil {
		return fmt.Errorf("state: open %s: %w", dir, err)
	}
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok { // its size is that of a file with holes
				need += stat.Blocks * 512
			}
		}
	}
	free, err := freeIn(dir)
	if err != nil {
		return fmt.Errorf("state: open %s: look how much is free: %w", dir, err)
	}
	if free < need {
		return fmt.Errorf("state: open %s: %d MB are free, and bringing back what was not yet in tables takes %d MB: free some and start again; nothing is lost", dir, free>>20, need>>20)
	}
	return nil
}
