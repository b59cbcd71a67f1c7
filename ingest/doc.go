// Package ingest brings records (of Kafka or of files) to the goroutine that
// owns their partition, and puts aside what cannot be read.
//
//	kafka.Fetch ──► queue (bounded) ──► Worker ──► event.Decode ──► Partition.Apply
//	     ▲             │ full: not asked for           │ or a reason
//	     └── Wake ─────┘                               └ the offset moves on all the same
//	Files ───────────────────────────► the same decode and Apply
//
// A partition has one worker and no lock. What is read is applied in the order
// of the log; an offset counts when Apply has returned.
package ingest
