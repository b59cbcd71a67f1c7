package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blipd/event"
)

// compare fails unless the two lists hold the same estimates: counts and
// statuses exactly, numbers within tolerance standard errors.
func compare(t *testing.T, got, want []Estimate, tolerance float64) {
	t.Helper()
	key := func(e Estimate) string {
		return fmt.Sprint(e.Estimand, "/", e.Outcome, "/", e.Arm, "/", e.Dimension, "/", e.Group, e.Policy, e.Term, e.Of, "/", e.To, "/", e.Continuation)
	}
	have := map[string]Estimate{}
	for _, e := range got {
		have[key(e)] = e
	}
	if len(got) != len(want) || len(have) != len(got) {
		t.Errorf("%d estimates (%d distinct), want %d", len(got), len(have), len(want))
	}
	for _, w := range want {
		g, ok := have[key(w)]
		if !ok {
			t.Errorf("%s: absent", key(w))
			continue
		}
		if g.Status != w.Status || g.Reason != w.Reason || g.Decisions != w.Decisions || g.Trajectories != w.Trajectories {
			t.Errorf("%s: got %+v, want %+v", key(w), g, w)
			continue
		}
		near(t, key(w)+" effective", g.EffectiveTrajectories, w.EffectiveTrajectories, 1e-12*w.EffectiveTrajectories)
		if w.Status != OK {
			continue
		}
		near(t, key(w)+" df", g.DF, w.DF, 1e-12*w.EffectiveTrajectories)
		bound := tolerance * w.StdError
		near(t, key(w)+" value", g.Value, w.Value, bound)
		near(t, key(w)+" std_error", g.StdError, w.StdError, bound)
		near(t, key(w)+" ci_low", g.Low, w.Low, 4*bound)
		near(t, key(w)+" ci_high", g.Up, w.Up, 4*bound)
		near(t, key(w)+" sequence_low", g.SequenceLow, w.SequenceLow, 4*bound)
		near(t, key(w)+" sequence_high", g.SequenceUp, w.SequenceUp, 4*bound)
	}
}

func near(t *testing.T, what string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Errorf("%s = %v, want %v within %.3g: off by %.3g", what, got, want, bound, got-want)
	}
}

// summed divides trajectories into shards, takes some out again, and merges the
// shards, read back from their bytes, in any order. What is kept stands first.
func summed(t *testing.T, rng *rand.Rand, spec *Spec, ts []*event.Trajectory, least, most int) (total *Moments, kept []*event.Trajectory) {
	t.Helper()
	shards := make([]*Moments, 1+rng.IntN(5))
	for i := range shards {
		shards[i] = New(spec)
	}
	rng.Shuffle(len(ts), func(a, b int) { ts[a], ts[b] = ts[b], ts[a] })
	for i, tr := range ts {
		shards[i%len(shards)].Add(tr)
	}
	keep := len(ts) - least - rng.IntN(most-least+1)
	for i, tr := range ts[keep:] {
		shards[(keep+i)%len(shards)].Remove(tr)
	}
	total = New(spec)
	for _, i := range rng.Perm(len(shards)) {
		total.Merge(restored(t, shards[i]))
	}
	if total.Trajectories() != int64(keep) {
		t.Errorf("%d trajectories, want %d", total.Trajectories(), keep)
	}
	return total, ts[:keep]
}

// TestRandomizedEqualsTwin holds the sums and brute force together, whatever
// the order, the division into shards and periods, and what was taken out.
func TestRandomizedEqualsTwin(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 17))
			spec := panelSpec(1 + int(seed%2))
			if seed%4 >= 2 {
				spec = blipSpec(1+int(seed%2), seed%8 >= 4, seed%3 == 0)
			}
			ts := drawPanel(rng, spec, 30+rng.IntN(120))
			total, kept := summed(t, rng, spec, ts, 0, len(ts)*9/10)
			compare(t, total.Randomized(), twinRandomized(spec, kept, ts), 1e-10)
		})
	}
}

// TestBlipEqualsTwin does the same for what rests on the blip model, and for
// moderated effects.
func TestBlipEqualsTwin(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 19))
			spec := blipSpec(1+int(seed%2), seed%4 >= 2, false)
			ts := drawPanel(rng, spec, 210+rng.IntN(150))
			least := 0
			if seed%3 == 0 { // nine tenths are taken out
				ts = append(ts, drawPanel(rng, spec, 9*len(ts))...)
				for i := range ts {
					ts[i].ID = fmt.Sprint(ts[i].ID, "-", i)
				}
				least = len(ts) * 9 / 10
			}
			total, kept := summed(t, rng, spec, ts, least, least)
			got, _, support := total.Blip()
			compare(t, got, twinBlips(spec, kept, ts), 1e-10)
			compareSupport(t, support, twinSupport(spec, kept, ts))
			compare(t, total.Moderated(), twinModerated(spec, kept, ts), 1e-10)
		})
	}
}

// restored is m after a trip through its bytes.
func restored(t *testing.T, m *Moments) *Moments {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := New(m.spec)
	if err := r.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStatuses shows each way of having no value.
func TestStatuses(t *testing.T) {
	spec := panelSpec(1)
	spec.Dimensions = nil
	build := func(n int, arm func(i int) string, y func(i int) float64, rows func(i int) int) Estimate {
		m := New(spec)
		for i := range n {
			tr := &event.Trajectory{ID: fmt.Sprint("t", i)}
			for k := range rows(i) {
				tr.Decisions = append(tr.Decisions, event.Decision{Index: k + 1, Calls: []event.Call{{Tool: "x"}},
					Assignment: event.Assignment{Given: true, Arm: arm(i), Probabilities: []event.Probability{{Arm: "direct", P: .5}, {Arm: "review1", P: .5}}}})
			}
			tr.Hold(event.Held{Name: "score", Final: event.Valued{Given: true, Value: y(i)}})
			tr.Hold(event.Held{Name: "success", Final: event.Valued{Given: true, Value: y(i)}})
			m.Add(tr)
		}
		return m.Randomized()[0]
	}
	both := func(i int) string { return []string{"direct", "review1"}[i%2] }
	one := func(int) int { return 1 }
	noise := func(i int) float64 { return float64(i*i%7) / 7 }
	for _, c := range []struct {
		name   string
		got    Estimate
		status Status
		reason Reason
	}{
		{"nine trajectories", build(9, both, noise, one), InsufficientData, FewTrajectories},
		{"ten trajectories", build(10, both, noise, one), OK, ""},
		{"the control never drawn", build(40, func(int) string { return "review1" }, noise, one), NotIdentified, ArmAbsent},
		{"the intervention never drawn", build(40, func(int) string { return "direct" }, noise, one), NotIdentified, ArmAbsent},
		{"outcomes all at the centre", build(40, both, func(int) float64 { return 0 }, one), NotIdentified, NoVariation},
		{"one trajectory outweighs all", build(10, both, noise, func(i int) int {
			if i == 0 {
				return 20_000
			}
			return 1
		}), InsufficientData, FewTrajectories},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.Status != c.status || c.got.Reason != c.reason {
				t.Errorf("got %s %s, want %s %s", c.got.Status, c.got.Reason, c.status, c.reason)
			}
		})
	}
}
