package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"blipd/web"
)

// backfill is how far the partitions of this process are from the end of the
// log. Once level, they count as level until there are others.
type backfill struct {
	mu         sync.Mutex // guards all below
	track      track
	partitions []int // that the track is of
	known      bool  // how far they are behind
	level      bool  // they have been level
}

// endsEvery is how often the end of the log is asked for where intake is held up:
// what is not fetched tells none.
const endsEvery = 5 * time.Second

// askEnds asks for it until ctx ends.
func (d *Daemon) askEnds(ctx context.Context) error {
	tick := time.NewTicker(endsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var held []int
		for _, p := range d.intake.owned() {
			if number := p.Stats().Partition; d.held(number) {
				held = append(held, number)
			}
		}
		if len(held) == 0 {
			continue
		}
		bounds, err := d.client.Bounds(ctx, held)
		if err != nil {
			continue // readiness says that brokers cannot be reached
		}
		for number, b := range bounds {
			if w := d.intake.worker(number); w != nil {
				w.EndsAt(b.End)
			}
		}
	}
}

// lookBack takes a sample.
func (d *Daemon) lookBack(now time.Time) {
	s, partitions, known := d.intake.behind()
	s.at = now
	b := &d.backfill
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(partitions, b.partitions) {
		b.track, b.partitions, b.known, b.level = track{}, partitions, false, false
	}
	if !known {
		return // between two generations, or before the first answer
	}
	b.known = true
	b.track.see(s)
	if b.track.level() && !b.level {
		b.level = true
		d.log.Info("level with the end of the log", "topic", d.config.Load().Kafka.Topic, "records", s.done, "behind", s.behind)
	}
}

// behind is what the partitions have counted and how much of the log they have
// not, as far as that is known. A partition that has stopped is not waited for.
func (i *intake) behind() (s sample, partitions []int, known bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	known = len(i.partitions) > 0
	for _, number := range slices.Sorted(maps.Keys(i.partitions)) {
		partitions = append(partitions, number)
		s.done += i.partitions[number].Stats().Records
		if i.failed[number].reason != "" {
			continue
		}
		w := i.workers[number]
		if w == nil || !w.Heard() {
			known = false
			continue
		}
		s.behind += w.Lag()
	}
	return s, partitions, known
}

// progress is what is known of it; nil while that is nothing.
func (b *backfill) progress(topic string) (p *web.Progress, level bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known {
		return nil, b.level
	}
	now := b.track.progress(topic)
	return &now, b.level
}

// behindNow tells whether reading lags more than it does when all is well.
func (b *backfill) behindNow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known && !b.track.level()
}

// catchingUp is in words how far a backfill has come.
func catchingUp(p *web.Progress) string {
	words := fmt.Sprintf("catching up: %d records behind, %d counted, %.0f a second", p.Behind, p.Done, p.Rate)
	if p.Left != nil {
		return fmt.Sprintf("%s, level in about %s at %s", words, time.Duration(*p.Left)*time.Second, p.End.Format(time.RFC3339))
	}
	return words + ", coming no nearer to the end yet"
}
