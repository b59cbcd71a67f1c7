package daemon

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"blipd/ingest"
	"blipd/ingest/kafka"
	"blipd/state"
)

// intake is what the daemon knows of its partitions. Partitions stay open from
// one generation of the group to the next.
type intake struct {
	mu         sync.Mutex // guards all below
	partitions map[int]*state.Partition
	restored   map[int]*state.Partition // at the start, and not yet asked for
	origin     *state.Origin            // state began because another was damaged; nil: it did not
	workers    map[int]*ingest.Worker   // of the generation at work
	failed     map[int]stopped          // partitions that have stopped for good
	joined     bool                     // a generation is at work
	changing   string                   // what intake waits for while it is stopped; "": it is not
	trouble    error                    // why brokers cannot be reached; nil: they can
	blocked    error                    // why dead letters cannot be sent; nil: they can
}

func (i *intake) init() {
	i.partitions, i.restored, i.failed = map[int]*state.Partition{}, map[int]*state.Partition{}, map[int]stopped{}
}

// owned lists the open partitions in order.
func (i *intake) owned() []*state.Partition {
	i.mu.Lock()
	defer i.mu.Unlock()
	var all []*state.Partition
	for _, number := range slices.Sorted(maps.Keys(i.partitions)) {
		all = append(all, i.partitions[number])
	}
	return all
}

// partition is an open partition, or nil.
func (i *intake) partition(number int) *state.Partition {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.partitions[number]
}

// worker is the worker of a partition, nil when none is at work.
func (i *intake) worker(number int) *ingest.Worker {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.workers[number]
}

// stopReason is why a partition is not read any more; "" while it is.
func (i *intake) stopReason(number int) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.failed[number].reason
}

// next is the first offset of a partition that is not counted; -1 without one.
func (i *intake) next(number int) int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p := i.partitions[number]; p != nil {
		return p.Stats().Next
	}
	return state.Unknown
}

func (i *intake) began(workers map[int]*ingest.Worker) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.workers, i.joined = workers, true
	clear(i.failed)
}

// waits says what intake waits for while it is stopped; "" that it goes on.
func (i *intake) waits(why string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changing = why
}

// forget closes the partitions that nobody has asked for since the start.
func (i *intake) forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range i.restored {
		p.Close()
	}
	clear(i.restored)
}

func (i *intake) ended() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.workers, i.joined = nil, false
}

// open opens the state of a partition once. That can take long, and whoever asks how
// the daemon is does not wait for it; nobody else opens meanwhile.
func (d *Daemon) open(number int) (ingest.Partition, error) {
	i := &d.intake
	i.mu.Lock()
	p, restored := i.partitions[number], i.restored[number]
	delete(i.restored, number)
	i.mu.Unlock()
	if p != nil {
		return p, nil
	}
	if p = restored; p == nil {
		var err error
		if p, err = d.restore(number, d.config.Load()); err != nil {
			return nil, err
		}
	}
	d.opened(p)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.partitions[number] = p
	return p, nil
}

// opened says where a partition goes on.
func (d *Daemon) opened(p *state.Partition) {
	from := "offset " + fmt.Sprint(p.Next())
	if p.Next() == state.Unknown {
		from = "the log's start: there is no state of it yet"
	}
	d.log.Info("partition opened", "topic", d.config.Load().Kafka.Topic, "partition", p.Stats().Partition, "from", from, "open", p.Stats().Open)
}

// outboxLimit is how many letters may wait before their partition is no longer
// fed: a dead-letter topic that cannot be reached must not fill the disk.
const outboxLimit = 1000

// held tells whether a partition should not be fed for now.
func (d *Daemon) held(number int) bool {
	p := d.intake.partition(number)
	return p != nil && p.Waiting() >= outboxLimit || d.space.short()
}

// reachable is told when brokers can no longer be reached, and when again.
func (d *Daemon) reachable(err error) {
	if err != nil {
		d.log.Warn("kafka unreachable, trying again", "topic", d.config.Load().Kafka.Topic, "err", err)
	} else {
		d.log.Info("kafka reachable again", "topic", d.config.Load().Kafka.Topic)
	}
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	d.intake.trouble = err
}

// Reasons for which intake is held up, beside those for which a partition stops.
const (
	pausedOutbox    = "outbox" // dead letters wait to be sent
	pausedUnreached = "kafka"  // brokers cannot be reached
	pausedDisk      = "disk"   // the disk of state is nearly full
)

// paused says which reasons hold intake up.
func (d *Daemon) paused() map[string]bool {
	paused := map[string]bool{pausedOutbox: false, pausedUnreached: false, pausedDisk: d.space.short()}
	for _, reason := range kafka.Reasons() {
		paused[reason] = false
	}
	for _, p := range d.intake.owned() {
		if p.Waiting() >= outboxLimit {
			paused[pausedOutbox] = true
		}
	}
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	paused[pausedUnreached] = d.intake.trouble != nil
	for _, s := range d.intake.failed {
		paused[s.reason] = true
	}
	return paused
}
