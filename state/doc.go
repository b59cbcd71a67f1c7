// Package state keeps open and closed trajectories, ledgers, outbox and offset;
// one writer a partition, one transaction a batch.
//
// The state fold (files fold*.go) is pure: a function of the log prefix and
// the rules, without clock, disk or randomness. What it decides, a Partition
// writes:
//
//	entries ──► fold ──► what open trajectories gained (journal) ┐
//	                ──► closed ones (archive), sums (log)        ├─► one Badger transaction
//	                ──► dead letters (outbox)                    │   with the next offset
//	                ──► counters, clock                          ┘
//
// A transaction that is in is the acknowledgement; one that is not leaves
// nothing behind. So a kill at any moment loses nothing and counts nothing
// twice: the next start goes on at the offset that state itself holds.
//
// Ledgers live in memory. Now and then their bytes are written under a new
// generation, and the log before it goes; recovery is the newest whole
// generation and the log after it, added in log order: the same bits. The log
// points into the archive, which has each closed trajectory as it was counted.
package state
