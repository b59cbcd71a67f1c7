package kafka

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
)

// TestVersions pins the libraries whose insides the fetch relies on: after an
// upgrade read protocol.Register, Transport.RoundTrip and ProcessFetchPartition
// again, then change the versions here.
func TestVersions(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for module, version := range map[string]string{
		"github.com/segmentio/kafka-go": "v0.4.51",
		"github.com/twmb/franz-go":      "v1.22.3",
	} {
		line := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` (\S+)`)
		found := line.FindSubmatch(mod)
		if found == nil || string(found[1]) != version {
			t.Errorf("go.mod: %s is at %q, the fetch was checked with %s", module, found, version)
		}
	}
}

// TestHook sends a fetch through kafka-go and gets our raw answer back.
func TestHook(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 3)...)
	c := client(t, broker)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()

	log, err := c.identify(ctx)
	for ; errors.Is(err, kafkago.BrokerNotAvailable); log, err = c.identify(ctx) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	request := c.request(0, []want{{partition: 0, from: 0, topic: log.Topic}}, 0)
	transport := c.transport(topic)
	m, err := transport.RoundTrip(ctx, c.addr, request)
	for ; errors.Is(err, kafkago.BrokerNotAvailable); m, err = transport.RoundTrip(ctx, c.addr, request) {
		time.Sleep(time.Millisecond) // the transport knows no brokers before it has asked for them
	}
	if err != nil {
		t.Fatal(err)
	}
	response, ok := m.(*fetchResponse)
	if !ok {
		t.Fatalf("answer is %T", m)
	}
	defer response.release()
	if request.version != fetchByID {
		t.Errorf("fetch went out as v%d", request.version)
	}
	answer, err := response.parse(request.version)
	if err != nil {
		t.Fatal(err)
	}
	partition := answer.Topics[0].Partitions[0]
	if partition.HighWatermark != 3 || len(partition.RecordBatches) < headerSize {
		t.Errorf("high watermark %d, %d bytes of batches", partition.HighWatermark, len(partition.RecordBatches))
	}
}
