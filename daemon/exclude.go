package daemon

import (
	"context"
	"errors"
	"fmt"

	"blipd/event"
	"blipd/ingest/kafka"
)

// Exclude asks, in the log, that trajectories be taken out of every sum and erased:
// state stays a function of the log. Which partition has one is for its producer to
// know, so all of them are told.
func Exclude(ctx context.Context, cfg *Config, ids []string, reason string) (err error) {
	decoder := event.Decoder{Schema: cfg.Schema()}
	messages := make([]kafka.Message, len(ids))
	for i, id := range ids {
		e := event.Event{Type: event.TypeExclude, Trajectory: id, Exclude: &event.Exclude{Reason: reason}}
		messages[i] = kafka.Message{Key: []byte(id), Value: event.AppendJSON(nil, &e)}
		if _, fault := decoder.Decode(event.Record{Key: messages[i].Key, Value: messages[i].Value}); fault != nil {
			return fmt.Errorf("exclude trajectory %q: %w", id, fault)
		}
	}
	client, err := kafka.New(cfg.Kafka)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if err := client.ProduceToAll(ctx, cfg.Kafka.Topic, messages); err != nil {
		return fmt.Errorf("exclude %d trajectories: %w", len(ids), err)
	}
	return nil
}
