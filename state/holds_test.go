package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHolds: entries and what they leave held outlive the store.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		t.Helper()
		s, err := Open(Config{Dir: dir, Memory: 64 << 20}, "topic")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	check := func(s *Store, book []Hold, held ...Hold) {
		t.Helper()
		got, err := s.Holds()
		if diff := cmp.Diff(book, got); diff != "" || err != nil {
			t.Errorf("%v, book (-want +got):\n%s", err, diff)
		}
		want := map[string]Hold{}
		for _, h := range held {
			want[h.Experiment] = h
		}
		if got, err := s.Held(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v, held %v, want %v", err, got, want)
		}
	}
	at := time.Date(2026, 11, 30, 3, 0, 0, 1, time.UTC)
	one := Hold{At: at, Experiment: "one", Held: true, Reason: "refunds look odd", By: "anna", User: "a", Remote: "192.0.2.1:5"}
	two := Hold{At: at, Experiment: "two", Held: true, Reason: "refunds look odd", By: "anna"}
	free := Hold{At: at.Add(time.Hour), Experiment: "one", Reason: "they do not", By: "otto"}
	again := Hold{At: at.Add(2 * time.Hour), Experiment: "two", Held: true, Reason: "still", By: "otto"}

	s := open()
	check(s, nil)
	for _, entries := range [][]Hold{{one, two}, {free}} {
		if err := s.SetHolds(entries); err != nil {
			t.Fatal(err)
		}
	}
	check(s, []Hold{one, two, free}, two)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	check(s, []Hold{one, two, free}, two)
	if err := s.SetHolds([]Hold{again}); err != nil {
		t.Fatal(err)
	}
	check(s, []Hold{one, two, free, again}, again)
}

// TestHoldsAreBounded: the oldest entries go, and what they hold stays held.
func TestHoldsAreBounded(t *testing.T) {
	s, err := Open(Config{Dir: t.TempDir(), Memory: 64 << 20}, "topic")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := Hold{At: time.Unix(1, 0).UTC(), Experiment: "first", Held: true}
	if err := s.SetHolds([]Hold{first}); err != nil {
		t.Fatal(err)
	}
	var many []Hold
	for n := range mostHolds / 2 {
		many = append(many, Hold{At: time.Unix(2, 0).UTC(), Experiment: "x", Held: n%2 == 0, Reason: fmt.Sprint(n)})
	}
	for range 5 {
		if err := s.SetHolds(many); err != nil {
			t.Fatal(err)
		}
	}
	book, err := s.Holds()
	if err != nil || len(book) != mostHolds || book[mostHolds-1].Reason != fmt.Sprint(mostHolds/2-1) || book[0].Reason != "0" {
		t.Errorf("%v, %d entries from %v", err, len(book), book[0])
	}
	if held, err := s.Held(); err != nil || len(held) != 1 || held["first"] != first {
		t.Errorf("%v, held %v", err, held)
	}
}
