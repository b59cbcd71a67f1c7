package kafka

import (
	"errors"
	"fmt"
)

// Stopped is what every error of Sink.Fail is: the partition cannot go on by
// itself, and somebody has to decide something.
type Stopped interface {
	error
	Reason() string // one word of a closed list, for metrics
}

// The reasons why a partition stops.
const (
	ReasonOffset    = "offset"    // the log no longer has, or does not have, the next offset
	ReasonCorrupt   = "corrupt"   // the log holds bytes that are no batch
	ReasonTooLarge  = "too_large" // the log holds a batch that unpacks to too much
	ReasonTruncated = "truncated" // the log lost records that were read
	ReasonRecreated = "recreated" // the topic is another one of the same name
	ReasonGrown     = "grown"     // the topic has more partitions than it had
)

// Reasons lists them in a fixed order.
func Reasons() []string {
	return []string{ReasonOffset, ReasonCorrupt, ReasonTooLarge, ReasonTruncated, ReasonRecreated, ReasonGrown}
}

// An OffsetError says that a partition does not hold the offset to go on from.
type OffsetError struct {
	Topic            string
	Partition        int
	Offset           int64 // what was asked for
	LogStart, LogEnd int64 // what there is
}

func (e *OffsetError) Error() string {
	if e.Offset < e.LogStart {
		return fmt.Sprintf("topic %q partition %d: offset %d is gone: the log starts at %d; retention or DeleteRecords deleted %d offsets before they were read; lengthen retention, then start over from what is left with new state",
			e.Topic, e.Partition, e.Offset, e.LogStart, e.LogStart-e.Offset)
	}
	return fmt.Sprintf("topic %q partition %d: offset %d does not exist: the log ends at %d; the topic was recreated or truncated; restore the topic, or start over with new state",
		e.Topic, e.Partition, e.Offset, e.LogEnd)
}

// Reason is ReasonOffset.
func (e *OffsetError) Reason() string { return ReasonOffset }

// A CorruptError says that a partition holds bytes that cannot be read.
type CorruptError struct {
	Topic     string
	Partition int
	Offset    int64 // up to which everything was read
	Err       error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("topic %q partition %d offset %d: %v; if other consumers fail as well, the broker's copy is damaged: restore it from a replica, or delete the records up to the next batch",
		e.Topic, e.Partition, e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Reason is ReasonCorrupt.
func (e *CorruptError) Reason() string { return ReasonCorrupt }

// A TooLargeError says that a batch unpacks to more than memory is set aside for.
type TooLargeError struct {
	Topic         string
	Partition     int
	Offset        int64 // up to which everything was read
	First, Last   int64 // offsets of the batch
	Packed, Limit int   // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("topic %q partition %d offset %d: the batch of offsets %d to %d, %d bytes, unpacks to more than %d MiB; let producers make smaller batches, then delete the records up to offset %d and start over with new state",
		e.Topic, e.Partition, e.Offset, e.First, e.Last, e.Packed, e.Limit>>20, e.Last+1)
}

// Reason is ReasonTooLarge.
func (e *TooLargeError) Reason() string { return ReasonTooLarge }

// A TruncatedError says that the log has lost records that were read, and may have
// others in their place.
type TruncatedError struct {
	Topic     string
	Partition int
	Offset    int64 // up to which it was read
	Same      int64 // up to which the log is still the same
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("topic %q partition %d: the log has lost offsets %d to %d, which were read: a replica without them was elected leader; set unclean.leader.election.enable to false, then start over with new state",
		e.Topic, e.Partition, e.Same, e.Offset-1)
}

// Reason is ReasonTruncated.
func (e *TruncatedError) Reason() string { return ReasonTruncated }

// A RecreatedError says that the topic of a name is not the one that was read.
type RecreatedError struct {
	Topic     string
	Partition int
	Was, Is   Log
}

func (e *RecreatedError) Error() string {
	what := fmt.Sprintf("its id is %v, state is of %v", e.Is.Topic, e.Was.Topic)
	if !e.Was.Topic.Known() || !e.Is.Topic.Known() || e.Was.Topic == e.Is.Topic {
		what = fmt.Sprintf("it has %d partitions, state is of one with %d", e.Is.Partitions, e.Was.Partitions)
	}
	return fmt.Sprintf("topic %q partition %d: the topic was deleted and created again: %s; none of the new one is read: start over with new state, or read the topic that state is of",
		e.Topic, e.Partition, what)
}

// Reason is ReasonRecreated.
func (e *RecreatedError) Reason() string { return ReasonRecreated }

// A GrownError says that the topic has more partitions than it had, so that a key
// may be in two of them.
type GrownError struct {
	Topic     string
	Partition int
	Was, Is   int // partitions
}

func (e *GrownError) Error() string {
	return fmt.Sprintf("topic %q partition %d: the topic has grown from %d to %d partitions: producers now send trajectories elsewhere, with their decisions on one side and their outcomes on the other; start over with new state, or make a topic with %d partitions and read that",
		e.Topic, e.Partition, e.Was, e.Is, e.Is)
}

// Reason is ReasonGrown.
func (e *GrownError) Reason() string { return ReasonGrown }

// stops tells whether an error is one that stops its partition.
func stops(err error) bool {
	var stopped Stopped
	return errors.As(err, &stopped)
}
