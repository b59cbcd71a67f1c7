package state

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"blipd/event"
	"blipd/event/pack"
)

// toy is a ledger that keeps what a real one cannot: every trajectory it holds,
// byte for byte. sum and hash depend on the order of all that was ever done.
type toy struct {
	held map[string]int // packed trajectories
	of   []string       // policies
	late bool
	sum  float64
	hash uint64
	log  *[]string // what is done to any ledger of a test; nil: not wanted
	bad  *[]string // what should never be done
}

func (l *toy) stir(what string, t string) {
	h := fnv.New64a()
	fmt.Fprint(h, l.hash, what, t)
	l.hash = h.Sum64()
	l.sum += float64(h.Sum64()%1000) / 7
}

func (l *toy) Add(t *event.Trajectory)    { l.change("+", 1, t) }
func (l *toy) Remove(t *event.Trajectory) { l.change("-", -1, t) }

func (l *toy) change(sign string, n int, t *event.Trajectory) {
	var w pack.Writer
	t.Pack(&w)
	l.held[string(w.B)] += n
	if l.held[string(w.B)] < 0 {
		*l.bad = append(*l.bad, "removed what is not in: "+describe(t))
	}
	if l.held[string(w.B)] == 0 {
		delete(l.held, string(w.B))
	}
	l.stir(sign, string(w.B))
	if l.log != nil {
		*l.log = append(*l.log, sign+" "+describe(t))
	}
}

func (l *toy) Merge(o Ledger) {
	other := o.(*toy)
	for t, n := range other.held {
		l.held[t] += n
	}
	l.stir("merge", fmt.Sprint(other.sum, other.hash))
}

func (l *toy) AppendBinary(b []byte) ([]byte, error) {
	w := pack.Writer{B: b}
	w.Bool(l.late)
	w.Text(strings.Join(l.of, " "))
	w.Float(l.sum)
	w.Int(int64(l.hash))
	w.Int(int64(len(l.held)))
	for _, t := range slices.Sorted(maps.Keys(l.held)) {
		w.Text(t)
		w.Int(int64(l.held[t]))
	}
	return w.B, nil
}

func (l *toy) UnmarshalBinary(b []byte) error {
	r := pack.Reader{B: b}
	if late, of := r.Bool(), strings.Fields(r.Text()); late != l.late || slices.ContainsFunc(l.of, func(name string) bool { return !slices.Contains(of, name) }) {
		return fmt.Errorf("it is of %q, late %v, not of %q, late %v", of, late, l.of, l.late)
	}
	l.sum, l.hash = r.Float(), uint64(r.Int())
	l.held = map[string]int{}
	for range r.Count() {
		t := r.Text()
		l.held[t] = int(r.Int())
	}
	return r.Err()
}

// list describes what the ledger holds, sorted.
func (l *toy) list(t *testing.T) []string {
	var all []string
	for packed, n := range l.held {
		r := pack.Reader{B: []byte(packed)}
		var trajectory event.Trajectory
		trajectory.Unpack(&r)
		if err := r.Err(); err != nil || n != 1 {
			t.Errorf("held %d times: %q (%v)", n, packed, err)
		}
		all = append(all, describe(&trajectory))
	}
	slices.Sort(all)
	return all
}

func describe(t *event.Trajectory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", t.ID)
	for _, i := range t.Order() {
		fmt.Fprintf(&b, " %d %s", t.IndexOf(i), t.Decisions[i].Assignment.Arm)
	}
	for _, v := range t.Interventions {
		fmt.Fprintf(&b, " [%d%s %s]", v.Index, v.DecisionID, v.Verdict)
	}
	for _, h := range t.Outcomes {
		if h.Final.Given {
			fmt.Fprintf(&b, " %s=%v@%d", h.Name, h.Final.Value, h.Final.Revision)
		}
		if h.Provisional.Given {
			fmt.Fprintf(&b, " %s~%v@%d", h.Name, h.Provisional.Value, h.Provisional.Revision)
		}
	}
	if t.End != nil {
		fmt.Fprintf(&b, " end %d", t.End.Decisions)
	}
	return b.String()
}

// toys makes ledgers that share a log and a list of wrongs.
func toys(log, bad *[]string) NewLedger {
	return func(_ int, late bool, policies []string) Ledger {
		return &toy{held: map[string]int{}, log: log, bad: bad, late: late, of: policies}
	}
}

// morning is when time begins in tests.
var morning = event.TimeOf(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC))

// retail is a plain experiment with the required outcome success in [0, 1].
func retail() Rules {
	return Rules{
		Experiment: event.Experiment{Name: "retail", Control: "direct", Interventions: []string{"review"}, MinProbability: 0.01,
			Outcomes: []event.OutcomeRule{{Name: "success", Low: 0, Up: 1, Ranged: true, Required: true}}},
		StartPeriod: time.Hour, Timeout: 24 * time.Hour, RevisionWindow: 24 * time.Hour,
		TimeoutValues: make([]*float64, 1), Hash: "first",
	}
}

var wide = Limits{OpenTrajectories: 1 << 20, DecisionsPerTrajectory: 1000}

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(Config{Dir: dir, KeepClosed: 72 * time.Hour}, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openPartition(t testing.TB, s *Store, o Options) *Partition {
	t.Helper()
	p, err := s.Partition(3, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The events of tests.

func decide(id string, index int, at event.Time, arm string) event.Event {
	return event.Event{Type: event.TypeDecision, Trajectory: id, Time: at, Decision: &event.Decision{
		Index: index, Time: at, Calls: []event.Call{{Tool: "refund", Capability: "order_write"}},
		Assignment: event.Assignment{Given: true, Arm: arm, Probabilities: []event.Probability{{Arm: "direct", P: 0.25}, {Arm: "review", P: 0.75}}},
	}}
}

func outcome(id string, at event.Time, value float64, revision int) event.Event {
	return event.Event{Type: event.TypeOutcome, Trajectory: id, Time: at,
		Outcome: &event.Outcome{Values: []event.Measured{{Name: "success", Value: value}}, Revision: revision}}
}

func intervene(id string, index int, verdict string) event.Event {
	return event.Event{Type: event.TypeIntervention, Trajectory: id, Time: event.NoTime, Intervention: &event.Intervention{Index: index, Verdict: verdict}}
}

func ended(id string, at event.Time, decisions int) event.Event {
	return event.Event{Type: event.TypeEnd, Trajectory: id, Time: at, End: &event.End{Decisions: decisions, Counted: true}}
}

func excluded(id string) event.Event {
	return event.Event{Type: event.TypeExclude, Trajectory: id, Time: event.NoTime, Exclude: &event.Exclude{Reason: "test"}}
}

// entries gives events the offsets from first on, and records to tell them by.
func entries(first int64, events ...event.Event) []event.Entry {
	all := make([]event.Entry, len(events))
	for i, e := range events {
		value := fmt.Sprintf("%s of %s", e.Type, e.Trajectory)
		all[i] = event.Entry{Event: e, Record: event.Record{Offset: first + int64(i), Key: []byte(e.Trajectory), Value: []byte(value)}}
	}
	return all
}

func apply(t testing.TB, p *Partition, batch []event.Entry) {
	t.Helper()
	if err := p.applyAll(batch, batch[len(batch)-1].Record.Offset+1); err != nil {
		t.Fatal(err)
	}
}

func at(hours, minutes int) event.Time {
	return morning.Add(time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute)
}

// applyAll applies a batch and commits it.
func (p *Partition) applyAll(batch []event.Entry, next int64) error {
	each := func(yield func(*event.Entry) bool) {
		for i := range batch {
			if !yield(&batch[i]) {
				return
			}
		}
	}
	if err := p.Apply(each, next); err != nil {
		return err
	}
	return p.Commit()
}

// pupil is a learner that says how many it has learned from, and has it checked
// that it learns in log order.
type pupil struct {
	n    int64
	hash uint64
}

func (l *pupil) Predict(t *event.Trajectory) []float64 {
	return []float64{float64(l.n), float64(len(t.Decisions))}
}

func (l *pupil) Learn(t *event.Trajectory) {
	l.n++
	h := fnv.New64a()
	fmt.Fprint(h, l.hash, t.Learned, describe(t))
	l.hash = h.Sum64()
}

func (l *pupil) Forget(id string) {
	h := fnv.New64a()
	fmt.Fprint(h, l.hash, "forget", id)
	l.hash = h.Sum64()
}

func (l *pupil) AppendBinary(b []byte) ([]byte, error) {
	w := pack.Writer{B: b}
	w.Ints([]int64{l.n, int64(l.hash)})
	return w.B, nil
}

func (l *pupil) UnmarshalBinary(b []byte) error {
	r := pack.Reader{B: b}
	l.n, l.hash = r.Int(), uint64(r.Int())
	return r.Err()
}

func pupils(int) Learner { return &pupil{} }
