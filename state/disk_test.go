package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
	"blipd/event/pack"
)

// unusable checks an error that an operator reads.
func unusable(t *testing.T, err error, words ...string) {
	t.Helper()
	if !errors.Is(err, ErrUnusable) {
		t.Fatalf("error %v is not ErrUnusable", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	_, err := Open(Config{Dir: dir}, "blipd.events")
	unusable(t, err, "another blipd runs on this directory", dir)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Open(Config{Dir: dir}, "other")
	unusable(t, err, `topic "blipd.events"`, `"other"`, "state.dir of its own")

	s = openStore(t, dir) // the error has left it as it was, and the lock is free
	change(t, s, keyFormat, func(v []byte) []byte { v[0]++; return resum(v) })
	_ = s.Close()
	_, err = Open(Config{Dir: dir}, "blipd.events")
	unusable(t, err, "the format", "version 2", "this program knows 1")

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(Config{Dir: file}, "blipd.events")
	unusable(t, err, file)
}

func TestOpenDamagedDatabase(t *testing.T) {
	dir := t.TempDir()
	if err := openStore(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "MANIFEST"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Config{Dir: dir}, "blipd.events")
	unusable(t, err, dir, "move it away")
}

func TestOpenEmptyMemtable(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	want := stateOf(t, u.p)
	_ = u.store.Close()
	for _, name := range []string{"00007.mem", "000007.vlog"} {
		if err := os.WriteFile(filepath.Join(u.store.config.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u.store = openStore(t, u.store.config.Dir)
	u.p = openPartition(t, u.store, u.options)
	if got := stateOf(t, u.p); got != want {
		t.Errorf("lost:\n%s\nwant\n%s", got, want)
	}
}

// someEvents leave an open trajectory, closed ones, letters and operations.
func someEvents() []event.Event {
	events := []event.Event{decide("open", 1, at(10, 0), "review"), decide("open", 1, at(10, 0), "direct")}
	for i := range 40 {
		id := fmt.Sprint("closed", i)
		events = append(events, decide(id, 1, at(10, i), "review"), outcome(id, at(10, i), 1, 0))
	}
	return events
}

// change rewrites a value on disk.
func change(t *testing.T, s *Store, key []byte, with func([]byte) []byte) {
	t.Helper()
	err := s.db.Update(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if err != nil {
			return err
		}
		value, err := item.ValueCopy(nil)
		if err != nil {
			return err
		}
		if value = with(value); value == nil {
			return txn.Delete(key)
		}
		return txn.Set(key, value)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// resum gives a changed value its checksum again.
func resum(v []byte) []byte { return sealRaw(v[:len(v)-4]) }

func sealRaw(v []byte) []byte {
	sealed := seal(func(w *pack.Writer) { w.B = append(w.B[:0], v...) })
	return sealed
}

func TestDamage(t *testing.T) {
	flip := func(v []byte) []byte { v[len(v)/2] ^= 0x40; return v }
	newer := func(v []byte) []byte { v[0] = 9; return resum(v) }
	gone := func([]byte) []byte { return nil }
	short := func(v []byte) []byte { return v[:3] }
	for _, test := range []struct {
		name string
		key  func(p *Partition) []byte
		do   func([]byte) []byte
		says string
	}{
		{"meta", func(*Partition) []byte { return key(3, 'm') }, flip, "the offset of partition 3: its checksum does not fit"},
		{"meta newer", func(*Partition) []byte { return key(3, 'm') }, newer, "the offset of partition 3: it is of version 9"},
		{"journal", func(*Partition) []byte { return keyNumber(3, 'j', 0) }, flip, `block 0 of the journal: its checksum`},
		{"journal short", func(*Partition) []byte { return keyNumber(3, 'j', 0) }, short, `block 0: there is no entry at byte 0 of 3`},
		{"journal gone", func(*Partition) []byte { return keyNumber(3, 'j', 0) }, gone, "block 0 of the journal is missing, it ends with 0"},
		{"archive", func(p *Partition) []byte { return keyNumber(3, 'a', p.fold.changes.archive.first-1) }, flip, "trajectory in the log of ledgers: its checksum"},
		{"archive gone", func(p *Partition) []byte { return keyNumber(3, 'a', p.fold.changes.archive.first-1) }, gone, "is missing in the archive of partition 3"},
		{"generation", func(*Partition) []byte { return key(3, 'g') }, flip, "the newest generation of ledgers: its checksum"},
		{"generation gone", func(*Partition) []byte { return key(3, 'g') }, gone, "operation 0 on ledgers is missing"},
		{"chunk", func(p *Partition) []byte { return keyNumber(3, 'k', p.newest.number, 1) }, flip, "chunk 1 of ledgers, generation 1: its checksum"},
		{"chunk gone", func(p *Partition) []byte { return keyNumber(3, 'k', p.newest.number, 1) }, gone, "chunk 1 of ledgers, generation 1"},
		{"operation", func(p *Partition) []byte { return keyNumber(3, 'l', p.logged-2) }, flip, "operations on ledgers: its checksum"},
		{"operation gone", func(p *Partition) []byte { return keyNumber(3, 'l', p.logged-4) }, gone, "on ledgers is missing"},
		{"last operation gone", func(p *Partition) []byte { return keyNumber(3, 'l', p.logged-2) }, gone, "on ledgers are missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := newRun(t, retail())
			u.apply(t, someEvents())
			u.apply(t, []event.Event{outcome("closed1", at(12, 0), 0, 1)}) // into the log behind the checkpoint
			u.apply(t, []event.Event{outcome("closed2", at(12, 0), 0, 1)})
			change(t, u.store, test.key(u.p), test.do)
			_, err := u.store.Partition(3, u.options)
			unusable(t, err, "state: open partition 3", test.says)
		})
	}
}

func TestDamagedWhenRead(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	flip := func(v []byte) []byte { v[len(v)/2] ^= 0x40; return v }
	change(t, u.store, keyNumber(3, 'x', 0), flip)
	_, err := u.p.Outbox(10)
	unusable(t, err, "letter 0 in the outbox of partition 3")

	change(t, u.store, keyID(3, 'c', "closed7"), flip)
	err = u.p.applyAll(entries(u.offset, outcome("closed7", at(10, 7), 0, 1)), u.offset+1)
	unusable(t, err, "apply offset 82 of partition 3", "the place of a closed trajectory of partition 3")

	if err := u.store.SetReport("retail", 1, bytes.Repeat([]byte("r"), 3*reportChunk)); err != nil {
		t.Fatal(err)
	}
	change(t, u.store, keyReport("retail", 1, 2), flip)
	_, err = u.store.Report("retail", 1)
	unusable(t, err, `report of experiment "retail", epoch 1`)
}

func TestStrayGeneration(t *testing.T) {
	u := newRun(t, retail())
	u.apply(t, someEvents())
	want := stateOf(t, u.p)
	for n := range int64(3) { // a kill between chunks and pointer
		if err := u.store.set(keyNumber(3, 'k', u.p.newest.number+1, n), []byte("half of it")); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.store.set(keyNumber(3, 'l', u.p.newest.logged-1), []byte("not yet swept")); err != nil {
		t.Fatal(err)
	}
	u.p = openPartition(t, u.store, u.options)
	if got := stateOf(t, u.p); got != want {
		t.Errorf("is\n%s\nwant\n%s", got, want)
	}
	generations, operations := map[int64]bool{}, int64(0)
	err := errors.Join(
		u.store.eachKey(key(3, 'k'), nil, func(k []byte) bool { generations[numberOf(k[:len(k)-8])] = true; return true }),
		u.store.eachKey(key(3, 'l'), nil, func([]byte) bool { operations++; return true }))
	if err != nil || len(generations) != 1 || operations != u.p.logged-u.p.newest.logged {
		t.Errorf("generations %v, %d operations of %d (%v)", generations, operations, u.p.logged-u.p.newest.logged, err)
	}
}

func TestReports(t *testing.T) {
	s := openStore(t, t.TempDir())
	if r, err := s.Report("retail", 1); r != nil || err != nil {
		t.Error(r, err)
	}
	for _, size := range []int{1, reportChunk - 1, reportChunk, reportChunk + 1, 3 * reportChunk, 10} {
		want := bytes.Repeat([]byte{byte(size)}, size)
		err := errors.Join(s.SetReport("retail", 1, want), s.SetReport("retail", 2, []byte("two")))
		got, err2 := s.Report("retail", 1)
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
	}
}

func TestPrune(t *testing.T) {
	u := newRun(t, retail()) // keeps 72 h, looks after every third closing
	for i := range 200 {
		id := fmt.Sprint("t", i)
		u.apply(t, []event.Event{decide(id, 1, at(i, 0), "review"), outcome(id, at(i, 1), 1, 0)})
		if i%50 == 49 {
			u.p = openPartition(t, u.store, u.options)
		}
	}
	index, archive := 0, 0
	err := errors.Join(
		u.store.eachKey(key(3, 'c'), nil, func([]byte) bool { index++; return true }),
		u.p.eachBlock('a', 0, func(number int64, block []byte) (bool, error) {
			return true, eachEntry(number, block, func(place, []byte) error { archive++; return nil })
		}))
	if err != nil || index != archive || index < 72 || index > 72+30+3 {
		t.Errorf("%d in the archive, %d in the index (%v)", archive, index, err)
	}
	for i, kept := range map[int]bool{199: true, 130: true, 100: false} {
		k, err := u.p.recall(fmt.Sprint("t", i))
		if err != nil || (k != nil) != kept {
			t.Errorf("t%d: %v, %v", i, k, err)
		}
	}
	u.check(t)
}

// TestLargeBatches puts more into one batch than a transaction holds, by each
// of the ways in which there may be much.
func TestLargeBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200 MB")
	}
	u := &run{store: openStore(t, t.TempDir())}
	u.options = Options{Rules: []Rules{retail()}, Limits: wide, NewLedger: counting, Letters: true}
	u.p = openPartition(t, u.store, u.options)
	send := func(batch []event.Entry) {
		t.Helper()
		apply(t, u.p, batch)
		u.offset += int64(len(batch))
	}
	t.Run("dead letters", func(t *testing.T) {
		var batch []event.Entry
		for i := range 40 {
			batch = append(batch, event.Entry{Fault: event.Faultf(event.Malformed, "large"),
				Record: event.Record{Offset: u.offset + int64(i), Value: make([]byte, 1<<20-100*(i%2))}})
		}
		batch[7].Record.Value = make([]byte, letterMost+1)
		batch[8].Record.Headers = []event.Header{{Key: "h", Value: make([]byte, 2<<20)}}
		send(batch)
		letters, err := u.p.Outbox(100)
		if err != nil || len(letters) != 9 || len(letters[7].Value) != letterHead {
			t.Fatalf("%d letters, %v", len(letters), err)
		}
		for ; len(letters) > 0; letters, _ = u.p.Outbox(100) {
			if err := u.p.Delivered(letters); err != nil {
				t.Fatal(err)
			}
		}
		if u.p.Waiting() != 0 {
			t.Errorf("%d wait", u.p.Waiting())
		}
	})
	t.Run("growing trajectories", func(t *testing.T) {
		var events []event.Event
		for d := range 30 {
			for i := range 40 {
				e := decide(fmt.Sprint("grows", i), d+1, at(10, 0), "review")
				e.Decision.State = []event.Member{{Name: "text", Value: event.TextOf(strings.Repeat("x", 20_000))}}
				events = append(events, e)
			}
		}
		send(entries(u.offset, events...))
	})
	t.Run("all time out at once", func(t *testing.T) {
		var events []event.Event
		for i := range 40_000 {
			events = append(events, decide(fmt.Sprint("quiet", i), 1, at(10, 0), "review"))
		}
		events = append(events, decide("last", 1, at(1000, 0), "review"), decide("very last", 1, at(1000, 0), "review"))
		send(entries(u.offset, events...))
		if s := u.p.Stats(); s.Open != 2 || s.Experiments[0].Censored != 40_040 {
			t.Errorf("%d open, %d censored", s.Open, s.Experiments[0].Censored)
		}
	})
	t.Run("a long id", func(t *testing.T) {
		before := u.p.Stats().Rejected[event.TooLarge]
		send(entries(u.offset, decide(strings.Repeat("i", maxID), 1, at(1001, 0), "review"), decide(strings.Repeat("i", 65_001), 1, at(1001, 0), "review")))
		if n := u.p.Stats().Rejected[event.TooLarge] - before; n != 1 {
			t.Errorf("%d too large", n)
		}
	})
}

// counting makes ledgers that only count.
func counting(int, bool, []string) Ledger { return new(counter) }

type counter struct{ n int64 }

func (c *counter) Add(*event.Trajectory)                 { c.n++ }
func (c *counter) Remove(*event.Trajectory)              { c.n-- }
func (c *counter) Merge(o Ledger)                        { c.n += o.(*counter).n }
func (c *counter) AppendBinary(b []byte) ([]byte, error) { return fmt.Append(b, c.n), nil }
func (c *counter) UnmarshalBinary(b []byte) error {
	_, err := fmt.Sscan(string(b), &c.n)
	return err
}

func TestCommitted(t *testing.T) {
	u := newRun(t, retail())
	now, took := time.Time{}, []time.Duration{}
	u.options.Clock = func() time.Time { now = now.Add(time.Second); return now }
	u.options.Committed = func(d time.Duration) { took = append(took, d) }
	u.p = openPartition(t, u.store, u.options)
	u.apply(t, someEvents())
	if len(took) != 1 || took[0] != time.Second {
		t.Errorf("took %v", took)
	}
	u.options.Clock = nil
	u.p = openPartition(t, u.store, u.options)
	u.apply(t, []event.Event{decide("x", 1, at(11, 0), "review")})
}
