package ingest

import (
	"fmt"
	"testing"

	"blipd/event"
	"blipd/ingest/kafka"
)

// TestMarks: a log whose start or end goes back is told, against what state knew at
// first and against what came last; one that goes forth is not.
func TestMarks(t *testing.T) {
	var told []string
	c := &Consumer{
		Nameless: func() { told = append(told, "nameless") },
		WentBack: func(partition int, was, is kafka.Bounds) { told = append(told, fmt.Sprint(partition, was, is)) },
	}
	w := NewWorker(event.Decoder{Schema: schema}, &notebook{}, nil, nil)
	s := &session{consumer: c, workers: map[int]*Worker{3: w}, marks: map[int]kafka.Bounds{3: {Start: 5, End: 20}}}
	for _, b := range []kafka.Bounds{{Start: 5, End: 20}, {Start: 6, End: 19}, {Start: 6, End: 22}, {Start: 4, End: 23}, {Start: -1, End: 24}} {
		s.Deliver(kafka.Batch{Partition: 3, LogStart: b.Start, HighWatermark: b.End})
		<-w.queue
	}
	if got, want := fmt.Sprint(told), "[nameless 3 {5 20} {6 19} 3 {6 22} {4 23}]"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}
