package state

import (
	"testing"

	"blipd/event"
	"blipd/event/pack"
)

// FuzzKept reads arbitrary bytes as a trajectory on disk: nothing panics, and
// what can be read is written the same.
func FuzzKept(f *testing.F) {
	k := newKept("a")
	k.put(&event.Event{Type: event.TypeDecision, Time: at(1, 0), Decision: decide("a", 1, at(1, 0), "review").Decision})
	o := outcome("a", at(2, 0), 1, 3)
	k.put(&o)
	v, e := intervene("a", 1, "approve"), ended("a", at(2, 1), 1)
	k.put(&v)
	k.put(&e)
	k.waiting = []waiting{{event.Record{Offset: 7, Key: []byte("a"), Value: []byte("{}"), Headers: []event.Header{{Key: "h", Value: []byte("v")}}}, o}, {event.Record{}, v}}
	var w pack.Writer
	k.pack(&w, 0)
	f.Add(w.B)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := pack.Reader{B: b}
		var k kept
		k.unpack(&r)
		f := newFold([]Rules{retail()}, wide, counting, nil)
		if r.Err() != nil || !f.sound(k.packed) {
			return
		}
		f.whole(&k)
		var first, second pack.Writer
		k.pack(&first, 0)
		r = pack.Reader{B: first.B}
		var again kept
		again.unpack(&r)
		again.pack(&second, 0)
		if r.Err() != nil || string(first.B) != string(second.B) {
			t.Errorf("%q became %q (%v)", first.B, second.B, r.Err())
		}
	})
}

// FuzzUnseal reads arbitrary bytes as a sealed value, and as counters.
func FuzzUnseal(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = unseal("it", b, func(r *pack.Reader) { r.Text() })
		value := seal(func(w *pack.Writer) { w.B = append(w.B, b...) })
		_ = unseal("it", value, func(r *pack.Reader) { unpackExperimentStats(r) })
	})
}

// TestSizes holds sizeOf to be no less than what an event takes on disk: by it
// a commit is known to fit into a transaction.
func TestSizes(t *testing.T) {
	d := decide("a", 1<<40, at(1, 0), "review")
	d.Decision.State = []event.Member{{Name: "n", Value: event.NumberOf(1)}, {Name: "t", Value: event.TextOf("text")}}
	d.Decision.Scores = d.Decision.State[:1]
	d.Decision.Agent = event.Agent{Name: "name", Version: "version", Model: "model"}
	v := intervene("a", 1<<40, "approve")
	v.Intervention.Reviewer, v.Intervention.DecisionID = event.Source{Kind: "kind", Name: "name", Version: "version"}, "id"
	o := outcome("a", at(2, 0), 1, 1<<30)
	e := ended("a", at(2, 1), 1<<40)
	e.End.Reason = "because"
	for _, ev := range []event.Event{d, v, o, e} {
		k := newKept("")
		var before, after pack.Writer
		k.pack(&before, 0)
		k.put(&ev)
		k.pack(&after, 0)
		if n := len(after.B) - len(before.B); n > sizeOf(&ev)+20 || sizeOf(&ev) > n+120 { // 20: First and Last
			t.Errorf("%s: %d bytes, sizeOf %d", ev.Type, n, sizeOf(&ev))
		}
	}
}

// FuzzJournal reads arbitrary bytes as a block of the journal, and as the bodies of
// two entries with sound checksums, one behind the other: nothing panics, and what
// is noted of memory stays true.
func FuzzJournal(f *testing.F) {
	k := newKept("a")
	d := decide("a", 1, at(1, 0), "review")
	k.put(&d)
	entry := func(from int) []byte {
		w := pack.Writer{B: []byte{entryOpen}}
		k.pack(&w, from)
		return w.B
	}
	whole, from := entry(0), len(k.packed)
	d = decide("a", 2, at(1, 1), "direct")
	k.put(&d)
	f.Add(whole, entry(from))
	f.Add(whole, append([]byte{entryVoid}, 2, 'a'))
	f.Add([]byte{}, []byte{9, 0, 0, 0})
	f.Fuzz(func(t *testing.T, one, two []byte) {
		_ = eachEntry(0, one, func(place, []byte) error { return nil })
		p := &Partition{fold: newFold([]Rules{retail()}, wide, counting, nil)}
		p.options.pace.memory = 1 << 40
		for i, body := range [][]byte{one, two} {
			_ = p.restoreEntry(place{0, int64(i)}, seal(func(w *pack.Writer) { w.B = append(w.B, body...) }))
		}
		held, live := int64(0), int64(0)
		for _, k := range p.fold.open {
			held, live = held+int64(cap(k.packed)), live+int64(k.stored)
			if p.fold.sound(k.packed) {
				p.fold.whole(k)
			}
		}
		if held != p.fold.held || live != p.journal.live {
			t.Errorf("%d bytes are held, %d noted; %d alive, %d noted", held, p.fold.held, live, p.journal.live)
		}
	})
}
