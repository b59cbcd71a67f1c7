package state

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blipd/event"
)

// setAside is a record that is set aside.
func setAside(offset int64) event.Entry {
	return event.Entry{Record: event.Record{Offset: offset, Key: []byte("k"), Value: []byte(fmt.Sprint("letter ", offset))}, Fault: &event.Fault{Reason: event.Malformed, Detail: "d"}}
}

// TestSupplant puts a second state in the place of the first: counters and sums
// are its own, the epochs go on, reports and dead letters that wait are those of
// the first, which is kept.
func TestSupplant(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	cfg := Config{Dir: dir, KeepClosed: 72 * time.Hour}
	first := openStore(t, dir)
	options := Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: toys(nil, new([]string)), Letters: true, Past: map[string]int64{"gone": 4, "retail": 6}}
	p := openPartition(t, first, options)
	all := entries(0, decide("a", 1, at(0, 1), "review"), outcome("a", at(0, 2), 1, 0))
	all = append(all, setAside(2), setAside(3))
	apply(t, p, all)
	letters, err := p.Outbox(1)
	if err == nil {
		err = errors.Join(p.Delivered(letters), first.SetReport("retail", 7, []byte("the seventh")), first.SetReport("gone", 4, []byte("the last")))
	}
	if err != nil {
		t.Fatal(err)
	}

	second, err := Shadow(cfg, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	shadowed := options
	shadowed.Letters, shadowed.Past = false, p.Epochs()
	if want := map[string]int64{"gone": 4, "retail": 7}; !maps.Equal(shadowed.Past, want) {
		t.Errorf("epochs %v, want %v", shadowed.Past, want)
	}
	q := openPartition(t, second, shadowed)
	apply(t, q, all)
	if err := q.Adopt(p); err != nil {
		t.Fatal(err)
	}
	p.Close()
	q.Close()
	used, kept, keeps, err := first.Supplant(second, at(0, 0).Std())
	if err != nil || keeps {
		t.Fatal(keeps, err)
	}
	defer used.Close()
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	if _, err := Open(cfg, "blipd.events"); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "another blipd") {
		t.Errorf("a second daemon on the directory that was put in place: %v", err)
	}
	p = openPartition(t, used, options)
	if number, _ := p.Epoch(0); number != 8 || !maps.Equal(p.Epochs(), map[string]int64{"gone": 4, "retail": 8}) {
		t.Errorf("epoch %d, of all %v", number, p.Epochs())
	}
	if s := p.Stats(); s.Next != 4 || s.Records != 4 || s.Outbox != 1 || s.Rejected[event.Malformed] != 2 {
		t.Errorf("counters %+v", s)
	}
	apply(t, p, []event.Entry{setAside(4)})
	if letters, err = p.Outbox(9); err != nil || len(letters) != 2 || string(letters[0].Value) != "letter 3" || string(letters[1].Value) != "letter 4" || letters[1].Sequence != 2 {
		t.Errorf("letters %+v, %v", letters, err)
	}
	for name, want := range map[string]string{"retail 7": "the seventh", "gone 4": "the last"} {
		experiment, epoch, _ := strings.Cut(name, " ")
		if r, err := used.Report(experiment, int(epoch[0]-'0')); string(r) != want || err != nil {
			t.Errorf("report %s: %q, %v", name, r, err)
		}
	}
	before, err := Open(Config{Dir: kept, KeepClosed: 72 * time.Hour}, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if number, _ := openPartition(t, before, options).Epoch(0); number != 7 {
		t.Errorf("the state that was kept is of epoch %d", number)
	}
}

// TestSettle opens what a kill has left at each step of a switch.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		left  string // directories; the first letter says what is in them
		use   string // which of them is used afterwards, "" for a new one
		after string // what is there then; N stands for a time
		says  string
	}{
		{"state", "state", "state", ""},
		{"", "", "state", ""},
		{"state state.rebuild", "state", "state", "ask for it again"},
		{"state.rebuild", "", "state", "ask for it again"},
		{"state state.rebuilt", "state.rebuilt", "state state.before-N", "state.before-"},
		{"state.rebuilt state.before-1", "state.rebuilt", "state state.before-1", "in use"},
		{"state state.rebuilt state.rebuild", "state.rebuilt", "state state.before-N", ""},
		{"state state.before-1 state.before-2", "state", "state state.before-1 state.before-2", ""},
	} {
		for _, linked := range []bool{false, true} {
			root := t.TempDir()
			for _, name := range strings.Fields(c.left) {
				s, err := Open(Config{Dir: filepath.Join(root, name)}, "blipd.events")
				if err == nil {
					err = errors.Join(s.SetReport("who", 1, []byte(name)), s.Close())
				}
				if err == nil && strings.Contains(name, ".re") {
					err = os.WriteFile(filepath.Join(root, name, markFile), nil, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(root, "state")
			if linked {
				if c.left == "" {
					continue
				}
				dir = filepath.Join(t.TempDir(), "link")
				if err := os.Symlink(filepath.Join(root, "state"), dir); err != nil {
					t.Fatal(err)
				}
			}
			if linked && c.use == "" {
				continue // a link to nowhere
			}
			for range 2 {
				s, err := Open(Config{Dir: dir}, "blipd.events")
				if err != nil {
					t.Fatalf("%q: %v", c.left, err)
				}
				if r, err := s.Report("who", 1); string(r) != c.use || err != nil {
					t.Errorf("%q: %q is in use, %v", c.left, r, err)
				}
				if !strings.Contains(s.Settled(), c.says) || c.says == "" && s.Settled() != "" && !strings.Contains(c.left, ".re") {
					t.Errorf("%q: says %q", c.left, s.Settled())
				}
				c.says = ""
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				var there []string
				entries, err := os.ReadDir(root)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					name := e.Name()
					if strings.HasPrefix(name, "state.before-2") && len(name) > 20 {
						name = "state.before-N"
					}
					there = append(there, name)
				}
				want := strings.Fields(c.after)
				slices.Sort(want)
				if !slices.Equal(there, want) {
					t.Errorf("%q: there are %q, want %q", c.left, there, want)
				}
			}
		}
	}
}

// TestShadowOfOthers: a directory that no rebuild has made is neither used nor
// removed, and a second daemon touches nothing of the first.
func TestShadowOfOthers(t *testing.T) {
	root := t.TempDir()
	cfg := Config{Dir: filepath.Join(root, "state")}
	s := openStore(t, cfg.Dir)
	mine := filepath.Join(root, "state.rebuild", "mine")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o700), os.WriteFile(mine, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Shadow(cfg, "blipd.events"); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("a shadow in the place of another directory: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, cfg.Dir)
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Dir(mine)); err != nil {
		t.Fatal(err)
	}
	shadow, err := Shadow(cfg, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(cfg, "blipd.events"); !errors.Is(err, ErrUnusable) {
		t.Errorf("a second daemon: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "state.rebuild", "MANIFEST")); err != nil {
		t.Errorf("a second daemon has touched the rebuild of the first: %v", err)
	}
	if err := shadow.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "state.rebuild")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Discard: %v", err)
	}

}
