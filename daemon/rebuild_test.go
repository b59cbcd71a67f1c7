package daemon_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/web"
)

// messy is a log of n trajectories with redeliveries, records to set aside,
// revisions, and conflicts, which are set aside too.
func messy(n int, seed uint64) (log []kafka.Message) {
	log = events(n, seed)
	for i := 0; i < len(log); i += 97 {
		log = append(log, log[i])
		log[i+1].Value = append([]byte("?"), log[i+1].Value...)
	}
	outcomes := 0
	for _, m := range log {
		if outcomes++; !bytes.Contains(m.Value, []byte(`"type":"outcome"`)) || outcomes%7 > 1 {
			continue
		}
		other := score.ReplaceAll(m.Value, []byte(`"score":0.125`))
		if outcomes%7 == 1 {
			other = append(other[:len(other)-1], `,"revision":1}`...)
		}
		log = append(log, kafka.Message{Key: m.Key, Value: other})
	}
	return log
}

var score = regexp.MustCompile(`"score":[-+.0-9e]+`)

// letters is how many dead letters the daemon has made.
func (r *running) letters() (n int64) {
	for _, p := range r.Live().Partitions {
		for _, reason := range event.Reasons() {
			if reason.DeadLetter() {
				n += p.Rejected[reason]
			}
		}
	}
	return n
}

// sent waits until no dead letter waits to be sent.
func (r *running) sent() {
	r.t.Helper()
	eventually(r.t, "an empty outbox", func() bool {
		for _, p := range r.Live().Partitions {
			if p.Outbox > 0 {
				return false
			}
		}
		return true
	})
}

// rebuild asks for one and waits for its end.
func (r *running) rebuild(body string) web.Rebuild {
	r.t.Helper()
	if status, answer := r.post("POST", "/api/v1/rebuild", body, nil); status != http.StatusOK {
		r.t.Fatalf("rebuild: %d %s", status, answer)
	}
	return r.rebuilt()
}

func (r *running) rebuilt() (last web.Rebuild) {
	r.t.Helper()
	eventually(r.t, "the end of the rebuild", func() bool {
		last = *r.Live().Rebuild
		return last.Phase != web.Rebuilding
	})
	return last
}

// TestRebuild makes the state anew under load, twice. What comes of it is what
// was there, bit for bit, under another epoch; the reports of those before stay,
// and no dead letter is sent twice or lost.
func TestRebuild(t *testing.T) {
	w := newWorld(t, 3)
	log := messy(1200, 5)
	cfg := w.config(filepath.Join(t.TempDir(), "state"), "group: g")
	half := len(log) / 2
	w.produce(log[:half]...)
	d := start(t, cfg)
	d.read(int64(half))
	eventually(t, "a report", func() bool { r := d.Report("x", estimators.Closed); return r != nil && r.Trajectories > 100 })

	if status, body := d.post("DELETE", "/api/v1/rebuild", "", nil); status != http.StatusConflict {
		t.Errorf("DELETE without a rebuild: %d %s", status, body)
	}
	done := make(chan web.Rebuild, 1)
	go func() { done <- d.rebuild("") }()
	for part := half; part < len(log); part += 100 { // under load
		w.produce(log[part:min(part+100, len(log))]...)
	}
	if last := <-done; last.Phase != web.Rebuilt || !strings.Contains(last.Detail, cfg.State.Dir+".before-") {
		t.Fatalf("the rebuild ended with %+v", last)
	}
	d.read(int64(len(log)))
	eventually(t, "a report of the second epoch", func() bool { r := d.Report("x", estimators.Closed); return r.Epoch == 2 })
	if r := d.EarlierReport("x", 1); r == nil || r.Epoch != 1 || r.Trajectories < 100 {
		t.Errorf("the last report of the first epoch: %+v", r)
	}
	last := d.rebuild("")
	if last.Phase != web.Rebuilt {
		t.Fatalf("the second rebuild ended with %+v", last)
	}
	eventually(t, "a report of the third epoch", func() bool { r := d.Report("x", estimators.Closed); return r.Epoch == 3 })
	d.sent()
	letters := int(d.letters())
	d.end()
	if n := len(w.read("rejected")); n != letters {
		t.Errorf("%d dead letters, want %d", n, letters)
	}

	before := cfg                                                 // all had been read when the second rebuild began
	_, before.State.Dir, _ = strings.Cut(last.Detail, "kept in ") // and nothing behind it
	if diff := cmp.Diff(inside(t, &before), inside(t, &cfg)); diff != "" {
		t.Errorf("(-before +rebuilt):\n%s", diff)
	}
	all := inside(t, &cfg)
	if n := trajectoriesIn(all); n < 1000 {
		t.Errorf("only %d trajectories closed", n)
	}
	if s := all[0].Stats; s.Rejected[event.Malformed] == 0 || s.Rejected[event.Conflict] == 0 || s.Rejected[event.Duplicate] == 0 || s.Experiments[0].Changed == 0 {
		t.Errorf("the log is not messy: %+v", s)
	}
}

// TestRebuildRefused: what a rebuild cannot do well is refused, or given up with
// the state in use as it was.
func TestRebuildRefused(t *testing.T) {
	w := newWorld(t, 2)
	d := start(t, w.config(filepath.Join(t.TempDir(), "state"), "group: g"))
	ask := func(body string, words string) {
		t.Helper()
		eventually(t, words, func() bool {
			status, answer := d.post("POST", "/api/v1/rebuild", body, nil)
			return status == http.StatusConflict && strings.Contains(answer, words)
		})
	}
	log := events(200, 6)
	w.produce(log...)
	d.read(int64(len(log)))
	if err := w.cluster.DeleteRecords("events", 1, 10); err != nil {
		t.Fatal(err)
	}
	ask("", "partition 1 begins at 10")
	if last := d.rebuild(`{"partial": true}`); last.Phase != web.Rebuilt || !strings.Contains(last.Detail, "partition 1 begins at 10") {
		t.Errorf("a rebuild of what there is ended with %+v", last)
	}
	if n := d.records(); n != int64(len(log)-10) {
		t.Errorf("%d records, want %d", n, len(log)-10)
	}
	w.recreate(2)
	d.stopped(1, "recreated")
	ask(`{"partial": true}`, "partition 0 has stopped (recreated)")
	d.end()
}
