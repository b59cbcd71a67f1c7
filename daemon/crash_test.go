package daemon_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/state"
)

// The child of TestKill is this test binary, told so by its environment.
const (
	childBroker = "BLIPD_TEST_CHILD_BROKER"
	childState  = "BLIPD_TEST_CHILD_STATE"
)

func TestMain(m *testing.M) {
	if broker := os.Getenv(childBroker); broker != "" {
		os.Exit(child(broker, os.Getenv(childState)))
	}
	os.Exit(m.Run())
}

// child runs a daemon until SIGTERM, and leaves its address beside its state.
func child(broker, dir string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := parse(&testing.T{}, broker, dir, "partitions: [0, 1, 2]")
	d, err := daemon.New(cfg, "child", slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err == nil {
		address := filepath.Join(filepath.Dir(dir), "address")
		err = os.WriteFile(address, []byte(d.Addr()), 0o600)
	}
	if err == nil {
		go tell(ctx, d)
		err = d.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

// progress is what a child says when it has committed more records.
const progress = "records counted: "

// tell says how far a child has come.
func tell(ctx context.Context, d *daemon.Daemon) {
	said := int64(-1)
	for ctx.Err() == nil {
		n, all := int64(0), d.Live().Partitions
		for _, p := range all {
			n += p.Records
		}
		if len(all) == 3 && n != said { // the first is what it found
			said = n
			fmt.Fprintf(os.Stderr, "%s%d\n", progress, n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestKill kills a daemon under load, again and again, at random moments, and
// holds what it has in the end against a run that nobody disturbed: counters,
// offsets, and the sums of the ledgers bit for bit.
func TestKill(t *testing.T) {
	kills, trajectories := 20, 4000
	if os.Getenv("BLIPD_HEAVY") != "" {
		kills, trajectories = 200, 40_000
	}
	w := newWorld(t, 3)
	log := events(trajectories, 9)
	for i := 0; i < len(log); i += 97 { // redeliveries, and records to set aside
		log = append(log, log[i])
		log[i+1].Value = append([]byte("?"), log[i+1].Value...)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	root := t.TempDir()
	dir := filepath.Join(root, "state")

	sent, share := 0, len(log)/kills
	worked := 0 // children that had counted something of their own
	for n := range kills {
		child := launch(t, w.broker, dir)
		for part := range 4 { // load goes on while the child lives
			to := min(n*share+(part+1)*share/4, len(log))
			w.produce(log[sent:to]...)
			sent = to
			time.Sleep(time.Duration(rng.IntN(40)) * time.Millisecond)
		}
		if rng.IntN(4) > 0 { // some are killed while they start, most at work
			child.works()
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		child.kill(t)
		if strings.Count(child.words.String(), progress) > 1 {
			worked++
		}
	}
	if worked < kills/2 {
		t.Errorf("%d of %d children had counted anything when they were killed", worked, kills)
	}
	w.produce(log[sent:]...)
	last := launch(t, w.broker, dir)
	last.await(t, filepath.Join(root, "address"), int64(len(log)))
	last.terminate(t)

	quiet := w.config(filepath.Join(root, "quiet"), "partitions: [0, 1, 2]")
	d := start(t, quiet)
	d.read(int64(len(log)))
	d.end()
	disturbed := quiet
	disturbed.State.Dir = dir
	got, want := inside(t, &disturbed), inside(t, &quiet)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after %d kills (-undisturbed +killed):\n%s", kills, diff)
	}
	if trajectoriesIn(want) < int64(trajectories)*9/10 {
		t.Errorf("only %d trajectories closed: the load was none", trajectoriesIn(want))
	}
}

// process is a child at work.
type process struct {
	cmd   *exec.Cmd
	words *words
	ended chan struct{} // closed when it has ended, with err
	err   error
}

// words are what a child says.
type words struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// works waits until the child has counted something of its own, or for long.
func (p *process) works() {
	for range 3000 {
		if strings.Count(p.words.String(), progress) > 1 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func launch(t *testing.T, broker, dir string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self), words: &words{}, ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childBroker+"="+broker, childState+"="+dir)
	p.cmd.Stderr = p.words
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// kill ends the child as a crash does; it must not have ended by itself.
func (p *process) kill(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Kill()
	<-p.ended
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Fatalf("the child ended by itself: %v\n%s", p.err, p.words)
	}
}

func (p *process) terminate(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if <-p.ended; p.err != nil {
		t.Fatalf("SIGTERM: %v\n%s", p.err, p.words)
	}
}

// await waits until the child has read n records.
func (p *process) await(t *testing.T, addressFile string, n int64) {
	t.Helper()
	want := fmt.Sprintf("blipd_records_total{topic=\"events\"} %s\n", strconv.FormatFloat(float64(n), 'g', -1, 64))
	eventually(t, want, func() bool {
		address, err := os.ReadFile(addressFile)
		if err != nil {
			return false
		}
		answer, err := http.Get("http://" + string(address) + "/metrics")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return err == nil && strings.Contains(string(body), want)
	})
}

// trajectoriesIn counts what the ledgers hold.
func trajectoriesIn(all []insides) int64 {
	n := int64(0)
	for _, i := range all {
		n += i.Trajectories
	}
	return n
}

// insides is everything that must not depend on how often a daemon was killed.
type insides struct {
	Stats            state.Stats
	Trajectories     int64
	Closed, Complete []byte // the sums, bit for bit
	ClosedReport     []estimators.Estimate
}

// inside opens the state of a daemon that has ended.
func inside(t *testing.T, cfg *daemon.Config) []insides {
	t.Helper()
	store, err := state.Open(cfg.State, cfg.Kafka.Topic)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all []insides
	for n := range 3 {
		p, err := store.Partition(n, daemon.StateOptions(cfg))
		if err != nil {
			t.Fatal(err)
		}
		closed, complete := daemon.MomentsOf(p, 0)
		i := insides{Stats: *p.Stats(), Trajectories: closed.Trajectories(), ClosedReport: closed.Randomized()}
		i.Stats.Outbox = 0 // how far the relay has come is no matter of the log
		i.Closed, _ = closed.AppendBinary(nil)
		i.Complete, _ = complete.AppendBinary(nil)
		all = append(all, i)
	}
	return all
}
