package daemon

import (
	"context"
	"errors"
	"time"

	"blipd/ingest/kafka"
	"blipd/state"
)

const (
	relayLetters = 100                    // sent at once
	relayEvery   = 200 * time.Millisecond // looked at while there is nothing
	relayPause   = 250 * time.Millisecond // after the first failure, doubled up to
	relayLongest = 30 * time.Second
)

// relay sends what the outboxes hold, in their order, until ctx ends. A letter
// that cannot be delivered now is tried again, with growing pauses; its
// partition is no longer fed once its outbox is full.
func (d *Daemon) relay(ctx context.Context) error {
	pause := relayPause
	for {
		if d.space.short() { // what is sent is taken out of state, which is a write
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(relayEvery):
			}
			continue
		}
		sent, err := d.relayOnce(ctx)
		var wait time.Duration
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errOutbox):
			return err
		case err != nil:
			wait, pause = pause, min(2*pause, relayLongest)
		case sent == 0:
			wait = relayEvery
		}
		d.letters(err)
		if err == nil {
			pause = relayPause
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// errOutbox marks a failure of our own disk, which nothing mends.
var errOutbox = errors.New("the outbox cannot be read or written")

// relayOnce sends a part of each outbox.
func (d *Daemon) relayOnce(ctx context.Context) (sent int, err error) {
	d.house.RLock()
	defer d.house.RUnlock()
	d.loops.send.begin()
	defer d.loops.send.end()
	topic := d.config.Load().Outputs.DeadLetters
	if topic == "" {
		return 0, nil // what is in the outbox waits until there is one again
	}
	for _, p := range d.intake.owned() {
		letters, err := p.Outbox(relayLetters)
		if err != nil {
			return sent, errors.Join(errOutbox, err)
		}
		if len(letters) == 0 {
			continue
		}
		err = d.client.Produce(ctx, topic, messagesOf(letters))
		if refused := (*kafka.RefusedError)(nil); errors.As(err, &refused) {
			for _, r := range refused.Refused {
				d.dropped.Add(1)
				d.log.Error("dead letter dropped: the broker refuses it", "topic", topic,
					"partition", p.Stats().Partition, "sequence", letters[r.Index].Sequence, "err", r.Err)
			}
			err = nil
		}
		if err != nil {
			return sent, err
		}
		if err := p.Delivered(letters); err != nil {
			return sent, errors.Join(errOutbox, err)
		}
		d.client.Wake()
		sent += len(letters)
	}
	return sent, nil
}

// letters notes whether dead letters can be sent; one log line a change.
func (d *Daemon) letters(err error) {
	d.intake.mu.Lock()
	was := d.intake.blocked
	d.intake.blocked = err
	d.intake.mu.Unlock()
	switch {
	case err != nil && was == nil:
		d.log.Warn("dead letters cannot be sent, trying again", "topic", d.config.Load().Outputs.DeadLetters, "err", err)
	case err == nil && was != nil:
		d.log.Info("dead letters are sent again", "topic", d.config.Load().Outputs.DeadLetters)
	}
}

func messagesOf(letters []state.Letter) []kafka.Message {
	messages := make([]kafka.Message, len(letters))
	for i, l := range letters {
		messages[i] = kafka.Message{Key: l.Key, Value: l.Value}
		for _, h := range l.Headers {
			messages[i].Headers = append(messages[i].Headers, kafka.Header(h))
		}
	}
	return messages
}
