package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSetAside(t *testing.T) {
	now := time.Date(2026, 11, 30, 3, 15, 0, 0, time.UTC)
	why := errors.New("a table is gone")
	for name, dir := range map[string]string{"renamed": "state", "a mount point": "."} { // which cannot be renamed either
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for n := range MostAside {
				s, err := Open(Config{Dir: dir}, "blipd.events")
				if err == nil {
					err = s.set([]byte("format"), []byte("nonsense"))
				}
				if err == nil {
					err = s.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
				origin, err := SetAside(dir, why, now.Add(time.Duration(n)*time.Second))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("damaged-20261130T03150%d.000Z", n); !strings.HasSuffix(origin.Aside, want) {
					t.Errorf("set aside as %q, want %q at its end", origin.Aside, want)
				}
				if tables, err := filepath.Glob(filepath.Join(origin.Aside, "*.sst")); err != nil || len(tables) != 1 {
					t.Errorf("%s has tables %v (%v)", origin.Aside, tables, err)
				}
				read, err := ReadOrigin(dir)
				if err != nil || read.Aside != origin.Aside || read.Why != "a table is gone" {
					t.Errorf("the note is %v (%v)", read, err)
				}
			}
			s, err := Open(Config{Dir: dir}, "blipd.events")
			if err != nil {
				t.Fatal(err)
			}
			_, err = SetAside(dir, why, now.Add(2*AsideWithin))
			unusable(t, err, "another blipd runs on this directory")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_, err = SetAside(dir, why, now.Add(time.Hour))
			unusable(t, err, "3 directories were set aside within 24h0m0s")
			if _, err := SetAside(dir, why, now.Add(2*AsideWithin)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNotDamaged: what another blipd, another topic or another version is the reason
// for must not be set aside.
func TestNotDamaged(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	refused := func(topic string) {
		t.Helper()
		if _, err := Open(Config{Dir: dir}, topic); !errors.Is(err, ErrUnusable) || errors.Is(err, ErrDamaged) {
			t.Errorf("%v is damage", err)
		}
	}
	refused("blipd.events")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	refused("other")
	s = openStore(t, dir)
	change(t, s, keyFormat, func(v []byte) []byte { v[0]++; return resum(v) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	refused("blipd.events")
	manifest := filepath.Join(dir, "MANIFEST")
	b, err := os.ReadFile(manifest)
	if err == nil {
		b[7]++ // Badger's version
		err = os.WriteFile(manifest, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	refused("blipd.events")
	for _, words := range []string{"open x: too many open files", "mmap: cannot allocate memory", "write: no space left on device"} {
		if err := ofDisk("read table", errors.New(words)); !errors.Is(err, ErrUnusable) || errors.Is(err, ErrDamaged) {
			t.Errorf("%v is damage", err)
		}
	}
}

// TestCondemned: damage found while the directory was in use is found by the next Open.
func TestCondemned(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if err := errors.Join(s.Condemn(errors.New("block 7 is gone")), s.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := Open(Config{Dir: dir}, "blipd.events")
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "block 7 is gone") {
			t.Errorf("open: %v", err)
		}
	}
}

// TestOrphans: a table that no list names is deleted when a kill may have left it, and
// is damage when it holds what is nowhere else.
func TestOrphans(t *testing.T) {
	u := newRun(t, retail())
	dir := u.store.config.Dir
	u.apply(t, someEvents())
	if err := u.store.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"000090.sst": []byte("half of a table"), "000091.sst": nil} {
		if b == nil { // the contents are elsewhere too
			if b, err = os.ReadFile(filepath.Join(dir, "000001.sst")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u.store = openStore(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "00009*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	u.p = openPartition(t, u.store, u.options)
	u.apply(t, someEvents()[:2])
	if err := u.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "MANIFEST"), before, 0o600); err != nil { // does not know of the last table
		t.Fatal(err)
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "*.sst"))
	for range 2 {
		_, err = Open(Config{Dir: dir}, "blipd.events")
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "holds what MANIFEST does not know of") {
			t.Errorf("open: %v", err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.sst")); len(left) != len(tables) {
			t.Errorf("of tables %v are left %v", tables, left)
		}
	}
}

// TestNeed: what must be free grows with the ledgers, also after a restart.
func TestNeed(t *testing.T) {
	u := newRun(t, retail())
	u.store.config.MinFree = 1000
	if n := u.store.Need(); n != 1000 {
		t.Errorf("without ledgers %d", n)
	}
	u.apply(t, someEvents())
	need := u.store.Need()
	if need < 1500 {
		t.Errorf("with ledgers %d", need)
	}
	dir := u.store.config.Dir
	if err := u.store.Close(); err != nil {
		t.Fatal(err)
	}
	u.store = openStore(t, dir)
	u.store.config.MinFree = 1000
	u.p = openPartition(t, u.store, u.options)
	if n := u.store.Need(); n != need {
		t.Errorf("after a restart %d, before %d", n, need)
	}
}

// TestForeign: a ledger that another version has written is no damage.
func TestForeign(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	u.options.NewLedger = func(int, bool, []string) Ledger { return stranger{&toy{}} }
	_, err := u.store.Partition(3, u.options)
	unusable(t, err, "another version of blipd has written it", "of version 7")
	if errors.Is(err, ErrDamaged) {
		t.Errorf("%v is damage", err)
	}
}

// stranger is a ledger of another version.
type stranger struct{ Ledger }

func (stranger) UnmarshalBinary([]byte) error { return errors.New("of version 7") }

func TestPartitions(t *testing.T) {
	s := openStore(t, t.TempDir())
	for _, number := range []int{0, 3, 70_000} {
		p, err := s.Partition(number, Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: counting})
		if err != nil {
			t.Fatal(err)
		}
		apply(t, p, entries(0, someEvents()...))
	}
	if err := s.SetReport("retail", 1, []byte("r")); err != nil {
		t.Fatal(err)
	}
	if numbers, err := s.Partitions(); err != nil || fmt.Sprint(numbers) != "[0 3 70000]" {
		t.Errorf("%v (%v)", numbers, err)
	}
}
