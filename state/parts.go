package state

import (
	"fmt"
	"slices"

	"blipd/event/pack"
)

// part is what an experiment sums side by side since one moment: policies that
// were there when it began. The first of an epoch also sums everything that is no
// policy's; each other one is of policies that were added later, and begins with
// the closed trajectories that are kept then. So a new policy changes no other sum.
type part struct {
	number   int64 // of the experiment, never used again
	policies []string
}

// parts are those of one experiment. They are the store's, not a partition's:
// whichever partition is opened, and when, sums merge only where parts agree.
type parts struct {
	hash string // of the analysis definition
	next int64  // number that no part has had
	list []part
}

// under are the parts under rules that may have changed. Another definition begins
// with one part (and another one for the policies, where they are summed apart). A
// policy that is gone leaves its part; one that is new begins the next.
func (s parts) under(rules *Rules) parts {
	if s.hash != rules.Hash || len(s.list) == 0 {
		s.hash, s.list = rules.Hash, nil
		if rules.PoliciesApart {
			s.begin(nil)
		} else {
			s.begin(rules.Policies)
			return s
		}
	}
	var known []string
	var list []part
	for i, p := range s.list {
		var still []string
		for _, name := range p.policies {
			if slices.Contains(rules.Policies, name) {
				still = append(still, name)
			}
		}
		if i == 0 || len(still) > 0 {
			list = append(list, part{p.number, still})
		}
		known = append(known, still...)
	}
	s.list = list
	var fresh []string
	for _, name := range rules.Policies {
		if !slices.Contains(known, name) {
			fresh = append(fresh, name)
		}
	}
	if len(fresh) > 0 {
		s.begin(fresh)
	}
	return s
}

func (s *parts) begin(policies []string) {
	s.list = append(s.list, part{s.next, policies})
	s.next++
}

// parts are those of an experiment under its rules. They are written before any
// partition counts by them.
func (s *Store) parts(rules *Rules) (parts, error) {
	s.partsLock.Lock()
	defer s.partsLock.Unlock()
	name := rules.Experiment.Name
	var old parts
	err := s.read(keyParts(name), fmt.Sprintf("the parts of experiment %q", name), func(r *pack.Reader) { old = unpackParts(r) })
	if err != nil && !isAbsent(err) {
		return parts{}, err
	}
	now := old.under(rules)
	if now.equal(&old) {
		return now, nil
	}
	if err := s.set(keyParts(name), seal(now.pack)); err != nil {
		return parts{}, fmt.Errorf("state: keep the parts of experiment %q: %w", name, err)
	}
	return now, nil
}

func keyParts(experiment string) []byte { return []byte("parts " + experiment) }

func (s *parts) equal(o *parts) bool {
	return s.hash == o.hash && s.next == o.next && slices.EqualFunc(s.list, o.list, func(a, b part) bool {
		return a.number == b.number && slices.Equal(a.policies, b.policies)
	})
}

func (s *parts) pack(w *pack.Writer) {
	w.Text(s.hash)
	w.Int(s.next)
	w.Int(int64(len(s.list)))
	for _, p := range s.list {
		w.Int(p.number)
		w.Int(int64(len(p.policies)))
		for _, name := range p.policies {
			w.Text(name)
		}
	}
}

func unpackParts(r *pack.Reader) (s parts) {
	s.hash, s.next = r.Text(), r.Int()
	for range r.Count() {
		p := part{number: r.Int()}
		for range r.Count() {
			p.policies = append(p.policies, r.Text())
		}
		s.list = append(s.list, p)
	}
	return s
}

// numbersOf are the numbers of parts.
func numbersOf(list []part) []int64 {
	numbers := make([]int64, len(list))
	for i := range list {
		numbers[i] = list[i].number
	}
	return numbers
}

// held is how many of the parts, from the first on, are among the numbers: those
// are summed already. New ones stand behind them.
func held(list []part, numbers []int64) int {
	n := 0
	for n < len(list) && slices.Contains(numbers, list[n].number) {
		n++
	}
	return n
}
