package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"blipd/event"
	"blipd/ingest"
	"blipd/ingest/kafka"
	"blipd/state"
	"blipd/web"
)

// rebuild is a state that is made from the log's first offset beside the one in
// use. It follows that one, never ahead of it, so that at the switch both stand
// at the same offsets and dead letters are the matter of the one in use alone.
type rebuild struct {
	config   *Config // in effect when it began; its definitions do not change meanwhile
	numbers  []int   // of partitions
	store    *state.Store
	client   *kafka.Client
	consumer ingest.Consumer
	starts   map[int]int64     // first offsets of the logs
	lost     string            // which of them are not 0, in words
	logs     map[int]event.Log // that the state in use is of
	past     map[string]int64  // epochs before
	where    func(int) int64   // the next offset of the state in use
	yields   func() bool       // the state in use needs the machine
	ctx      context.Context   // ends when it is to end
	stop     context.CancelCauseFunc
	turn     sync.Mutex // held by the one batch under way: no more than one core works at it

	mu        sync.Mutex // guards all below
	followers map[int]*follower
	standing  bool // the state in use stands still: what is fetched beyond it is not taken
	shown     web.Rebuild
	track     track
}

// errAsked ends a rebuild that is not wanted any more.
var errAsked = errors.New("it was asked to end")

// refusal is why a rebuild does not begin.
func refusal(kind, format string, args ...any) error {
	return &web.Problem{Type: kind, Status: http.StatusConflict, Detail: fmt.Sprintf(format, args...)}
}

// Rebuild begins to make the state anew, from the first offset of the log that
// there is, and to put it in the place of the one in use when it is level. A log
// that no longer has what was counted is refused, unless partial allows it. An
// error that is a *web.Problem says why nothing was begun.
func (d *Daemon) Rebuild(ctx context.Context, partial bool) (*web.Rebuild, error) {
	d.reloads.one.Lock() // the configuration is not changed meanwhile
	defer d.reloads.one.Unlock()
	d.house.RLock() // nor is anything closed
	defer d.house.RUnlock()
	if d.closed {
		return nil, errEnding
	}
	if d.rebuilds.underWay() != nil {
		return nil, refusal("rebuild-under-way", "a rebuild is under way: wait for it, or end it with DELETE /api/v1/rebuild")
	}
	r, err := d.newRebuild(ctx, partial)
	if err != nil {
		return nil, err
	}
	d.rebuilds.begin(r)
	d.log.Info("rebuild begun: the state is made anew from the log's start beside the one in use", "topic", r.config.Kafka.Topic, "partitions", r.numbers)
	return d.rebuilds.last(), nil
}

// newRebuild opens what a rebuild needs.
func (d *Daemon) newRebuild(ctx context.Context, partial bool) (_ *rebuild, err error) {
	cfg := *d.config.Load()
	r := &rebuild{config: &cfg, where: d.intake.next, yields: d.busy, followers: map[int]*follower{}, starts: map[int]int64{}}
	r.ctx, r.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := d.survey(ctx, r); err != nil {
		return nil, err
	}
	bounds, err := d.client.Bounds(ctx, r.numbers)
	if err != nil {
		return nil, refusal("no-bounds", "the log's first offsets cannot be asked for: %v", err)
	}
	if r.lost = cutOff(bounds); r.lost != "" && !partial {
		return nil, refusal("partial-log", "the log no longer begins at offset 0 (%s): what was counted before would be missing from the rebuilt state; "+
			"if that is what you want, ask with {\"partial\": true}: the state in use is kept as it is in a directory of its own", r.lost)
	}
	for number, b := range bounds {
		r.starts[number] = b.Start
	}
	r.shown = web.Rebuild{Phase: web.Rebuilding, Began: time.Now().UTC().Truncate(time.Second)}
	mine := cfg.Kafka
	mine.Group, mine.Partitions, mine.Changed = "", r.numbers, nil
	if r.client, err = kafka.New(mine); err != nil {
		return nil, err
	}
	kept := cfg.State
	kept.Memory /= 4 // beside the one in use
	if r.store, err = state.Shadow(kept, cfg.Kafka.Topic); err != nil {
		return nil, errors.Join(refusal("no-room", "%v", err), r.client.Close())
	}
	r.consumer = ingest.Consumer{
		Client: r.client, Schema: cfg.Schema(), Manual: true, Open: r.open,
		Began: func(map[int]*ingest.Worker) {}, Ended: func() {}, Nameless: func() {}, WentBack: func(int, kafka.Bounds, kafka.Bounds) {},
		Held: func(int) bool { return false }, Paused: d.space.short, BeganLate: func(int, int64) {},
		Failed: func(_ int, err kafka.Stopped) { r.stop(err) },
	}
	return r, nil
}

// survey notes what there is to be made anew.
func (d *Daemon) survey(ctx context.Context, r *rebuild) error {
	refuse := func(format string, args ...any) error {
		return refusal("not-yet", format+": a rebuild needs all partitions of this process at work", args...)
	}
	r.logs, r.past = map[int]event.Log{}, map[string]int64{}
	owned := d.intake.owned()
	if len(owned) == 0 {
		return refuse("no partitions are assigned")
	}
	for _, p := range owned {
		number := p.Stats().Partition
		if reason := d.intake.stopReason(number); reason != "" {
			return refuse("partition %d has stopped (%s)", number, reason)
		}
		if p.Stats().Next < 0 {
			return refuse("partition %d: nothing was fetched yet", number)
		}
		if !d.between(ctx, p, func() { r.logs[number] = p.Log() }) {
			return refuse("partition %d is not at work", number)
		}
		r.numbers = append(r.numbers, number)
		for name, epoch := range p.Epochs() {
			r.past[name] = max(r.past[name], epoch)
		}
	}
	return nil
}

// busy tells whether the state in use needs all there is: it is behind the log, or
// held up, be it for the disk.
func (d *Daemon) busy() bool {
	return d.backfill.behindNow() || slices.ContainsFunc(d.intake.owned(), func(p *state.Partition) bool { return d.held(p.Stats().Partition) })
}

// cutOff names the partitions whose logs do not begin at offset 0.
func cutOff(bounds map[int]kafka.Bounds) string {
	var lost []string
	for _, number := range slices.Sorted(maps.Keys(bounds)) {
		if b := bounds[number]; b.Start > 0 {
			lost = append(lost, fmt.Sprintf("partition %d begins at %d", number, b.Start))
		}
	}
	return strings.Join(lost, ", ")
}
