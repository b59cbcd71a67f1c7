package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/sasl"
)

// clientID is how the daemon names itself to brokers, for their logs and quotas.
const clientID = "blipd"

// requestTimeout bounds every request on top of what the broker may hold it for;
// a broker that is silent for longer counts as gone.
const requestTimeout = 30 * time.Second

// ErrUnknownTopic says that the cluster does not know a topic (yet).
var ErrUnknownTopic = errors.New("topic does not exist")

// A Client talks to one cluster. It dials when it is first used. It is safe for
// concurrent use, but one Fetch and one Join at a time.
type Client struct {
	config  Config
	pace    pace
	tls     *tls.Config
	sasl    sasl.Mechanism
	addr    net.Addr
	network *network
	health  *health
	wake    chan struct{}             // capacity 1: a Wake is remembered, two are one
	turn    atomic.Uint32             // spreads messages without a key over partitions
	moved   atomic.Pointer[time.Time] // when the loop of Fetch last went round; nil while there is no Fetch

	ctx  context.Context // of the transports; ends with Close
	stop context.CancelFunc

	mu         sync.Mutex // guards transports
	transports map[string]*kafka.Transport
}

// pace holds the durations that only tests change.
type pace struct {
	refresh   time.Duration // longest age of what is known about leaders
	heartbeat time.Duration // of a group member
	watch     time.Duration // between looks at the partition count
	pause     time.Duration // first pause after a failure
}

// New checks the configuration, every fault of it at once, and reads the TLS files.
// It dials nothing.
func New(config Config) (*Client, error) {
	config, err := config.validated()
	tlsConfig, tlsErr := config.TLS.load()
	mechanism, saslErr := config.SASL.mechanism()
	if err := errors.Join(err, tlsErr, saslErr); err != nil {
		return nil, fmt.Errorf("kafka configuration: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Client{
		config: config,
		pace: pace{
			refresh:   3 * time.Second,
			heartbeat: time.Second,
			watch:     5 * time.Second,
			pause:     250 * time.Millisecond,
		},
		tls:        tlsConfig,
		sasl:       mechanism,
		addr:       kafka.TCP(config.Brokers...),
		network:    config.network(tlsConfig),
		health:     &health{changed: config.Changed, troubles: map[string]error{}},
		wake:       make(chan struct{}, 1),
		ctx:        ctx,
		stop:       stop,
		transports: map[string]*kafka.Transport{},
	}, nil
}

// Close cuts every connection off. Call it when Fetch, Join and Produce are done;
// those still running fail.
func (c *Client) Close() error {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, transport := range c.transports {
		transport.CloseIdleConnections()
	}
	c.network.close()
	return nil
}

// transport returns the connections for one topic. Each topic has its own because
// a kafka-go transport asks for the metadata of a fixed list of topics, or of all
// that the cluster has.
func (c *Client) transport(topic string) *kafka.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	transport := c.transports[topic]
	if transport == nil {
		transport = &kafka.Transport{
			Dial:           c.network.dial,
			DialTimeout:    dialTimeout,
			MetadataTTL:    c.pace.refresh,
			MetadataTopics: []string{topic},
			ClientID:       clientID,
			SASL:           c.sasl,
			Context:        c.ctx,
		}
		c.transports[topic] = transport
	}
	return transport
}

// Partitions returns how many partitions the topic has; ErrUnknownTopic while it
// does not exist.
func (c *Client) Partitions(ctx context.Context) (int, error) {
	layout, err := c.layout(ctx, c.config.Topic)
	return layout.partitions, err
}

// layout is what the cluster says about one topic.
type layout struct {
	partitions int
	leaders    map[int]int32 // of the partitions that have one, by partition
}

// layout asks for the shape of a topic. The answer is up to pace.refresh old, and
// older while no broker answers: only a request to a leader shows that it is there.
func (c *Client) layout(ctx context.Context, topic string) (layout, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := c.transport(topic).RoundTrip(ctx, c.addr, &metadata.Request{TopicNames: []string{topic}})
	if err != nil {
		return layout{}, fmt.Errorf("ask %s for topic %q: %w", c.addr, topic, c.advised(err))
	}
	answer, ok := m.(*metadata.Response)
	if !ok || len(answer.Topics) != 1 {
		return layout{}, fmt.Errorf("ask %s for topic %q: the answer does not name it", c.addr, topic)
	}
	switch about := answer.Topics[0]; kafka.Error(about.ErrorCode) {
	case 0, kafka.LeaderNotAvailable:
		return shape(about, answer.Brokers), nil
	case kafka.UnknownTopicOrPartition:
		return layout{}, fmt.Errorf("topic %q: %w; create it or correct its name", topic, ErrUnknownTopic)
	default:
		return layout{}, fmt.Errorf("topic %q: %w", topic, advised(kafka.Error(about.ErrorCode)))
	}
}

func shape(topic metadata.ResponseTopic, brokers []metadata.ResponseBroker) layout {
	alive := make(map[int32]bool, len(brokers))
	for _, broker := range brokers {
		alive[broker.NodeID] = true
	}
	leaders := make(map[int]int32, len(topic.Partitions))
	for _, partition := range topic.Partitions {
		if alive[partition.LeaderID] {
			leaders[int(partition.PartitionIndex)] = partition.LeaderID
		}
	}
	return layout{partitions: len(topic.Partitions), leaders: leaders}
}

// await returns the partition count once the topic exists. It ends without one
// only when ctx does.
func (c *Client) await(ctx context.Context) (int, error) {
	const source = "topic"
	defer c.health.forget(source)
	var trouble backoff
	for {
		count, err := c.Partitions(ctx)
		if err == nil {
			c.health.clear(source)
			return count, nil
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		c.failed(source, &trouble, err)
		if !sleep(ctx, time.Until(trouble.until)) {
			return 0, ctx.Err()
		}
	}
}
