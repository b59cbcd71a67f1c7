package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/ingest/kafka"
	"blipd/state"
)

// TestRun follows one daemon from an empty log over a restart: what it says
// equals what the same events say as a file.
func TestRun(t *testing.T) {
	w := newWorld(t, 1)
	log := events(300, 1)
	cfg := w.config(t.TempDir(), "group: g")
	d := start(t, cfg)
	eventually(t, "ready with an empty log", func() bool { status, _ := d.get("/-/ready"); return status == http.StatusOK })

	half := len(log) / 2
	w.produce(log[:half]...)
	d.read(int64(half))
	d.end()

	w.produce(log[half:]...) // while it is away
	d = start(t, cfg)
	d.read(int64(len(log)))
	var got estimators.Report
	eventually(t, "a refit of everything", func() bool {
		r := d.Report("x", estimators.Closed)
		return r != nil && r.Trajectories == 300
	})
	d.getJSON("/api/v1/effects?experiment=x", &got)
	want := fromFile(t, &cfg, log)
	compareReports(t, &got, want)
	var gains []estimators.Estimate // of a policy that was never registered
	d.getJSON("/api/v1/policies/value?experiment=x&intervene=refund&intervene=lookup_order=0.5", &gains)
	if len(gains) != 1 || gains[0].Policy != "lookup_order=0.5, refund=1" || gains[0].Status != estimators.OK {
		t.Errorf("gains %+v", gains)
	}
	var between []estimators.Estimate // two groups that nobody asked to compare before
	d.getJSON("/api/v1/contrast?experiment=x&of=tool=refund&to=rest+of+all", &between)
	if len(between) != 2 || between[0].Of != "tool=refund" || between[0].Status != estimators.OK || between[1].Continuation != estimators.NoTreatmentContinuation {
		t.Errorf("contrasts %+v", between)
	}
	for _, check := range got.Health {
		if !check.OK {
			t.Errorf("health: %+v", check)
		}
	}
	if status, body := d.get("/metrics"); status != http.StatusOK || !strings.Contains(body, `blipd_records_total{topic="events"} `+fmt.Sprint(len(log))) {
		t.Errorf("metrics: %d, without the number of records %d", status, len(log))
	}
	for _, path := range []string{"/", "/-/healthy", "/-/ready", "/api/v1/effects"} {
		if status, body := d.get(path); status != http.StatusOK {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	d.end()
}

func fromFile(t *testing.T, cfg *daemon.Config, log []kafka.Message) *estimators.Report {
	t.Helper()
	var lines [][]byte
	for _, m := range log {
		lines = append(lines, m.Value)
	}
	reports, err := daemon.Estimate(context.Background(), cfg, []string{"-"}, bytes.NewReader(bytes.Join(lines, []byte("\n"))), nil)
	if err != nil {
		t.Fatal(err)
	}
	return reports[0]
}

// TestOwnStateIsTheTruth: a daemon goes on where its state says, whatever the
// group has committed; without state it begins at the log's start.
func TestOwnStateIsTheTruth(t *testing.T) {
	w := newWorld(t, 2)
	log := events(60, 2)
	w.produce(log...)
	first := w.config(t.TempDir(), "group: g")
	d := start(t, first)
	d.read(int64(len(log)))
	d.end()

	other := start(t, w.config(t.TempDir(), "group: g")) // same group, no state
	other.read(int64(len(log)))
	other.end()

	again := start(t, first)
	eventually(t, "the log was heard of", func() bool { status, _ := again.get("/-/ready"); return status == http.StatusOK })
	if n := again.records(); n != int64(len(log)) {
		t.Errorf("%d records after a restart, want %d: none is counted twice", n, len(log))
	}
	again.end()
}

// TestDeadLetters: what is set aside reaches the dead-letter topic with its
// key, value, headers and the reason; the log goes on behind it.
func TestDeadLetters(t *testing.T) {
	w := newWorld(t, 1)
	poison := kafka.Message{Key: []byte("k"), Value: []byte(`{"type":"decision"`), Headers: []kafka.Header{{Key: "trace", Value: []byte("1")}}}
	log := append([]kafka.Message{poison, {Key: []byte("gone")}}, events(20, 3)...)
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.read(int64(len(log)))
	eventually(t, "an empty outbox", func() bool { return d.Live().Partitions[0].Outbox == 0 })
	d.end()

	letters := w.read("rejected")
	if len(letters) != 1 {
		t.Fatalf("%d dead letters, want 1", len(letters))
	}
	head := map[string]string{}
	for _, h := range letters[0].Headers {
		head[h.Key] = string(h.Value)
	}
	detail := head["blipd-detail"]
	delete(head, "blipd-detail")
	want := map[string]string{"trace": "1", "blipd-reason": "malformed", "blipd-topic": "events", "blipd-partition": "0", "blipd-offset": "0"}
	if diff := cmp.Diff(want, head); diff != "" || detail == "" || string(letters[0].Key) != "k" || string(letters[0].Value) != string(poison.Value) {
		t.Errorf("dead letter %q %q, detail %q, headers (-want +got):\n%s", letters[0].Key, letters[0].Value, detail, diff)
	}
}

// read reads all records of a topic with one partition.
func (w *world) read(topic string) []kafka.Record {
	w.t.Helper()
	client, err := kafka.New(kafka.Config{Brokers: []string{w.broker}, Topic: topic, Partitions: []int{0}, MaxWait: 50 * time.Millisecond})
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	all := &collector{stop: cancel}
	if err := client.Fetch(ctx, map[int]kafka.Start{0: {Offset: kafka.Earliest}}, all); err != nil {
		w.t.Fatal(err)
	}
	return all.records
}

type collector struct {
	records []kafka.Record
	stop    context.CancelFunc
}

func (c *collector) Ready(int) bool          { return true }
func (c *collector) Fail(int, kafka.Stopped) { c.stop() }
func (c *collector) Deliver(b kafka.Batch) {
	c.records = append(c.records, b.Records...)
	if b.Next >= b.HighWatermark {
		c.stop()
	}
}

// TestBelowLogStart: an offset that the log no longer has stops its partition
// loudly; nothing is skipped in silence, and the others go on.
func TestBelowLogStart(t *testing.T) {
	w := newWorld(t, 2)
	log := events(80, 4)
	w.produce(log...)
	cfg := w.config(t.TempDir(), "partitions: [0, 1]")
	d := start(t, cfg)
	d.read(int64(len(log)))
	d.end()

	w.produce(events(80, 5)...)
	end := w.cluster.PartitionInfo("events", 0).HighWatermark
	if err := w.cluster.DeleteRecords("events", 0, end); err != nil {
		t.Fatal(err)
	}
	d = start(t, cfg)
	eventually(t, "partition 0 has stopped", func() bool { return d.Live().Paused["offset"] })
	status, body := d.get("/-/ready")
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "partition 0 has stopped") {
		t.Errorf("ready: %d %s", status, body)
	}
	eventually(t, "partition 1 goes on", func() bool {
		p := d.Live().Partitions[1]
		return p.Lag == 0 && p.Next == w.cluster.PartitionInfo("events", 1).HighWatermark
	})
	d.end()
}

// TestSecondDaemon: a directory has one daemon at a time.
func TestSecondDaemon(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "group: g")
	d := start(t, cfg)
	if _, err := daemon.New(cfg, "test", nil); !errors.Is(err, state.ErrUnusable) || !strings.Contains(err.Error(), "another blipd runs") {
		t.Errorf("a second daemon on the directory: %v", err)
	}
	d.end()
}

// TestUnreachable: without a broker the daemon lives, says so, and goes on when
// one comes.
func TestUnreachable(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "group: g")
	cfg.Kafka.Brokers = []string{"127.0.0.1:1"} // nobody listens
	d := start(t, cfg)
	eventually(t, "not ready, for kafka", func() bool {
		status, body := d.get("/-/ready")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "kafka cannot be reached")
	})
	if status, _ := d.get("/-/healthy"); status != http.StatusOK {
		t.Errorf("healthy: %d", status)
	}
	begun := time.Now()
	d.end()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

// TestBlockedOutbox: dead letters that cannot be delivered hold their partition
// up, visibly and within bounds; once they can, all arrive and the log goes on.
func TestBlockedOutbox(t *testing.T) {
	w := newWorld(t, 1)
	if err := w.cluster.DeleteTopic("rejected"); err != nil {
		t.Fatal(err)
	}
	const poison = 3000
	good := events(20, 6)
	cfg := w.config(t.TempDir(), "group: g")
	cfg.Kafka.MaxBytes = 4096 // small batches: the limit is looked at between two of them
	for range poison / 100 {
		var batch []kafka.Message
		for range 100 {
			batch = append(batch, kafka.Message{Key: []byte("k"), Value: []byte("no event")})
		}
		w.produce(batch...)
	}
	w.produce(good...)
	d := start(t, cfg)
	eventually(t, "intake is held up", func() bool { return d.Live().Paused["outbox"] })
	eventually(t, "readiness says why", func() bool {
		_, body := d.get("/-/ready")
		return strings.Contains(body, "dead letters cannot be sent")
	})
	time.Sleep(300 * time.Millisecond)
	if n := d.records(); n >= poison {
		t.Errorf("%d records were read although their dead letters cannot be sent", n)
	}
	if err := w.cluster.CreateTopic("rejected", 1, nil); err != nil {
		t.Fatal(err)
	}
	d.read(poison + int64(len(good)))
	eventually(t, "an empty outbox", func() bool { return d.Live().Partitions[0].Outbox == 0 })
	d.end()
	if n := len(w.read("rejected")); n != poison {
		t.Errorf("%d dead letters, want %d", n, poison)
	}
}
