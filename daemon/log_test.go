package daemon_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// recreate deletes the topic and makes it anew.
func (w *world) recreate(partitions int32) {
	w.t.Helper()
	if err := w.cluster.DeleteTopic("events"); err != nil {
		w.t.Fatal(err)
	}
	if err := w.cluster.CreateTopic("events", partitions, nil); err != nil {
		w.t.Fatal(err)
	}
}

// stopped waits until a partition has stopped and holds that it is said in every
// place: readiness, metrics, page.
func (r *running) stopped(partition int, reason string, words ...string) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("partition %d stopped: %s", partition, reason), func() bool {
		all := r.Live().Partitions
		return len(all) > partition && all[partition].Stopped == reason
	})
	status, body := r.get("/-/ready")
	if status != http.StatusServiceUnavailable {
		r.t.Errorf("ready: %d %s", status, body)
	}
	words = append(words, fmt.Sprintf("partition %d has stopped", partition), "move the directory")
	for _, word := range words {
		if !strings.Contains(body, word) {
			r.t.Errorf("readiness does not say %q: %s", word, body)
		}
	}
	_, metrics := r.get("/metrics")
	for _, line := range []string{
		fmt.Sprintf(`blipd_partition_stopped{partition="%d",reason="%s",topic="events"} 1`, partition, reason),
		fmt.Sprintf(`blipd_intake_paused{reason="%s"} 1`, reason),
	} {
		if !strings.Contains(metrics, line) {
			r.t.Errorf("no %s in the metrics", line)
		}
	}
	if _, page := r.get("/"); !strings.Contains(page, fmt.Sprintf("partition %d has stopped", partition)) {
		r.t.Error("the page does not say it")
	}
}

// A topic of the same name with more records than were read is
// not read on, neither by the daemon that was at work nor by one that comes later;
// what was counted stays.
func reportKafkaGo891(t *testing.T) {
	w := newWorld(t, 1)
	log := events(40, 1)
	w.produce(log...)
	cfg := w.config(t.TempDir(), "group: g")
	d := start(t, cfg)
	d.read(int64(len(log)))
	w.recreate(1)
	w.produce(append(events(40, 2), events(40, 3)...)...)
	d.stopped(0, "recreated", "deleted and created again", "none of the new one is read")
	d.end()

	d = start(t, cfg)
	d.stopped(0, "recreated")
	if n := d.records(); n != int64(len(log)) {
		t.Errorf("%d records were read, want %d", n, len(log))
	}
	d.end()

	fresh := start(t, w.config(t.TempDir(), "group: g")) // what the words advise
	fresh.read(int64(len(log)))
	fresh.end()
}

// State is of a number of partitions. When there are more, none is
// read on, and the new ones are not begun: they hold the rest of trajectories.
func reportKafkaGo646(t *testing.T) {
	w := newWorld(t, 2)
	log := events(40, 1)
	w.produce(log...)
	cfg := w.config(t.TempDir(), "group: g")
	d := start(t, cfg)
	d.read(int64(len(log)))
	d.end()

	w.grow(3)
	w.produce(events(40, 2)...)
	d = start(t, cfg)
	for partition := range 3 {
		d.stopped(partition, "grown", "grown from 2 to 3 partitions")
	}
	if n := d.records(); n != int64(len(log)) {
		t.Errorf("%d records were read, want %d", n, len(log))
	}
	d.end()
}

func (w *world) grow(count int32) {
	w.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(w.broker))
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	request := kmsg.NewPtrCreatePartitionsRequest()
	about := kmsg.NewCreatePartitionsRequestTopic()
	about.Topic, about.Count = "events", count
	request.Topics = append(request.Topics, about)
	if answer, err := request.RequestWith(w.t.Context(), client); err != nil || answer.Topics[0].ErrorCode != 0 {
		w.t.Fatalf("grow to %d partitions: %v, %+v", count, err, answer)
	}
}

// TestNoTopicIDs: brokers that know none are read, and it is said.
func TestNoTopicIDs(t *testing.T) {
	w := newWorld(t, 1, kfake.MaxVersions(kversion.V2_7_0()))
	log := events(20, 1)
	w.produce(log...)
	d := start(t, w.config(t.TempDir(), "group: g"))
	d.read(int64(len(log)))
	if _, metrics := d.get("/metrics"); !strings.Contains(metrics, `blipd_topic_id_known{topic="events"} 0`) {
		t.Error("the metrics do not say that topic ids are not known")
	}
	d.end()
}
