package estimators

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blipd/event"
)

// curved is a world whose outcome is far from linear in its five features, which
// last for a whole trajectory; review adds .3 at each of its decisions. straight is
// the same with a linear outcome.
func curved(x [5]float64) float64 {
	return math.Sin(2*math.Pi*x[0]) + 4*(x[1]-.5)*(x[2]-.5) + 4*(x[3]-.5)*(x[3]-.5)
}

func straight(x [5]float64) float64 { return 2*x[0] - x[1] + x[2] }

const learnerEffect = 0.3

func learnerWorld(seed uint64, n int, mean func([5]float64) float64) []*event.Trajectory {
	rng := rand.New(rand.NewPCG(seed, 4))
	var all []*event.Trajectory
	for i := range n {
		t := &event.Trajectory{ID: fmt.Sprint("t", seed, "-", i), Experiment: "x"}
		var x [5]float64
		var state []event.Member
		for j := range x {
			x[j] = rng.Float64()
			state = append(state, event.Member{Name: fmt.Sprint("f", j), Value: event.NumberOf(x[j])})
		}
		y := mean(x) + 0.3*rng.NormFloat64()
		for step := range 1 + rng.IntN(4) {
			d := event.Decision{Index: step + 1, Calls: []event.Call{{Tool: fmt.Sprint("tool", rng.IntN(3))}}, State: state}
			d.Assignment = event.Assignment{Given: true, Arm: "direct", Probabilities: []event.Probability{{Arm: "direct", P: .5}, {Arm: "review", P: .5}}}
			if rng.IntN(2) == 0 {
				d.Assignment.Arm = "review"
				y += learnerEffect
			}
			t.Decisions = append(t.Decisions, d)
		}
		t.Hold(event.Held{Name: "y", Final: event.Valued{Given: true, Value: y}})
		all = append(all, t)
	}
	return all
}

func learnerSpec(every int) *Spec {
	s := &Spec{Folds: 5, Ridge: 1, MaxGroups: 100, Hash: "h", Experiment: event.Experiment{Name: "x", Control: "direct", Interventions: []string{"review"},
		MinProbability: 0.0001, Outcomes: []event.OutcomeRule{{Name: "y", Required: true}}}}
	for j := range 5 {
		s.Features = append(s.Features, Feature{Name: fmt.Sprint("f", j), Ranged: true, Up: 1, Expr: Expression{Eval: func(p *Point) event.Value { return p.Decision.State[j].Value }}})
	}
	s.Features = append(s.Features, Feature{Name: "tool", Category: true, MaxLevels: 64, Expr: Expression{Eval: func(p *Point) event.Value { return event.TextOf(p.Decision.Calls[0].Tool) }}})
	if every > 0 {
		s.Learning = &Learning{Every: every}
	}
	return s
}

// counted closes trajectories one by one, as state does.
func counted(spec *Spec, all []*event.Trajectory) (*Moments, *Learner) {
	m, l := New(spec), NewLearner(spec)
	for _, t := range all {
		t.Learned = nil
		if spec.Learning != nil {
			t.Learned = l.Predict(t)
		}
		m.Add(t)
		if spec.Learning != nil {
			l.Learn(t)
		}
	}
	return m, l
}

func bytesOf(t *testing.T, l *Learner) []byte {
	t.Helper()
	b, err := l.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLearnerBytes: a learner that was written and read again goes on as if nothing
// had been, bit for bit; bytes that are cut or of another shape are refused.
func TestLearnerBytes(t *testing.T) {
	spec := learnerSpec(100)
	all := learnerWorld(1, 350, curved)
	_, whole := counted(spec, all)
	_, l := counted(spec, all[:230])
	b := bytesOf(t, l)
	again := NewLearner(spec)
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, again), b) {
		t.Error("other bytes after reading")
	}
	for _, u := range all[230:] {
		if got, want := again.Predict(u), l.Predict(u); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("said %v, want %v", got, want)
		}
		again.Learn(u)
		l.Learn(u)
	}
	if !bytes.Equal(bytesOf(t, again), bytesOf(t, whole)) {
		t.Error("another learner after a restart")
	}
	for n := range len(b) / 7 {
		if NewLearner(spec).UnmarshalBinary(b[:n*7]) == nil {
			t.Fatalf("the first %d of %d bytes were read", n*7, len(b))
		}
	}
	other := learnerSpec(100)
	other.Features = other.Features[1:]
	if NewLearner(other).UnmarshalBinary(b) == nil {
		t.Error("read under a Spec of fewer features")
	}
}

// TestLearnerForgetsNoFold: trees of fold k know nothing of fold k, are used for
// fold k alone, and what is remembered is bounded and a set: order does not count.
func TestLearnerFolds(t *testing.T) {
	spec := learnerSpec(400)
	all := learnerWorld(2, 400, curved)
	m, l := counted(spec, all)
	lied := learnerWorld(2, 400, curved)
	for _, u := range lied {
		if FoldOf(u.ID, spec.Folds) == 3 {
			u.Hold(event.Held{Name: "y", Final: event.Valued{Given: true, Value: 1e3}})
		}
	}
	_, liar := counted(spec, lied)
	probe := learnerWorld(3, 1, curved)[0]
	said, heard := l.Predict(probe), liar.Predict(probe)
	for k := range spec.Folds {
		if same := said[k] == heard[k]; same != (k == 3) {
			t.Errorf("fold %d: %v, and %v where fold 3 lies", k, said[k], heard[k])
		}
	}
	for i := range all { // until now nothing was said of any: more, so that columns appear
		all[i].ID += "-again"
	}
	for _, u := range all {
		u.Learned = l.Predict(u)
		m.Add(u)
	}
	order := m.columns.canonical()
	for k, models := range m.outcomeModels(m.panels[0].models[0]) {
		for i, place := range order {
			f := m.columns.list[place].feature - len(spec.Features)
			if b := models[0][place]; f >= 0 && (b != 0) != (f%spec.Folds == k) {
				t.Errorf("regression for fold %d: column %d of what was said, of fold %d, has the coefficient %v", k, i, f%spec.Folds, b)
			}
		}
	}

	big := NewLearner(learnerSpec(math.MaxInt))
	for _, u := range learnerWorld(4, 3000, straight) {
		big.Learn(u)
	}
	if big.rows > lessonRows || big.rows < lessonRows-4 {
		t.Errorf("%d rows are remembered, the bound is %d", big.rows, lessonRows)
	}
	back := NewLearner(learnerSpec(math.MaxInt))
	for _, u := range learnerWorld(4, 3000, straight) {
		back.Learn(u)
		back.Learn(u) // known: it takes its own place
	}
	back.counted = big.counted
	if !bytes.Equal(bytesOf(t, big), bytesOf(t, back)) {
		t.Error("learning twice is seen")
	}
}

// TestForget: a learner that forgets a trajectory fits as one that never met it.
func TestForget(t *testing.T) {
	spec := learnerSpec(50)
	ts := learnerWorld(8, 149, curved)
	forgetful, never := NewLearner(spec), NewLearner(spec)
	for i, x := range ts {
		forgetful.Learn(x)
		if i != 60 {
			never.Learn(x)
		}
	}
	forgetful.Forget(ts[60].ID)
	forgetful.Forget("nobody")
	never.counted++ // so that both fit at the same moment
	forgetful.Learn(ts[0])
	never.Learn(ts[0])
	a, _ := forgetful.AppendBinary(nil)
	b, _ := never.AppendBinary(nil)
	if !bytes.Equal(a, b) {
		t.Error("what was forgotten is remembered")
	}
}
