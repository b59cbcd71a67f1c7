package state

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blipd/event"
)

var update = flag.Bool("update", false, "rewrite testdata/stories")

// TestStories tells each story of testdata/stories again. A line that begins
// at the margin is a command (story_line_test.go), what is indented below it is
// what came of it; # begins a remark.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := tell(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want) {
				t.Errorf("the story has changed; -update rewrites it. It is now:\n%s", got)
			}
		})
	}
}

// story is a partition and what has been told of it.
type story struct {
	t       *testing.T
	dir     string
	rules   []Rules
	limits  Limits
	keep    time.Duration
	store   *Store
	p       *Partition
	offset  int64
	letters int64 // seen
	log     []string
	bad     []string
	out     strings.Builder
}

func tell(t *testing.T, text string) string {
	s := &story{t: t, dir: t.TempDir(), rules: []Rules{retail()}, limits: wide, keep: 72 * time.Hour}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "  ") {
			continue
		}
		s.out.WriteString(line + "\n")
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			s.run(words[0], words[1:])
		}
	}
	s.close()
	for _, wrong := range s.bad {
		t.Error(wrong)
	}
	return s.out.String()
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(&s.out, "  "+format+"\n", args...) }

func (s *story) open() {
	if s.p != nil {
		return
	}
	store, err := Open(Config{Dir: s.dir, KeepClosed: s.keep}, "blipd.events")
	if err != nil {
		s.t.Fatal(err)
	}
	s.store = store
	o := Options{Rules: s.rules, Limits: s.limits, NewLedger: toys(&s.log, &s.bad), Letters: true}
	o.pace = pace{checkpoint: 3, chunk: 100, block: 300, journal: 500}
	if s.p, err = store.Partition(0, o); err != nil {
		s.t.Fatal(err)
	}
	s.log = nil
}

func (s *story) close() {
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			s.t.Error(err)
		}
	}
	s.store, s.p = nil, nil
}

func (s *story) run(command string, words []string) {
	switch command {
	case "rules":
		s.setRules(words)
		return
	case "restart":
		s.close()
		s.setRules(words)
		s.open()
		for x := range s.rules {
			number, since := s.p.Epoch(x)
			s.say("%s: epoch %d since offset %d", s.rules[x].Experiment.Name, number, since)
		}
		return
	}
	s.open()
	before := s.p.Stats()
	switch command {
	case "finish":
		if err := s.p.Finish(); err != nil {
			s.t.Fatal(err)
		}
	case "stats":
		s.sayStats()
		return
	case "ledger":
		s.sayLedgers()
		return
	default:
		e := s.event(command, words)
		if err := s.p.applyAll(entries(s.offset, e), s.offset+1); err != nil {
			s.t.Fatal(err)
		}
		s.offset++
		s.sayFate(before, s.p.Stats())
	}
	s.sayChanges(before, s.p.Stats())
}

// sayFate tells whether the event was accepted.
func (s *story) sayFate(before, after *Stats) {
	letters, err := s.p.Outbox(1000)
	if err != nil {
		s.t.Fatal(err)
	}
	told := map[string]int64{}
	for _, l := range letters {
		if l.Sequence < s.letters {
			continue
		}
		s.letters = l.Sequence + 1
		heads := map[string]string{}
		for _, h := range l.Headers {
			heads[h.Key] = string(h.Value)
		}
		s.say("offset %s, %s: %s: %s", heads["blipd-offset"], l.Value, heads["blipd-reason"], heads["blipd-detail"])
		told[heads["blipd-reason"]]++
	}
	none := true
	for _, r := range event.Reasons() {
		n := after.Rejected[r] - before.Rejected[r]
		none = none && n == 0
		if r.DeadLetter() && n != told[r.String()] {
			s.t.Errorf("%s: %d counted, %d letters", r, n, told[r.String()])
		}
		if !r.DeadLetter() && n > 0 {
			s.say("%s", r)
		}
	}
	if none {
		s.say("accepted")
	}
}

// sayChanges tells what came of it.
func (s *story) sayChanges(before, after *Stats) {
	if before.Stream != after.Stream {
		s.say("stream time %s", clockOf(after.Stream))
	}
	for x := range after.Experiments {
		e, f := &before.Experiments[x], &after.Experiments[x]
		for _, how := range Hows() {
			if n := f.Closed[how] - e.Closed[how]; n > 0 {
				s.say("closed: %d by %s", n, how)
			}
		}
	}
	for _, line := range s.log {
		s.say("ledger %s", line)
	}
	s.log = nil
	for x := range after.Experiments {
		if to := after.Experiments[x].CompleteTo; to != before.Experiments[x].CompleteTo {
			s.say("%s complete to %s", s.rules[x].Experiment.Name, clockOf(to))
		}
	}
}

func (s *story) sayStats() {
	a := s.p.Stats()
	s.say("next %d, stream time %s, records %d, open %d, outbox %d", a.Next, clockOf(a.Stream), a.Records, a.Open, a.Outbox)
	for x := range a.Experiments {
		e := &a.Experiments[x]
		s.say("%s: started %d, open %d, closed %v, changed %d, censored %d %v, not randomized %v, assigned %v, expected %v, complete to %s",
			s.rules[x].Experiment.Name, e.Started, e.Open, e.Closed, e.Changed, e.Censored, e.CensoredRows, e.NotRandomized, e.Assigned, e.Expected, clockOf(e.CompleteTo))
		if e.Excluded > 0 {
			s.say("%s: excluded %d", s.rules[x].Experiment.Name, e.Excluded)
		}
	}
}

func (s *story) sayLedgers() {
	for x := range s.rules {
		closed, complete := s.p.Ledgers(x)
		inComplete := map[string]bool{}
		for _, line := range complete[0].(*toy).list(s.t) {
			inComplete[line] = true
		}
		for _, line := range closed[0].(*toy).list(s.t) {
			if inComplete[line] {
				line += "  (complete)"
			}
			s.say("%s %s", s.rules[x].Experiment.Name, line)
		}
		if len(closed[0].(*toy).held) == 0 {
			s.say("%s is empty", s.rules[x].Experiment.Name)
		}
	}
}
