package daemon_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/sim"
)

// smallDisk names a directory on a filesystem of its own of 400 MB, which these tests
// fill: .ci/disk-check makes one.
const smallDisk = "BLIPD_SMALL_DISK"

// disk is a small filesystem with the state of a daemon on it.
type disk struct {
	t    *testing.T
	root string
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	root := os.Getenv(smallDisk)
	if root == "" {
		t.Skip("needs a filesystem that may be filled: run .ci/disk-check")
	}
	d := &disk{t, root}
	if free := d.free(); free < 350<<20 || free > 450<<20 {
		t.Fatalf("%s=%s has %d MB free, want 400", smallDisk, root, free>>20)
	}
	t.Cleanup(func() {
		for _, name := range []string{"state", "ballast", "address"} {
			if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func (d *disk) free() int64 {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(d.root, &stat); err != nil {
		d.t.Fatal(err)
	}
	return int64(stat.Bavail) * stat.Bsize
}

// ballast is what somebody else has on the disk: it leaves so many bytes free, or
// fails to.
func (d *disk) ballast(left int64) {
	d.t.Helper()
	f, err := os.OpenFile(filepath.Join(d.root, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	part := make([]byte, 64<<10)
	for d.free() > left {
		if _, err := f.Write(part); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *disk) drop() {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.root, "ballast")); err != nil {
		d.t.Fatal(err)
	}
}

// get asks a child; "" while it does not answer.
func (d *disk) get(path string) string {
	address, err := os.ReadFile(filepath.Join(d.root, "address"))
	if err != nil {
		return ""
	}
	answer, err := http.Get("http://" + string(address) + path)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// metric is the value of a series without labels, or with those given; -1 while unknown.
func (d *disk) metric(series string) float64 {
	for line := range strings.Lines(d.get("/metrics")) {
		if value, found := strings.CutPrefix(line, series+" "); found {
			if x, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return x
			}
		}
	}
	return -1
}

func (d *disk) paused() float64 { return d.metric(`blipd_intake_paused{reason="disk"}`) }
func (d *disk) read() float64   { return d.metric(`blipd_records_total{topic="events"}`) }

// child runs a daemon on the disk.
func (d *disk) child(w *world) *process {
	d.t.Helper()
	_ = os.Remove(filepath.Join(d.root, "address"))
	return launch(d.t, w.broker, filepath.Join(d.root, "state"))
}

// TestSmallDisk: a daemon that fills its disk pauses before that is full, and is alive
// and idle until there is room; then it goes on. In the end all is as on a large disk.
func TestSmallDisk(t *testing.T) {
	d := newDisk(t)
	t.Setenv("MIN_FREE", "120MiB")
	t.Setenv("LEARNER_EVERY", "5000")
	w := newWorld(t, 3)
	log := largeLog(w, 6_000)
	d.ballast(190 << 20)
	child := d.child(w)
	least, held, still := d.free(), -1.0, 0 // a merge that ends can give back enough to go on for a while
	eventually(t, "paused for good by what it has written itself", func() bool {
		least = min(least, d.free())
		if read := d.read(); read != held || d.paused() != 1 {
			held, still = read, 0
		}
		still++
		return still > 100
	})
	if held <= 0 || held >= float64(log) || !child.alive() {
		t.Fatalf("paused with %v of %d records read, alive: %t", held, log, child.alive())
	}
	if least < 20<<20 {
		t.Errorf("only %d MB were left free", least>>20)
	}
	if body := d.get("/-/ready"); !strings.Contains(body, "is nearly full") || !strings.Contains(body, "state.min_free") {
		t.Errorf("/-/ready says %s", body)
	}
	d.drop()
	eventually(t, "all read", func() bool { return d.read() == float64(log) })
	t.Logf("paused at %v of %d records, %d MB were left at the least", held, log, least>>20)
	child.terminate(t)
	d.asUndisturbed(w, log)
}

// TestReportBadger1682 is report dgraph-io/badger/1682, a full disk that kills the
// process: somebody else fills the disk to the last page, at once, again and again.
// The daemon pauses, or dies if it needs a page just then; with room again it goes on,
// and nothing is lost or counted twice.
func TestReportBadger1682(t *testing.T) {
	d := newDisk(t)
	t.Setenv("MIN_FREE", "60MiB")
	t.Setenv("LEARNER_EVERY", "5000")
	w := newWorld(t, 3)
	log := largeLog(w, 6_000)
	child, died := d.child(w), 0
	for n := range 5 {
		eventually(t, "reads", func() bool { return d.read() > float64(log*n/10) })
		d.ballast(0)
		time.Sleep(time.Second)
		if !child.alive() {
			died++
			if again := d.child(w); !again.ends() { // it comes up paused, or says what is missing
				child = again
			} else if !strings.Contains(again.words.String(), "MB are free") && !strings.Contains(again.words.String(), "no space left") {
				t.Errorf("on a full disk it ends with\n%s", again.words)
			}
		}
		d.drop()
		if !child.alive() {
			child = d.child(w)
		}
	}
	eventually(t, "all read", func() bool { return d.read() == float64(log) })
	child.terminate(t)
	t.Logf("%d of 5 times the process died", died)
	d.asUndisturbed(w, log)
}

// asUndisturbed holds the state on the disk against that of a daemon on another.
func (d *disk) asUndisturbed(w *world, log int) {
	d.t.Helper()
	quiet := w.config(filepath.Join(d.t.TempDir(), "quiet"), "partitions: [0, 1, 2]")
	q := start(d.t, quiet)
	q.read(int64(log))
	q.end()
	disturbed := quiet
	disturbed.State.Dir = filepath.Join(d.root, "state")
	if diff := cmp.Diff(inside(d.t, &quiet), inside(d.t, &disturbed)); diff != "" {
		d.t.Errorf("(-undisturbed +on the small disk):\n%.2000s", diff)
	}
}

// largeLog puts so many trajectories on the log, whose decisions have 3 kB of texts
// that nothing uses, and says how many records that are.
func largeLog(w *world, trajectories int) (records int) {
	w.t.Helper()
	scenario, err := sim.Lookup("dgp")
	if err != nil {
		w.t.Fatal(err)
	}
	var log []kafka.Message
	for e := range scenario.Events(trajectories, 3) {
		if e.Decision != nil {
			for n := range 12 {
				e.Decision.State = append(e.Decision.State, event.Member{Name: fmt.Sprint("text_", n), Value: event.TextOf(strings.Repeat("x", 250))})
			}
		}
		log = append(log, kafka.Message{Key: []byte(e.Trajectory), Value: event.AppendJSON(nil, &e)})
	}
	w.produce(log...)
	return len(log)
}

// alive tells whether a child has not ended.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// ends waits a while for a child to end by itself.
func (p *process) ends() bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(3 * time.Second):
		return false
	}
}
