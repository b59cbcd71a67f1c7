package daemon_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"blipd/config"
	"blipd/daemon"
	"blipd/ingest/kafka"
)

// marker is in every text of every event: keys, ids, names, values.
const marker = "zqxmarker"

// marked are events that count, and every kind of fault that a record can have, each
// with the marker wherever a text may stand.
func marked() (messages []kafka.Message) {
	add := func(id, format string, args ...any) {
		messages = append(messages, kafka.Message{Key: []byte(id), Value: fmt.Appendf(nil, format, args...), Headers: []kafka.Header{{Key: marker, Value: []byte(marker)}}})
	}
	for i := range 60 {
		id := fmt.Sprintf("%s-%d", marker, i)
		decision := fmt.Sprintf(`{"type":"decision","trajectory_id":%q,"decision_id":%q,"index":1,"time":"2026-11-01T00:%02d:00Z","agent":{"name":%q,"version":%q},"action":{"tool":%q},"state":{"s":1,%q:%q},"assignment":{"arm":"review","probabilities":{"direct":0.5,"review":0.5}}}`,
			id, marker, i, marker, marker, marker, marker, marker)
		outcome := fmt.Sprintf(`{"type":"outcome","trajectory_id":%q,"time":"2026-11-01T00:%02d:30Z","outcomes":{"score":1}}`, id, i)
		add(id, "%s", decision)
		if i%3 > 0 {
			add(id, "%s", outcome)
		}
		add(id, "%s", strings.Replace(decision, `"s":1`, `"s":2`, 1)) // a conflict
		add(id, "%s", strings.Replace(outcome, `"score"`, `"`+marker+`"`, 1))
		add(id, "%s", strings.Replace(outcome, `:1}`, `:99}`, 1))
		add(id, "%s", strings.Replace(outcome, `"time":"2026`, `"time":"`+marker+`2026`, 1))
		add(id, `{"type":%q,"trajectory_id":%q}`, marker, id)
		add(id, `{"experiment":%q,"type":"end","trajectory_id":%q,"time":"2026-11-01T00:59:00Z"}`, marker, id)
		add(marker+"-other", "%s", outcome)
		add(id, `{"type":"decision",%s`, marker)
		add(id, `{"type":"exclude","trajectory_id":%q}`, fmt.Sprintf("%s-%d", marker, i-10))
	}
	add(marker, `{"type":"outcome","trajectory_id":%q}`, strings.Repeat(marker, 2000))
	return messages
}

// TestLogTellsNoContent: a daemon at its most talkative, through records of every fault,
// dead letters that are refused, brokers that go, a partition that stops and state that
// is damaged, tells nothing of what is in events.
func TestLogTellsNoContent(t *testing.T) {
	w := newWorld(t, 2)
	w.produce(marked()...)
	w.cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		produce := request.(*kmsg.ProduceRequest)
		w.cluster.KeepControl()
		answer := produce.ResponseKind().(*kmsg.ProduceResponse)
		for _, topic := range produce.Topics {
			if topic.Topic != "rejected" {
				return nil, nil, false
			}
			about := kmsg.NewProduceResponseTopic()
			about.Topic, about.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				one := kmsg.NewProduceResponseTopicPartition()
				one.Partition, one.ErrorCode = p.Partition, kerr.InvalidRecord.Code
				about.Partitions = append(about.Partitions, one)
			}
			answer.Topics = append(answer.Topics, about)
		}
		return answer, nil, true
	})
	cfg := w.config(filepath.Join(t.TempDir(), "state"), "partitions: [0, 1]")
	cfg.Reread = func() (*daemon.Config, error) { return nil, &config.Faults{Name: "f"} }
	r, log := startLogged(t, cfg)
	r.read(int64(len(marked())))
	eventually(t, "dead letters are refused", func() bool { return r.Live().DeadLettersDropped > 100 })
	_, _ = r.Reload()
	if err := w.cluster.DeleteTopic("events"); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.CreateTopic("events", 2, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a partition stops", func() bool { return r.Live().Partitions[0].Stopped != "" })
	r.end()
	said := log.String()

	spoil(t, cfg.State.Dir, "*.sst")
	r, log = startLogged(t, cfg)
	eventually(t, "brokers are reached", func() bool { return len(r.Live().Partitions) > 0 && r.Live().Partitions[0].Lag >= 0 })
	w.cluster.Close()
	eventually(t, "brokers are missed", func() bool { return strings.Contains(log.String(), "kafka unreachable") })
	r.end()
	said += log.String()

	for _, words := range []string{"dead letter dropped", "partition stopped", "state was damaged", "configuration not reloaded", "kafka unreachable"} {
		if !strings.Contains(said, words) {
			t.Errorf("the log does not say %q, the test tries less than it should", words)
		}
	}
	mustNotTell(t, "the log", said, marker, strings.Trim(fmt.Sprint([]byte(marker)), "[]"))
}

// TestErrorsTellNoContent: nor do the errors of a store that is damaged.
func TestErrorsTellNoContent(t *testing.T) {
	w := newWorld(t, 1)
	cfg := w.config(t.TempDir(), "partitions: [0]")
	w.produce(marked()...)
	r := start(t, cfg)
	r.read(int64(len(marked())))
	r.end()
	log := &said{}
	cfg.State.StopOnDamage = true
	for _, pattern := range []string{"MANIFEST", "*.sst"} {
		spoil(t, cfg.State.Dir, pattern)
		_, err := daemon.New(cfg, "test", slog.New(slog.NewTextHandler(log, nil)))
		if err == nil {
			t.Fatalf("%s is damaged, and nobody notices", pattern)
		}
		mustNotTell(t, "an error", err.Error()+log.String(), marker)
	}
}
