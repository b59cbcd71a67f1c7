package state

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"blipd/event"
)

var seed = flag.Uint64("seed", 0, "of the first random log; 0: another one each time")

// logs runs a property over random logs, with their seeds.
func logs(t *testing.T, n int, property func(t *testing.T, r *rand.Rand)) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	for i := range uint64(n) {
		property(t, rand.New(rand.NewPCG(first+i, 7)))
		if t.Failed() {
			t.Fatalf("-seed %d", first+i)
		}
	}
}

// randomLog begins with two plain decisions, so that stream time is there, and
// goes on for n events, mostly in the order of time, now and then with a jump.
func randomLog(r *rand.Rand, n int) []event.Event {
	now := at(10, 0)
	events := []event.Event{decide("p", 1, now, "review"), decide("q", 1, now, "direct")}
	for len(events) < n {
		switch r.IntN(40) {
		case 0:
			now = now.Add(time.Duration(r.IntN(30)) * time.Hour)
		default:
			now = now.Add(time.Duration(r.IntN(600)) * time.Second)
		}
		id, when := string(rune('a'+r.IntN(12))), now
		if r.IntN(4) == 0 {
			when = now.Add(-time.Duration(r.IntN(20)) * time.Hour)
		}
		if r.IntN(100) == 0 {
			when = now.Add(time.Duration(r.IntN(60)) * time.Hour)
		}
		e := decide(id, 1+r.IntN(6), when, []string{"direct", "review"}[r.IntN(2)])
		switch r.IntN(8) {
		case 0, 1:
			e = outcome(id, when, float64(r.IntN(3))/2, r.IntN(4))
			e.Outcome.Provisional = r.IntN(3) == 0
		case 2:
			e = intervene(id, 1+r.IntN(6), event.Verdicts[r.IntN(2)])
		case 3:
			e = ended(id, when, r.IntN(3))
		case 4:
			e = events[r.IntN(len(events))] // again
		case 5:
			if r.IntN(10) == 0 {
				e = excluded(id)
			}
		}
		events = append(events, e)
	}
	return events
}

func randomRules(r *rand.Rand) Rules {
	rules := retail()
	rules.Timeout = time.Duration(1+r.IntN(30)) * time.Hour
	rules.RevisionWindow = time.Duration(r.IntN(30)) * time.Hour
	rules.CloseGrace = time.Duration(r.IntN(3)) * 20 * time.Minute
	rules.StartPeriod = time.Duration(1+r.IntN(5)) * 20 * time.Minute
	return rules
}

func TestTwin(t *testing.T) {
	logs(t, 40, func(t *testing.T, r *rand.Rand) {
		rules := randomRules(r)
		w := &twin{rules: rules, keep: 72 * time.Hour, latest: map[string]event.Time{}}
		run := newRun(t, rules)
		for i, e := range randomLog(r, 400) {
			w.apply(e)
			run.apply(t, []event.Event{e})
			stats := run.p.Stats()
			started, open := w.counts()
			if stats.Stream != w.now() || int(stats.Open) != open || int(stats.Experiments[0].Started) != started || rejected(stats) != int64(w.refused) {
				t.Fatalf("event %d: %+v\nstream %s open %d started %d rejected %d, want %s %d %d %d", i, e, stats.Stream, stats.Open,
					stats.Experiments[0].Started, rejected(stats), w.now(), open, started, w.refused)
			}
		}
		closed, _ := run.p.Ledgers(0)
		if got, want := closed[0].(*toy).list(t), w.contributions(); !slices.Equal(got, want) {
			t.Errorf("in the ledgers:\n%q\nwant\n%q", got, want)
		}
		run.check(t)
	})
}

// run is a partition and the log it reads.
type run struct {
	store   *Store
	options Options
	p       *Partition
	offset  int64
	bad     []string
}

func newRun(t *testing.T, rules ...Rules) *run {
	u := &run{store: openStore(t, t.TempDir())}
	u.options = Options{Rules: rules, Limits: wide, NewLedger: toys(nil, &u.bad), NewLearner: pupils, Letters: true, pace: pace{checkpoint: 30, chunk: 50, block: 700, journal: 1000}}
	u.p = openPartition(t, u.store, u.options)
	return u
}

func (u *run) apply(t *testing.T, events []event.Event) {
	t.Helper()
	apply(t, u.p, entries(u.offset, events...))
	u.offset += int64(len(events))
}

func (u *run) check(t *testing.T) {
	t.Helper()
	for _, wrong := range u.bad {
		t.Error(wrong)
	}
	if n, most := len(u.p.fold.due), len(u.p.fold.open); n > most {
		t.Errorf("%d due times of %d open trajectories", n, most)
	}
}

func rejected(s *Stats) (n int64) {
	for _, r := range s.Rejected {
		n += r
	}
	return n
}

// state is everything that a partition is, as bytes and counters.
func stateOf(t *testing.T, p *Partition) string {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%+v\n", *p.Stats())
	for x := range p.options.Rules {
		fmt.Fprintf(&b, "%+v\n", p.fold.learn[x])
		closed, complete := p.Ledgers(x)
		for part := range closed {
			one, err := closed[part].AppendBinary(nil)
			two, err2 := complete[part].AppendBinary(nil)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%q\n%q\n", one, two)
		}
	}
	letters, err := p.Outbox(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range letters {
		fmt.Fprintf(&b, "%d %q %q %s\n", l.Sequence, l.Key, l.Value, l.Headers)
	}
	return b.String()
}

// TestKill kills one of two partitions again and again, right behind a commit,
// also in the middle of what one record closes: it must not be seen.
func TestKill(t *testing.T) {
	logs(t, 12, func(t *testing.T, r *rand.Rand) {
		first, second := randomRules(r), randomRules(r)
		second.Experiment.Name = "support"
		events := randomLog(r, 500)
		for i := range events {
			if e := &events[i]; e.Type == event.TypeDecision || r.IntN(3) == 0 && e.Type == event.TypeOutcome {
				e.Experiment = []string{"retail", "support"}[int(e.Trajectory[0])%2]
			}
		}
		plain, killed := newRun(t, first, second), newRun(t, first, second)
		plain.apply(t, events)

		type kill struct{}
		killed.options.Clock = func() time.Time { return time.Time{} }
		killed.options.Committed = func(time.Duration) {
			if r.IntN(6) == 0 {
				panic(kill{})
			}
		}
		killed.options.pace.commitBytes, killed.options.pace.commitCount = 1, 1
		plain.options.pace.memory, killed.options.pace.memory = 1<<40, int64(1+r.IntN(2000)) // nobody sleeps, or most do
		log := entries(0, events...)
		live := func() (done bool) {
			defer func() {
				if v := recover(); v != nil && v != (kill{}) {
					panic(v)
				}
			}()
			killed.p = openPartition(t, killed.store, killed.options)
			from := max(0, killed.p.Next())
			to := min(int64(len(log)), from+int64(r.IntN(60)))
			if err := killed.p.applyAll(log[max(0, from-3):to], to); err != nil {
				t.Fatal(err)
			}
			return to == int64(len(log))
		}
		for !live() {
		}
		killed.options.Committed = nil
		killed.p = openPartition(t, killed.store, killed.options)
		if got, want := stateOf(t, killed.p), stateOf(t, plain.p); got != want {
			t.Errorf("killed:\n%s\nnever killed:\n%s", got, want)
		}
		before := stateOf(t, plain.p)
		plain.p = openPartition(t, plain.store, plain.options)
		if after := stateOf(t, plain.p); after != before {
			t.Errorf("restarted:\n%s\nbefore:\n%s", after, before)
		}
		plain.check(t)
		killed.check(t)
	})
}

// TestRedelivery gives the whole log once more, under new offsets, to a
// partition that has everything kept: nothing has an effect.
func TestRedelivery(t *testing.T) {
	logs(t, 5, func(t *testing.T, r *rand.Rand) {
		rules := randomRules(r)
		rules.Timeout, rules.RevisionWindow = 1e4*time.Hour, 1e4*time.Hour
		u := newRun(t, rules)
		events := randomLog(r, 400)
		u.apply(t, events)
		before, _ := u.p.Ledgers(0)
		one := *u.p.Stats()
		u.apply(t, events)
		after, _ := u.p.Ledgers(0)
		two := *u.p.Stats()
		if !reflect.DeepEqual(before, after) {
			t.Error("ledgers have changed")
		}
		if n := rejected(&two) - rejected(&one); n != int64(len(events)) {
			t.Errorf("%d of %d were rejected", n, len(events))
		}
		two.Next, two.Records, two.Rejected, two.Outbox = one.Next, one.Records, one.Rejected, one.Outbox
		if !reflect.DeepEqual(one, two) {
			t.Errorf("%+v\nbecame\n%+v", one, two)
		}
		// Offsets below Next: not even counters.
		was := stateOf(t, u.p)
		apply(t, u.p, entries(0, events...))
		if got := stateOf(t, u.p); got != was {
			t.Error("a batch below Next had an effect")
		}
		u.check(t)
	})
}

// TestShuffle reads the same events in other orders: when nothing times out
// and nothing conflicts, the same contributions come of it.
func TestShuffle(t *testing.T) {
	logs(t, 6, func(t *testing.T, r *rand.Rand) {
		rules := retail()
		rules.Timeout, rules.RevisionWindow = 1e4*time.Hour, 1e4*time.Hour
		rules.CloseGrace = time.Duration(r.IntN(2)) * time.Hour
		var events []event.Event
		for i := range 30 {
			id := fmt.Sprint("t", i)
			for d := range r.IntN(5) {
				events = append(events, decide(id, d+1, at(10+i, d), []string{"direct", "review"}[r.IntN(2)]))
				if r.IntN(2) == 0 {
					events = append(events, intervene(id, d+1, "approve"))
				}
			}
			for revision := range 1 + r.IntN(3) {
				events = append(events, outcome(id, at(11+i, revision), float64(r.IntN(2)), revision))
			}
			events = append(events, ended(id, at(11+i, 9), 3), events[r.IntN(len(events))])
		}
		var want []string
		for range 4 {
			u := newRun(t, rules)
			u.apply(t, events)
			if err := u.p.Finish(); err != nil {
				t.Fatal(err)
			}
			closed, complete := u.p.Ledgers(0)
			got := closed[0].(*toy).list(t)
			for i := range got { // interventions stand as they were read
				got[i] = sortedWords(got[i])
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) || len(got) != 30 {
				t.Errorf("%d contributions:\n%q\nwant\n%q", len(got), got, want)
			}
			if !reflect.DeepEqual(closed[0].(*toy).held, complete[0].(*toy).held) {
				t.Error("the scopes differ at the end of input")
			}
			u.check(t)
			r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		}
	})
}

func sortedWords(s string) string {
	words := bytes.Fields([]byte(s))
	slices.SortFunc(words, bytes.Compare)
	return string(bytes.Join(words, []byte(" ")))
}
