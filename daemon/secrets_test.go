package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"blipd/config"
	"blipd/daemon"
	"blipd/ingest/kafka"
)

// secured is the configuration of a daemon whose broker asks for a password.
const secured = `
kafka: {brokers: ["${env:BROKER}"], topic: events, group: g, sasl: {mechanism: plain, user: blip, password: "${env:PASSWORD}"}}
state: {dir: "${env:STATE}", sync_writes: false}
web: {listen: "127.0.0.1:0"}
refit: {interval: 100ms}
outputs: {dead_letters: rejected}
experiments:
  - name: x
    arms: {control: direct, interventions: [review]}
    outcomes: [{name: score, range: [-6, 9]}]
`

// said is everything that a daemon says while a test runs.
type said struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// mustNotTell fails for every form of a text that is found.
func mustNotTell(t *testing.T, what, told string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), strings.Trim(fmt.Sprintf("%q", secret), `"`)} {
			if at := strings.Index(strings.ToLower(told), strings.ToLower(form)); at >= 0 {
				t.Errorf("%s tells %q: %.200q", what, secret, told[max(0, at-80):])
			}
		}
	}
}

// TestSecretsStayInside: neither a password, nor what events say, is in any log
// line, page, metric, error or dump of the configuration; what producers sent is in
// dead letters and estimates alone.
func TestSecretsStayInside(t *testing.T) {
	const password, content = `hunt"er2\pass`, "content-of-4711"
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.SeedTopics(1, "rejected"),
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "blip", password))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	broker, dir := cluster.ListenAddrs()[0], t.TempDir()
	configured := func(password string) *daemon.Config {
		env := map[string]string{"BROKER": broker, "STATE": dir, "PASSWORD": password}
		cfg, err := config.Parse("f", []byte(secured), func(n string) (string, bool) { v, ok := env[n]; return v, ok }, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	cfg := configured(password)
	producer, err := kafka.New(cfg.Kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	log := append(events(20, 1),
		kafka.Message{Key: []byte("k"), Value: []byte(`{"type":"decision","trajectory_id":"` + content)},
		kafka.Message{Key: []byte("k"), Value: []byte(`{"type":"outcome","trajectory_id":"k","time":"` + content + `","outcomes":{"` + content + `":1}}`)},
		kafka.Message{Key: []byte("k"), Value: []byte(`{"type":"decision","trajectory_id":"k","time":"2026-11-29T10:00:00Z","index":1,"action":{"tool":"t"},"state":{"note":"` + content + `"}}`)})
	if err := producer.Produce(context.Background(), "events", log); err != nil {
		t.Fatal(err)
	}

	for _, shown := range []any{cfg, *cfg, cfg.Kafka, cfg.Kafka.SASL} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			mustNotTell(t, "a dump by "+verb, fmt.Sprintf(verb, shown), password)
		}
		b, _ := json.Marshal(shown) // a Config has functions, which JSON has not
		mustNotTell(t, "JSON", string(b), password)
	}
	for _, right := range []bool{true, false} {
		var words said
		own := cfg
		if !right {
			own = configured(password + "?")
		}
		handler := slog.NewTextHandler(&words, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true})
		d, err := daemon.New(*own, "test", slog.New(handler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		r := &running{Daemon: d, t: t, stop: cancel, done: make(chan error, 1)}
		go func() { r.done <- d.Run(ctx) }()
		if right {
			r.read(int64(len(log)))
			eventually(t, "ready", func() bool { status, _ := r.get("/-/ready"); return status == http.StatusOK })
		} else {
			eventually(t, "the wrong password is told", func() bool { _, body := r.get("/-/ready"); return strings.Contains(body, "sasl") })
		}
		for _, path := range []string{"/", "/metrics", "/-/ready", "/-/healthy", "/api/v1/effects", "/api/v1/hold"} {
			_, body := r.get(path)
			mustNotTell(t, path, body, password, content)
		}
		r.end()
		mustNotTell(t, "the log", words.String(), password, content)
		if words.String() == "" {
			t.Error("nothing was logged: the test shows nothing")
		}
	}
}
