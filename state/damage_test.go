package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blipd/event"
)

// wreck is a log, a directory somewhere on the way through it, and what there should
// be at the end of the log.
type wreck struct {
	log     []event.Entry
	options Options
	dir     string
	seen    map[int64]string // the state at every offset that was committed, as stateOf has it
	want    string           // at the end
}

// newWreck reads half of a random log, with restarts, so that there are several tables,
// and leaves the directory as a kill would, or as the orderly end.
func newWreck(t *testing.T, r *rand.Rand, killed bool) *wreck {
	u := newRun(t, randomRules(r))
	w := &wreck{options: u.options, dir: filepath.Join(t.TempDir(), "state"), seen: map[int64]string{}}
	w.log = entries(0, randomLog(r, 400)...)
	for _, large := range []int{50, 120, 190} { // letters that go to the value log
		w.log[large] = event.Entry{Fault: event.Faultf(event.Malformed, "large"), Record: event.Record{Offset: int64(large), Value: make([]byte, 1<<20+large)}}
	}
	read := func(from, to, step int) {
		for at := from; at < to; at += step {
			next := min(at+step, to)
			apply(t, u.p, w.log[at:next])
			w.seen[int64(next)] = stateOf(t, u.p)
		}
	}
	for _, to := range []int{60, 130, 200} {
		read(to-60-10*min(1, (to-60)/70), to, 7)
		if to == 130 { // the oldest letters are sent
			letters, err := u.p.Outbox(2)
			if err == nil {
				err = u.p.Delivered(letters)
			}
			if err != nil {
				t.Fatal(err)
			}
			clear(w.seen) // had more letters
		}
		if to < 200 || !killed {
			if err := u.store.Close(); err != nil {
				t.Fatal(err)
			}
			if to < 200 {
				u.store = openStore(t, u.store.config.Dir)
				u.p = openPartition(t, u.store, w.options)
			}
		}
	}
	w.copy(t, u.store.config.Dir, w.dir)
	if !killed {
		u.store = openStore(t, u.store.config.Dir)
		u.p = openPartition(t, u.store, w.options)
	}
	read(200, 400, 50)
	w.want = stateOf(t, u.p)
	return w
}

// copy copies a directory of files with holes.
func (w *wreck) copy(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-r", "--sparse=always", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// split makes two memtable logs of the one that there is.
func (w *wreck) split(t *testing.T) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(w.dir, "*.mem"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	b, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	const head = 20
	var ends []int // of transactions
	at := head
	for {
		meta := b[at]
		klen, n := binary.Uvarint(b[at+2:])
		vlen, m := binary.Uvarint(b[at+2+n:])
		_, o := binary.Uvarint(b[at+2+n+m:])
		if klen == 0 {
			break
		}
		at += 2 + n + m + o + int(klen+vlen) + 4
		if meta&(1<<7) != 0 {
			ends = append(ends, at)
		}
	}
	if len(ends) < 6 {
		t.Fatalf("%d transactions are too few", len(ends))
	}
	middle := ends[len(ends)/2]
	second := append(slices.Clone(b[:head]), b[middle:at]...)
	err = errors.Join(os.Truncate(logs[0], int64(middle)), os.WriteFile(filepath.Join(w.dir, "00009.mem"), second, 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// harms are ways to damage a file; used is how much of it is not a hole at its end.
var harms = map[string]func(r *rand.Rand, b []byte, used int) []byte{
	"flip":     func(r *rand.Rand, b []byte, used int) []byte { b[r.IntN(used)] ^= 1 << r.IntN(8); return b },
	"cut":      func(r *rand.Rand, b []byte, used int) []byte { return b[:r.IntN(used)] },
	"cut tail": func(r *rand.Rand, b []byte, used int) []byte { return b[:max(0, used-1-r.IntN(40))] },
	"empty":    func(*rand.Rand, []byte, int) []byte { return b0 },
	"remove":   func(*rand.Rand, []byte, int) []byte { return nil },
	"zero": func(r *rand.Rand, b []byte, used int) []byte {
		at := r.IntN(used)
		clear(b[at:min(used, at+1+r.IntN(4096))])
		return b
	},
	"noise": func(r *rand.Rand, b []byte, used int) []byte {
		for at, n := r.IntN(used), r.IntN(200); n >= 0 && at < used; at, n = at+1, n-1 {
			b[at] = byte(r.Uint32())
		}
		return b
	},
	"append": func(r *rand.Rand, b []byte, used int) []byte { return append(b[:used], "garbage at the end"...) },
}

var b0 = []byte{}

// harm damages one file and says what it did.
func (w *wreck) harm(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"MANIFEST", "*.sst", "*.vlog", "*.mem", "KEYREGISTRY", "DISCARD"} {
		all, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 { // each kind as often
			files = append(files, all[r.IntN(len(all))])
		}
	}
	path := files[r.IntN(len(files))]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(b)
	for used > 64 && b[used-1] == 0 {
		used--
	}
	how := slices.Sorted(maps.Keys(harms))[r.IntN(len(harms))]
	if b = harms[how](r, b, max(1, min(used+32, len(b)))); b == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return how + " " + filepath.Base(path)
}

// outcome opens what there is and reads the log to its end.
func (w *wreck) outcome(t *testing.T, dir string) (what string, err error) {
	s, err := Open(Config{Dir: dir, KeepClosed: 72 * time.Hour}, "blipd.events")
	if err != nil {
		return "refused when opened", err
	}
	defer s.Close()
	p, err := s.Partition(3, w.options)
	if err != nil {
		return "refused when its partition was opened", err
	}
	from := max(0, p.Next())
	if _, err := p.Outbox(1 << 20); err != nil {
		return "refused when read", err
	}
	if known, found := w.seen[from]; found {
		if got := stateOf(t, p); got != known {
			t.Errorf("at offset %d it is\n%.3000s\nwant\n%.3000s", from, got, known)
		}
	}
	if err := p.applyAll(w.log[from:], int64(len(w.log))); err != nil {
		return "refused when read", err
	}
	if _, err := p.Outbox(1 << 20); err != nil {
		return "refused when read", err
	}
	if got := stateOf(t, p); got != w.want {
		t.Errorf("from offset %d on it becomes\n%.3000s\nwant\n%.3000s", from, got, w.want)
	}
	if from == 200 {
		return "right, nothing lost", nil
	}
	return "right, from an earlier commit", nil
}

// TestDamagedFiles damages files of Badger, one at a time, in every way that comes to
// mind. Either state opens and, given the log from where it says that it stands, comes
// to the same as if nothing had happened; or it says that it is damaged. There is no
// wrong answer, no panic and no hang.
func TestDamagedFiles(t *testing.T) {
	trials := 8
	if os.Getenv("BLIPD_HEAVY") != "" {
		trials = 120
	}
	counts := map[string]int{}
	logs(t, 1, func(t *testing.T, r *rand.Rand) {
		ended, killed, twice := newWreck(t, r, false), newWreck(t, r, true), newWreck(t, r, true)
		twice.split(t)
		for name, w := range map[string]*wreck{"ended": ended, "killed": killed, "two logs": twice} {
			for range trials {
				dir := filepath.Join(t.TempDir(), "state")
				w.copy(t, w.dir, dir)
				did := w.harm(t, r, dir)
				done := make(chan struct{})
				hang := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("%s, %s: hangs", name, did)) })
				var what string
				var err error
				go func() { defer close(done); what, err = w.outcome(t, dir) }()
				<-done
				hang.Stop()
				counts[what]++
				newer := err != nil && errors.Is(err, ErrUnusable) && strings.Contains(err.Error(), "read MANIFEST: ") && strings.Contains(err.Error(), "run the version of blipd that wrote it")
				if err != nil && !errors.Is(err, ErrDamaged) && !newer {
					t.Errorf("%s, %s: %s: %v", name, did, what, err)
				}
				t.Logf("%s, %s: %s: %v", name, did, what, err)
				if t.Failed() {
					return
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	t.Log(counts)
	if counts["right, nothing lost"] == 0 || counts["refused when opened"] == 0 {
		t.Error("the damage was none, or nothing survives any")
	}
}
