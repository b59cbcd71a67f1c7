package daemon_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
)

// TestReports tries on the whole daemon what broke other systems in public. Each
// name is the repository and number of the report. What is on the log's side of it
// is tried here or, with hand-made batches, in ingest/kafka, or, in fake time, in
// ingest.
func TestReports(t *testing.T) {
	for name, report := range map[string]func(*testing.T){
		"martin-helmich/prometheus-nginxlog-exporter/216":      reportNginxlogExporter216,
		"seglo/kafka-lag-exporter/25":                          reportLagExporter25,
		"open-telemetry/opentelemetry-collector-contrib/50569": reportOtel50569,
		"prometheus/client_golang/274":                         reportClientGolang274,
		"lovoo/goka/212":                                       reportGoka212,
		"apache/kafka/4473":                                    reportKafka4473,
		"confluentinc/librdkafka/1238":                         reportLibrdkafka1238,
		"segmentio/kafka-go/891":                               reportKafkaGo891,
		"IBM/sarama/2682":                                      reportSarama2682,
		"faust-streaming/faust/597":                            reportFaust597,
		"redpanda-data/connect/1478":                           reportConnect1478,
		"segmentio/kafka-go/659":                               reportKafkaGo659,
		"confluentinc/librdkafka/482":                          reportLibrdkafka482,
		"golang/go/24415":                                      reportGo24415,
		"influxdata/telegraf/7555":                             reportTelegraf7555,
		"tomnomnom/gron/121":                                   reportGron121,
		"dpkp/kafka-python/1033":                               reportKafkaPython1033,
		"redpanda-data/connect/1001":                           reportConnect1001,
		"open-telemetry/opentelemetry-collector-contrib/18075": reportOtel18075,
		"danielqsj/kafka_exporter/76":                          reportKafkaExporter76,
		"segmentio/kafka-go/646":                               reportKafkaGo646,
	} {
		t.Run(name, report)
	}
}

// counts waits until n trajectories are counted and holds what was set aside.
func (r *running) counts(n int64, rejected map[event.Reason]int64) {
	r.t.Helper()
	eventually(r.t, fmt.Sprint(n, " trajectories counted"), func() bool {
		report := r.Report("x", estimators.Closed)
		return report != nil && report.Trajectories == n
	})
	for _, p := range r.Live().Partitions {
		for _, reason := range event.Reasons() {
			if got := p.Rejected[reason]; got != rejected[reason] {
				r.t.Errorf("%d records rejected as %v, want %d", got, reason, rejected[reason])
			}
		}
	}
}

// producer is a client whose records go to partition 0 unless they have a key.
func (w *world) producer(options ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(w.broker), kgo.DefaultProduceTopic("events")}, options...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	return client
}

func (w *world) send(client *kgo.Client, messages []kafka.Message, at time.Time) {
	w.t.Helper()
	var records []*kgo.Record
	for _, m := range messages {
		records = append(records, &kgo.Record{Key: m.Key, Value: m.Value, Timestamp: at})
	}
	if err := client.ProduceSync(w.t.Context(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// Record times that are far off, microseconds for milliseconds, move nothing: time
// is that of the events.
func reportKafka4473(t *testing.T) {
	w := newWorld(t, 1)
	log := events(20, 1)
	w.send(w.producer(), log, time.UnixMilli(time.Now().UnixMicro()))
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, nil)
	if stream := d.Live().Partitions[0].Stream.Std(); stream.After(time.Now().AddDate(10, 0, 0)) {
		t.Errorf("stream time is %v", stream)
	}
	d.end()
}

// Event times in seconds are refused with a word on what to send, not read as 1970.
func reportLibrdkafka1238(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(kafka.Message{Key: []byte("t"), Value: []byte(`{"type":"outcome","trajectory_id":"t","time":1700000000,"outcomes":{"score":1}}`)})
	w.produce(events(20, 1)...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, map[event.Reason]int64{event.BadTime: 1})
	eventually(t, "the letter is sent", func() bool { return d.Live().Partitions[0].Outbox == 0 })
	d.end()
	said := ""
	for _, h := range w.read("rejected")[0].Headers {
		if h.Key == "blipd-detail" {
			said = string(h.Value)
		}
	}
	if !strings.Contains(said, "RFC 3339") {
		t.Errorf("the letter says %q", said)
	}
}

// Ids of digits beyond 2^53 are texts, each another one; as numbers they are refused.
func reportTelegraf7555(t *testing.T) {
	w := newWorld(t, 1)
	for _, id := range []string{"9007199254740992", "9007199254740993"} {
		w.produce(kafka.Message{Key: []byte(id), Value: fmt.Appendf(nil, `{"type":"outcome","trajectory_id":"%s","time":"2026-11-29T10:00:00Z","outcomes":{"score":1}}`, id)})
	}
	w.produce(kafka.Message{Key: []byte("9007199254740993"), Value: []byte(`{"type":"outcome","trajectory_id":9007199254740993,"time":"2026-11-29T10:00:00Z","outcomes":{"score":1}}`)})
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(2, map[event.Reason]int64{event.WrongType: 1})
	d.end()
}

// A consumer that was held up while its records were deleted stops its partition.
func reportSarama2682(t *testing.T) {
	w := newWorld(t, 1)
	if err := w.cluster.DeleteTopic("rejected"); err != nil {
		t.Fatal(err)
	}
	cfg := w.config(t.TempDir(), "group: g")
	cfg.Kafka.MaxBytes = 4096
	for range 30 {
		w.produce(slicesOf(100, kafka.Message{Key: []byte("k"), Value: []byte("no event")})...)
	}
	d := start(t, cfg)
	eventually(t, "intake is held up", func() bool { return d.Live().Paused["outbox"] })
	if err := w.cluster.DeleteRecords("events", 0, 2990); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.CreateTopic("rejected", 1, nil); err != nil {
		t.Fatal(err)
	}
	d.stopped(0, "offset", "the log starts at 2990", "were read")
	if lag := d.Live().Partitions[0].Lag; lag < 0 {
		t.Errorf("lag is %d", lag)
	}
	d.end()
}

func slicesOf(n int, m kafka.Message) []kafka.Message {
	all := make([]kafka.Message, n)
	for i := range all {
		all[i] = m
	}
	return all
}

// Partitions that were never written keep no one from being ready, also after a
// restart.
func reportFaust597(t *testing.T) {
	w := newWorld(t, 4)
	log := events(1, 1) // one key, one partition
	w.produce(log...)
	cfg := w.config(t.TempDir(), "group: g")
	for range 2 {
		d := start(t, cfg)
		d.read(int64(len(log)))
		eventually(t, "ready", func() bool { status, _ := d.get("/-/ready"); return status == 200 })
		for _, p := range d.Live().Partitions {
			if p.Next < 0 || p.Lag != 0 {
				t.Errorf("partition %d is at %d, lag %d", p.Partition, p.Next, p.Lag)
			}
		}
		d.end()
	}
}

// Lag is never negative, also when the log ends before what was read.
func reportKafkaExporter76(t *testing.T) {
	w := newWorld(t, 1)
	log := events(20, 1)
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.read(int64(len(log)))
	w.recreate(1)
	d.stopped(0, "recreated")
	if _, metrics := d.get("/metrics"); !strings.Contains(metrics, `blipd_input_lag_records{partition="0",topic="events"} 0`) {
		t.Error("the lag is not 0")
	}
	d.end()
}

// Headers of one name are all kept, in their order.
func reportConnect1478(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(kafka.Message{Key: []byte("k"), Value: []byte("{"), Headers: []kafka.Header{
		{Key: "event-id", Value: []byte("1")}, {Key: "event-id", Value: []byte("2")}, {Key: "event-id"}}})
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.read(1)
	eventually(t, "the letter is sent", func() bool { return d.Live().Partitions[0].Outbox == 0 })
	d.end()
	var ids []string
	for _, h := range w.read("rejected")[0].Headers {
		if h.Key == "event-id" {
			ids = append(ids, fmt.Sprintf("%q", h.Value))
		}
	}
	if got := strings.Join(ids, " "); got != `"1" "2" ""` {
		t.Errorf("event ids %s", got)
	}
}

// Markers of transactions are no tombstones, and what was aborted is not counted.
func reportKafkaGo659(t *testing.T) {
	w := newWorld(t, 1)
	producer := w.producer(kgo.TransactionalID("writer"))
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		log := events(10, uint64(i))
		for j := range log { // names of their own in each
			id := fmt.Appendf(nil, "%d-%s", i, log[j].Key)
			log[j].Value = bytes.ReplaceAll(log[j].Value, log[j].Key, id)
			log[j].Key = id
		}
		w.send(producer, log, time.Time{})
		if err := producer.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, nil)
	eventually(t, "the last marker is passed", func() bool { return d.Live().Partitions[0].Lag == 0 })
	d.end()
}

// A record larger than a fetch, and than an event may be, does not hold up those
// behind it.
func reportLibrdkafka482(t *testing.T) {
	w := newWorld(t, 1, kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000000"}))
	huge := kafka.Message{Key: []byte("k"), Value: bytes.Repeat([]byte("x"), 8<<20)}
	w.send(w.producer(kgo.ProducerBatchMaxBytes(16<<20), kgo.ProducerBatchCompression(kgo.NoCompression())), []kafka.Message{huge}, time.Time{})
	w.produce(events(20, 1)...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, map[event.Reason]int64{event.TooLarge: 1})
	d.end()
}

// Two members of one name are a fault, not a choice.
func reportGo24415(t *testing.T) {
	w := newWorld(t, 1)
	w.produce(kafka.Message{Key: []byte("t"), Value: []byte(`{"type":"decision","trajectory_id":"t","time":"2026-11-29T10:00:00Z","index":1,"action":{"tool":"a"},"action":{"tool":"b"}}`)})
	w.produce(events(20, 1)...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, map[event.Reason]int64{event.DuplicateMember: 1})
	d.end()
}

// A byte order mark before an event is passed over.
func reportGron121(t *testing.T) {
	w := newWorld(t, 1)
	log := events(20, 1)
	for i := range log {
		log[i].Value = append([]byte("\ufeff"), log[i].Value...)
	}
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(20, nil)
	d.end()
}

// Every codec is read; one that nobody knows is an error (TestCorruptBatches).
func reportKafkaPython1033(t *testing.T) {
	w := newWorld(t, 1)
	log := events(50, 1)
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	for i, codec := range codecs {
		part := log[len(log)*i/len(codecs) : len(log)*(i+1)/len(codecs)]
		w.send(w.producer(kgo.ProducerBatchCompression(codec)), part, time.Time{})
	}
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.counts(50, nil)
	d.end()
}

// A daemon that is told to stop in the midst of a log stops, and goes on there.
func reportConnect1001(t *testing.T) {
	w := newWorld(t, 1)
	log := events(300, 1)
	w.produce(log...)
	cfg := w.config(t.TempDir(), "group: g")
	cfg.Kafka.MaxBytes = 16 << 10
	d := start(t, cfg)
	d.read(1)
	begun := time.Now()
	d.end()
	if took := time.Since(begun); took > cfg.ShutdownTimeout {
		t.Errorf("stopping took %v", took)
	}
	d = start(t, cfg)
	d.counts(300, nil)
	if n := d.records(); n != int64(len(log)) {
		t.Errorf("%d records, want %d", n, len(log))
	}
	d.end()
}

// Records that cannot be decoded, between good ones, are passed once.
func reportOtel18075(t *testing.T) {
	w := newWorld(t, 1)
	log := events(20, 1)
	garbage := kafka.Message{Key: []byte("k"), Value: []byte{0xff, 0x00, '{'}}
	for i, m := range log {
		w.produce(m)
		if i%50 == 0 {
			w.produce(garbage)
		}
	}
	bad := int64((len(log) + 49) / 50)
	cfg := w.config(t.TempDir(), "group: g")
	for range 2 {
		d := start(t, cfg)
		d.counts(20, map[event.Reason]int64{event.Malformed: bad})
		if n := d.records(); n != int64(len(log))+bad {
			t.Errorf("%d records, want %d", n, int64(len(log))+bad)
		}
		d.end()
	}
}
