package estimators

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blipd/event"
)

// benchSpec has 200 tools as groups and 16 columns of x, the shape that
// docs/performance.md speaks of.
func benchSpec() *Spec {
	s := &Spec{
		Experiment: event.Experiment{Name: "bench", Control: "direct", Interventions: []string{"review"}, MinProbability: 1e-4,
			Outcomes: []event.OutcomeRule{{Name: "success", Ranged: true, Low: 0, Up: 1, Required: true}}},
		Folds: 5, Ridge: 1, MaxGroups: 2000, Hash: "bench",
		Dimensions: []Dimension{{Name: "tool", Expr: toolOf()}},
	}
	for f := range 15 {
		s.Features = append(s.Features, Feature{Name: fmt.Sprint("f", f), Expr: stateOf(fmt.Sprint("f", f)), Ranged: true, Low: -2, Up: 2})
	}
	return s
}

// benchTrajectory draws a trajectory of 8 decisions over 200 tools.
func benchTrajectory(rng *rand.Rand, spec *Spec, i int) *event.Trajectory {
	t := &event.Trajectory{ID: fmt.Sprintf("trajectory-%013d", i)}
	for k := range 8 {
		d := event.Decision{Index: k + 1, Calls: []event.Call{{Tool: fmt.Sprintf("tool-%03d", rng.IntN(200))}}}
		for f := range spec.Features {
			d.State = append(d.State, event.Member{Name: spec.Features[f].Name, Value: event.NumberOf(rng.NormFloat64())})
		}
		assign(rng, spec, &d)
		t.Decisions = append(t.Decisions, d)
	}
	t.Hold(event.Held{Name: "success", Final: event.Valued{Given: true, Value: float64(rng.IntN(2))}})
	return t
}

// BenchmarkAdd is what the ledger costs a trajectory of 8 decisions.
func BenchmarkAdd(b *testing.B) {
	spec := benchSpec()
	rng := rand.New(rand.NewPCG(1, 1))
	ts := make([]*event.Trajectory, 1000)
	for i := range ts {
		ts[i] = benchTrajectory(rng, spec, i)
	}
	m := New(spec)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Add(ts[i%len(ts)])
	}
}

// blipBench is a definition with d columns of x and p of f, of which moderators
// are numbers and the rest tools, and so many policies.
func blipBench(d, p, moderators, policies int, masks bool) *Spec {
	s := benchSpec()
	s.Features = s.Features[:d-1]
	s.Dimensions = append(s.Dimensions, Dimension{Name: "kind", Expr: Expression{Text: "kind", Eval: func(at *Point) event.Value {
		return at.Decision.State[len(at.Decision.State)-1].Value
	}}})
	s.Blip = &BlipModel{Dimension: 2, Masks: masks}
	for i := range moderators {
		s.Blip.Moderators = append(s.Blip.Moderators, i)
	}
	for i := range policies {
		s.Policies = append(s.Policies, Policy{Name: fmt.Sprint("policy", i), Probability: 1, Intervene: Expression{Eval: func(at *Point) event.Value {
			x, _ := at.Decision.State[i%len(s.Features)].Value.Float()
			return event.BoolOf(x > 0)
		}}})
	}
	return s
}

// blipTrajectory is benchTrajectory with a kind, one of n.
func blipTrajectory(rng *rand.Rand, spec *Spec, i, n int) *event.Trajectory {
	t := benchTrajectory(rng, spec, i)
	for k := range t.Decisions {
		d := &t.Decisions[k]
		d.State = append(d.State, event.Member{Name: "kind", Value: event.TextOf(fmt.Sprintf("kind-%02d", rng.IntN(n)))})
	}
	for _, o := range spec.Experiment.Outcomes[1:] {
		t.Hold(event.Held{Name: o.Name, Final: event.Valued{Given: true, Value: float64(rng.IntN(2))}})
	}
	return t
}

// BenchmarkAddBlip is what a trajectory of 8 decisions costs with all three
// estimands, by columns of x and f.
func BenchmarkAddBlip(b *testing.B) {
	type sizes struct {
		d, p, moderators, policies int
		masks, moderated           bool // gains of masks that are asked for after the fact; moderated effects
	}
	for _, size := range []sizes{{8, 6, 2, 0, true, true}, {16, 16, 0, 0, true, false}, {16, 16, 2, 0, false, true}, {16, 16, 2, 0, true, true}, {16, 16, 2, 0, true, false},
		{16, 16, 4, 0, true, true}, {16, 16, 4, 0, true, false}, {16, 16, 8, 0, true, true}, {16, 16, 8, 0, true, false}, {16, 16, 15, 0, true, false}, {16, 16, 2, 10, true, true}} {
		b.Run(fmt.Sprintf("d=%d/p=%d/moderators=%d/policies=%d/masks=%v/moderated=%v", size.d, size.p, size.moderators, size.policies, size.masks, size.moderated), func(b *testing.B) {
			spec := blipBench(size.d, size.p, size.moderators, size.policies, size.masks)
			spec.Blip.Unmoderated = !size.moderated
			rng := rand.New(rand.NewPCG(1, 1))
			ts := make([]*event.Trajectory, 1000)
			for i := range ts {
				ts[i] = blipTrajectory(rng, spec, i, size.p-size.moderators)
			}
			m := New(spec)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Add(ts[i%len(ts)])
			}
		})
	}
}

// BenchmarkAddLate is what a late part with one policy costs a trajectory of 8
// decisions, beside that of the sums of everything with another one.
func BenchmarkAddLate(b *testing.B) {
	spec := blipBench(16, 16, 2, 2, true)
	keys := spec.PolicyKeys()
	rng := rand.New(rand.NewPCG(1, 1))
	ts := make([]*event.Trajectory, 1000)
	for i := range ts {
		ts[i] = blipTrajectory(rng, spec, i, 14)
	}
	for _, late := range []bool{false, true} {
		b.Run(fmt.Sprintf("late=%v", late), func(b *testing.B) {
			m := New(spec.Part(late, keys[:1]))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Add(ts[i%len(ts)])
			}
		})
	}
}

// BenchmarkRefitBlip is a refit with 200 groups, 3 outcomes, d = p = 16 and 10
// policies, after n trajectories.
func BenchmarkRefitBlip(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("trajectories=%d", n), func(b *testing.B) {
			spec := blipBench(16, 16, 2, 10, true)
			for _, name := range []string{"second", "third"} {
				spec.Experiment.Outcomes = append(spec.Experiment.Outcomes, event.OutcomeRule{Name: name, Ranged: true, Low: 0, Up: 1, Required: true})
			}
			rng := rand.New(rand.NewPCG(1, 1))
			m := New(spec)
			for i := range n {
				m.Add(blipTrajectory(rng, spec, i, 14))
			}
			b.ReportAllocs()
			for b.Loop() {
				c := New(spec)
				c.Merge(m)
				c.Report()
			}
		})
	}
}

// BenchmarkRefit is what a refit of 200 groups costs after n trajectories: a
// copy of the ledger and all estimates. It must not depend on n.
func BenchmarkRefit(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("trajectories=%d", n), func(b *testing.B) {
			spec := benchSpec()
			rng := rand.New(rand.NewPCG(1, 1))
			m := New(spec)
			ts := make([]*event.Trajectory, min(n, 10_000))
			for i := range ts {
				ts[i] = benchTrajectory(rng, spec, i)
			}
			for i := range n {
				m.Add(ts[i%len(ts)])
			}
			b.ReportAllocs()
			for b.Loop() {
				c := New(spec)
				c.Merge(m)
				c.Report()
			}
		})
	}
}

// BenchmarkBytes is what a checkpoint of such a ledger takes to write and read.
func BenchmarkBytes(b *testing.B) {
	spec := benchSpec()
	rng := rand.New(rand.NewPCG(1, 1))
	m := New(spec)
	for i := range 5000 {
		m.Add(benchTrajectory(rng, spec, i))
	}
	bytes, _ := m.AppendBinary(nil)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(bytes)))
		for b.Loop() {
			bytes, _ = m.AppendBinary(bytes[:0])
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(bytes)))
		for b.Loop() {
			if err := New(spec).UnmarshalBinary(bytes); err != nil {
				b.Fatal(err)
			}
		}
	})
}
