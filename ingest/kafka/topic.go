package kafka

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A TopicID tells a topic from an earlier one of the same name. The zero value is
// unknown: brokers before Kafka 2.8 tell none.
type TopicID [16]byte

// String is the id as Kafka's own tools print it.
func (id TopicID) String() string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// Known tells whether there is an id.
func (id TopicID) Known() bool { return id != TopicID{} }

// A Log is which topic a partition belongs to. The zero value is unknown.
type Log struct {
	Topic      TopicID
	Partitions int // of the topic; 0: not known
}

// differs says why records of now are not the continuation of those of l, or nil.
func (l Log) differs(now Log, topic string, partition int) Stopped {
	switch {
	case l.Topic.Known() && now.Topic.Known() && l.Topic != now.Topic, 0 < now.Partitions && now.Partitions < l.Partitions:
		return &RecreatedError{Topic: topic, Partition: partition, Was: l, Is: now}
	case l.Partitions > 0 && now.Partitions > l.Partitions:
		return &GrownError{Topic: topic, Partition: partition, Was: l.Partitions, Is: now.Partitions}
	}
	return nil
}

// learn adds what is known now.
func (l Log) learn(now Log) Log {
	if now.Topic.Known() {
		l.Topic = now.Topic
	}
	if now.Partitions > 0 {
		l.Partitions = now.Partitions
	}
	return l
}

// identify asks a broker, not what the transport remembers, which topic has the
// configured name.
func (c *Client) identify(ctx context.Context) (Log, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	topic := c.config.Topic
	m, err := c.transport(topic).RoundTrip(ctx, c.addr, &identityRequest{topic: topic})
	if err != nil {
		return Log{}, fmt.Errorf("ask %s which topic %q is: %w", c.addr, topic, c.advised(err))
	}
	answer, ok := m.(*identityResponse)
	if !ok || len(answer.topics) != 1 {
		return Log{}, fmt.Errorf("ask %s which topic %q is: the answer does not name it", c.addr, topic)
	}
	about := answer.topics[0]
	switch code := kafka.Error(about.ErrorCode); code {
	case 0, kafka.LeaderNotAvailable:
		return Log{Topic: about.TopicID, Partitions: len(about.Partitions)}, nil
	case kafka.UnknownTopicOrPartition:
		return Log{}, fmt.Errorf("topic %q: %w; create it or correct its name", topic, ErrUnknownTopic)
	default:
		return Log{}, fmt.Errorf("topic %q: %w", topic, advised(code))
	}
}

// identityRequest is Metadata in a version that kafka-go does not know, and before
// it, over the same connection, the question for the versions of the broker.
type identityRequest struct{ topic string }

type identityResponse struct {
	topics []kmsg.MetadataResponseTopic
}

// Metadata v10 is the first with topic ids, v4 the first that creates no topic.
const leastMetadata, mostMetadata = 4, 12

func (*identityRequest) ApiKey() protocol.ApiKey  { return protocol.Metadata }
func (*identityResponse) ApiKey() protocol.ApiKey { return protocol.Metadata }

func (*identityRequest) Required(map[protocol.ApiKey]int16) bool { return true }

func (r *identityRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	var body bytes.Buffer
	versions, spoken := kmsg.NewApiVersionsRequest(), kmsg.NewApiVersionsResponse()
	if err := exchange(rw, &versions, &body); err != nil {
		return nil, err
	}
	if err := spoken.ReadFrom(body.Bytes()); err != nil {
		return nil, fmt.Errorf("%d bytes of api versions: %w", body.Len(), err)
	}
	version := int16(-1)
	for _, api := range spoken.ApiKeys {
		if api.ApiKey == int16(kmsg.Metadata) && api.MinVersion <= mostMetadata {
			version = min(api.MaxVersion, mostMetadata)
		}
	}
	if version < leastMetadata {
		return nil, fmt.Errorf("the broker speaks metadata up to version %d, blipd from %d on: it needs kafka 0.11 or later", version, leastMetadata)
	}
	about := kmsg.NewMetadataRequestTopic()
	about.Topic = &r.topic
	request := kmsg.NewMetadataRequest()
	request.SetVersion(version)
	request.Topics = append(request.Topics, about)
	body.Reset()
	if err := exchange(rw, &request, &body); err != nil {
		return nil, err
	}
	answer := kmsg.NewMetadataResponse()
	answer.SetVersion(version)
	if err := answer.ReadFrom(body.Bytes()); err != nil {
		return nil, fmt.Errorf("%d bytes of metadata v%d: %w", body.Len(), version, err)
	}
	return &identityResponse{topics: answer.Topics}, nil
}
