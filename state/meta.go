package state

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"blipd/event"
	"blipd/event/pack"
)

// meta is what a partition keeps beside trajectories and ledgers.
type meta struct {
	next, logged, letters     int64
	archived                  int64 // blocks ever put into the archive
	journalFirst, journalNext int64
	log                       event.Log
	clock                     clock
	stats                     Stats // without Experiments
	experiments               map[string]experimentMeta
	retired                   map[string]int64 // see Partition
}

// experimentMeta is the part of one experiment, known by its name.
type experimentMeta struct {
	epoch epoch
	done  int64
	parts []int64 // numbers of those that its book has
	stats ExperimentStats
}

func (p *Partition) writeMeta(txn *badger.Txn, logged, letters, archived int64) error {
	f := p.fold
	return txn.Set(key(p.number, 'm'), seal(func(w *pack.Writer) {
		w.Ints([]int64{p.next, logged, letters, archived, p.journal.first, p.journal.next})
		w.Ints([]int64{int64(f.clock.begun), int64(f.clock.now), int64(f.clock.ahead)})
		w.Text(f.clock.leader)
		w.Ints([]int64{int64(f.stats.Stream), f.stats.Records, f.stats.Open})
		packInts(w, f.stats.Rejected)
		w.Int(int64(len(f.rules)))
		for x := range f.rules {
			w.Text(f.rules[x].Experiment.Name)
			e := p.epochs[x]
			w.Int(int64(e.number))
			w.Text(e.hash)
			w.Int(e.since)
			w.Int(f.books[x].done)
			packInts(w, numbersOf(p.parts[x]))
			packExperimentStats(w, &f.stats.Experiments[x])
		}
		w.Int(int64(len(p.retired)))
		for _, name := range slices.Sorted(maps.Keys(p.retired)) {
			w.Text(name)
			w.Int(p.retired[name])
		}
		w.Text(string(p.log.Topic[:]))
		w.Ints([]int64{int64(p.log.Partitions), int64(p.log.Term), p.log.Start, p.log.End})
	}))
}

// readMeta reads what writeMeta wrote; found is false in an empty partition.
func (p *Partition) readMeta() (m meta, found bool, err error) {
	err = p.store.read(key(p.number, 'm'), fmt.Sprintf("the offset of partition %d", p.number), func(r *pack.Reader) {
		m.next, m.logged, m.letters = r.Int(), r.Int(), r.Int()
		m.archived, m.journalFirst, m.journalNext = r.Int(), r.Int(), r.Int()
		m.clock = clock{event.Time(r.Int()), event.Time(r.Int()), event.Time(r.Int()), r.Text()}
		m.stats.Stream, m.stats.Records, m.stats.Open = event.Time(r.Int()), r.Int(), r.Int()
		m.stats.Rejected = unpackInts(r)
		m.experiments = map[string]experimentMeta{}
		for range r.Count() {
			name := r.Text()
			m.experiments[name] = experimentMeta{epoch{int(r.Int()), r.Text(), r.Int()}, r.Int(), unpackInts(r), unpackExperimentStats(r)}
		}
		m.retired = map[string]int64{}
		for range r.Count() {
			name := r.Text()
			m.retired[name] = r.Int()
		}
		if id := r.Text(); copy(m.log.Topic[:], id) != len(m.log.Topic) || len(id) != len(m.log.Topic) {
			r.Fail()
		}
		m.log.Partitions, m.log.Term, m.log.Start, m.log.End = int(r.Int()), int32(r.Int()), r.Int(), r.Int()
	})
	if isAbsent(err) {
		return meta{}, false, nil
	}
	return m, err == nil, err
}

func packExperimentStats(w *pack.Writer, s *ExperimentStats) {
	w.Ints([]int64{s.Started, s.Open, s.Changed, s.Excluded, s.Censored, int64(s.CompleteTo)})
	w.Ints(s.Closed[:])
	packInts(w, s.CensoredRows)
	packInts(w, s.NotRandomized)
	packInts(w, s.Assigned)
	w.Int(int64(len(s.Expected)))
	w.Floats(s.Expected)
}

func unpackExperimentStats(r *pack.Reader) (s ExperimentStats) {
	s.Started, s.Open, s.Changed, s.Excluded, s.Censored, s.CompleteTo = r.Int(), r.Int(), r.Int(), r.Int(), r.Int(), event.Time(r.Int())
	r.Ints(s.Closed[:])
	s.CensoredRows, s.NotRandomized, s.Assigned = unpackInts(r), unpackInts(r), unpackInts(r)
	s.Expected = r.Floats(int(r.Int()))
	return s
}

func packInts(w *pack.Writer, xs []int64) {
	w.Int(int64(len(xs)))
	w.Ints(xs)
}

func unpackInts(r *pack.Reader) []int64 {
	xs := make([]int64, r.Count())
	r.Ints(xs)
	return xs
}

// clone is a copy that shares nothing.
func (s *Stats) clone() *Stats {
	c := *s
	c.Rejected = slices.Clone(s.Rejected)
	c.Experiments = slices.Clone(s.Experiments)
	for x := range c.Experiments {
		e := &c.Experiments[x]
		e.CensoredRows, e.NotRandomized = slices.Clone(e.CensoredRows), slices.Clone(e.NotRandomized)
		e.Assigned, e.Expected = slices.Clone(e.Assigned), slices.Clone(e.Expected)
	}
	return &c
}
