package daemon_test

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blipd/event"
)

// TestKillRebuild kills a daemon that makes its state anew, at random moments, as
// soon as the second state is there, and within the switch. Each start finds
// exactly one state, and in the end it is that of a run that nobody disturbed.
func TestKillRebuild(t *testing.T) {
	kills, trajectories := 8, 800
	if os.Getenv("BLIPD_HEAVY") != "" {
		kills, trajectories = 60, 3000
	}
	w := newWorld(t, 3)
	log := messy(trajectories, 7)
	rng := rand.New(rand.NewPCG(8, 9))
	root := t.TempDir()
	dir, address := filepath.Join(root, "state"), filepath.Join(root, "address")
	there := func(name string) bool { _, err := os.Stat(name); return err == nil }

	sent, share := 0, len(log)/(kills+1)
	begun, put := 0, 0 // kills while a second state was there, and with the one in use away or about to be
	for n := range kills {
		_ = os.Remove(address)
		child := launch(t, w.broker, dir)
		w.produce(log[sent : sent+share]...)
		sent += share
		child.await(t, address, int64(sent))
		child.asks(t, address)
		switch n % 4 {
		case 0: // at random
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		case 1:
			until(func() bool { return there(dir + ".rebuild") })
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		case 2:
			until(func() bool { return there(dir + ".rebuilt") })
		case 3:
			until(func() bool { return !there(dir) || there(dir+".rebuilt") })
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
		}
		child.kill(t)
		if there(dir + ".rebuild") {
			begun++
		}
		if there(dir + ".rebuilt") {
			put++
		}
		if left := names(t, root); !slices.Contains(left, "state") && !slices.Contains(left, "state.rebuilt") {
			t.Fatalf("after kill %d there is no state: %v", n, left)
		}
	}
	t.Logf("%d kills: %d while a second state was being made, %d within the switch; left are %v", kills, begun, put, names(t, root))
	if begun < kills/6 || put < kills/6 {
		t.Errorf("of %d kills %d were while a second state was being made and %d within the switch", kills, begun, put)
	}
	w.produce(log[sent:]...)
	_ = os.Remove(address)
	last := launch(t, w.broker, dir)
	last.await(t, address, int64(len(log)))
	last.asks(t, address)
	eventually(t, "a last rebuild", func() bool { return strings.Contains(last.words.String(), "the rebuilt state is in use") })
	last.terminate(t)
	for _, name := range names(t, root) {
		if name != "state" && name != "address" && !strings.HasPrefix(name, "state.before-") {
			t.Errorf("%s is left", name)
		}
	}

	quiet := w.config(filepath.Join(t.TempDir(), "quiet"), "partitions: [0, 1, 2]")
	d := start(t, quiet)
	d.read(int64(len(log)))
	d.sent()
	d.end()
	disturbed := quiet
	disturbed.State.Dir = dir
	got, want := inside(t, &disturbed), inside(t, &quiet)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after %d kills (-undisturbed +killed):\n%s", kills, diff)
	}
	offsets := map[string]bool{} // of the dead letters: none is lost
	for _, r := range w.read("rejected") {
		at := ""
		for _, h := range r.Headers {
			if h.Key == "blipd-partition" || h.Key == "blipd-offset" {
				at += " " + string(h.Value)
			}
		}
		offsets[at] = true
	}
	n := int64(0)
	for _, i := range want {
		for _, reason := range event.Reasons() {
			if reason.DeadLetter() {
				n += i.Stats.Rejected[reason]
			}
		}
	}
	if int64(len(offsets)) != n {
		t.Errorf("dead letters of %d records were sent, want %d", len(offsets), n)
	}
}

// asks asks the child for a rebuild.
func (p *process) asks(t *testing.T, addressFile string) {
	t.Helper()
	eventually(t, "a rebuild begins", func() bool {
		address, err := os.ReadFile(addressFile)
		if err != nil {
			return false
		}
		answer, err := http.Post("http://"+string(address)+"/api/v1/rebuild", "", nil)
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// until waits for what comes soon, or not at all.
func until(ok func() bool) {
	for range 20_000 {
		if ok() {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
