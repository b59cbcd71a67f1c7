package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"blipd/event"
)

// The world of several arms: each decision of a tool adds the arm's effect to
// the outcome, for good. Arms end trajectories sooner or later, so that what an
// arm does to how many later decisions there are is a part of its effect with
// randomized continuation, and none of it with no-treatment continuation, whose
// truth is the arm's effect itself.
var armWorld = []struct {
	name    string
	effect  [2]float64 // by tool
	survive float64
}{{"direct", [2]float64{}, 0.85}, {"full", [2]float64{0.8, 0.4}, 0.85}, {"half", [2]float64{0.4, 0.2}, 0.4}, {"idle", [2]float64{}, 0.85}}

func armSpec(names ...string) *Spec {
	s := &Spec{
		Experiment: event.Experiment{Name: "arms", Control: names[0], Interventions: names[1:], MinProbability: 1e-4,
			Outcomes: []event.OutcomeRule{{Name: "score", Ranged: true, Low: -40, Up: 40, Required: true}}},
		Folds: 5, Ridge: 1, MaxGroups: 100, Hash: "arms",
		Features:   []Feature{{Name: "tool", Expr: toolOf(), Category: true, MaxLevels: 64}, {Name: "u", Expr: stateOf("u")}},
		Dimensions: []Dimension{{Name: "tool", Expr: toolOf()}},
		Blip:       &BlipModel{Dimension: 1},
	}
	s.Policies = []Policy{{Name: "last", Arm: len(names) - 2, Intervene: Expression{Eval: func(*Point) event.Value { return event.BoolOf(true) }}, Probability: 1}}
	return s
}

func drawArms(rng *rand.Rand, n, most int) []*event.Trajectory {
	ts := make([]*event.Trajectory, n)
	p := []float64{0.4, 0.3, 0.2, 0.1}
	for i := range ts {
		t := &event.Trajectory{ID: fmt.Sprintf("%d-%d", i, rng.Uint64())}
		u := rng.NormFloat64() / 2
		y := u
		for alive := true; alive && len(t.Decisions) < most; {
			tool := rng.IntN(2)
			d := event.Decision{Index: len(t.Decisions) + 1, Calls: []event.Call{{Tool: fmt.Sprint("tool", tool)}},
				State: []event.Member{{Name: "u", Value: event.NumberOf(u + rng.NormFloat64()/2)}}}
			draw, arm := rng.Float64(), 0
			for draw -= p[0]; draw > 0 && arm < 3; draw -= p[arm] {
				arm++
			}
			d.Assignment = event.Assignment{Given: true, Arm: armWorld[arm].name}
			for a := range armWorld {
				d.Assignment.Probabilities = append(d.Assignment.Probabilities, event.Probability{Arm: armWorld[a].name, P: p[a]})
			}
			t.Decisions = append(t.Decisions, d)
			y += armWorld[arm].effect[tool]
			alive = rng.Float64() < armWorld[arm].survive
		}
		t.Hold(event.Held{Name: "score", Final: event.Valued{Given: true, Value: y + rng.NormFloat64()/2}})
		ts[i] = t
	}
	return ts
}

// alone is the trajectory as an analysis of one arm sees it: decisions of the
// other interventions are history, and probabilities are those of two arms.
func alone(t *event.Trajectory, arm string) *event.Trajectory {
	out := *t
	out.Decisions = slices.Clone(t.Decisions)
	for i := range out.Decisions {
		a := &out.Decisions[i].Assignment
		control, own := a.Of("direct"), a.Of(arm)
		if a.Arm != arm && a.Arm != "direct" {
			out.Decisions[i].Ineligible = true
		}
		a.Probabilities = []event.Probability{{Arm: "direct", P: control / (control + own)}, {Arm: arm, P: own / (control + own)}}
	}
	return &out
}

// find is the one estimate that is asked for.
func find(t *testing.T, all []Estimate, estimand, arm, group string) Estimate {
	t.Helper()
	for _, e := range all {
		if e.Estimand == estimand && e.Arm == arm && e.Group == group {
			return e
		}
	}
	t.Fatalf("no %s of %s in %s", estimand, arm, group)
	return Estimate{}
}

// TestThirdArmIsRecovered: the effect of every arm has the coverage of its
// interval, half an effect and none among them; one arm fitted alone does not.
// BLIPD_HEAVY=1 makes it a thousand worlds.
func TestThirdArmIsRecovered(t *testing.T) {
	worlds, n := 60, 400
	if os.Getenv("BLIPD_HEAVY") != "" {
		worlds, n = 1000, 1000
	}
	rng := rand.New(rand.NewPCG(41, 43))
	spec, single := armSpec("direct", "full", "half", "idle"), armSpec("direct", "half")
	covered := map[string]int{}
	var off, offAlone []float64 // of half, tool0, in standard errors
	for range worlds {
		m, s := New(spec), New(single)
		for _, tr := range drawArms(rng, n, 40) {
			m.Add(tr)
			s.Add(alone(tr, "half"))
		}
		all, _, _ := m.Blip()
		for _, arm := range armWorld[1:] {
			for tool, truth := range arm.effect {
				e := find(t, all, NoTreatmentContinuation, arm.name, fmt.Sprint("tool", tool))
				if e.Low <= truth && truth <= e.Up {
					covered[arm.name]++
				}
				if arm.name == "half" && tool == 0 {
					off = append(off, (e.Value-truth)/e.StdError)
				}
			}
		}
		lone, _, _ := s.Blip()
		e := find(t, lone, NoTreatmentContinuation, "half", "tool0")
		offAlone = append(offAlone, (e.Value-armWorld[2].effect[0])/e.StdError)
	}
	for _, arm := range armWorld[1:] {
		share := float64(covered[arm.name]) / float64(2*worlds)
		// Two intervals a world: at worst worlds independent ones.
		if slack := 4 * math.Sqrt(.95*.05/float64(worlds)); share < .95-slack {
			t.Errorf("%s: coverage %.3f, want .95 - %.3f", arm.name, share, slack)
		}
		t.Logf("%s: coverage %.3f", arm.name, share)
	}
	mean := func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	bound := 4 / math.Sqrt(float64(worlds))
	if got := mean(off); math.Abs(got) > bound {
		t.Errorf("half: off by %.2f standard errors in the mean, want within %.2f", got, bound)
	}
	if got := mean(offAlone); math.Abs(got) < bound {
		t.Errorf("half fitted alone: off by %.2f standard errors in the mean, and it should be seen to be wrong", got)
	}
	t.Logf("half: off by %.2f standard errors in the mean, fitted alone by %.2f", mean(off), mean(offAlone))
}

// TestPermutedArms: other names and another order of the arms permute the
// answers and change none.
func TestPermutedArms(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 53))
	name := map[string]string{"direct": "direct", "full": "zebra", "half": "adder", "idle": "mole"}
	spec, other := armSpec("direct", "full", "half", "idle"), armSpec("direct", "mole", "adder", "zebra")
	spec.Policies[0].Arm, other.Policies[0].Arm = 1, 1
	spec.PerArm, other.PerArm = true, true
	m, o := New(spec), New(other)
	for _, tr := range drawArms(rng, 400, 40) {
		m.Add(tr)
		renamed := *tr
		renamed.Decisions = slices.Clone(tr.Decisions)
		for i := range renamed.Decisions {
			a := &renamed.Decisions[i].Assignment
			a.Arm, a.Probabilities = name[a.Arm], slices.Clone(a.Probabilities)
			for j := range a.Probabilities {
				a.Probabilities[j].Arm = name[a.Probabilities[j].Arm]
			}
		}
		o.Add(&renamed)
	}
	want := m.Report().Estimates
	for i := range want {
		want[i].Arm = name[want[i].Arm]
	}
	compare(t, o.Report().Estimates, want, 1e-9)
}

// TestDifferenceOfLevels: two levels differ by the effect with an outcome model
// for each arm.
func TestDifferenceOfLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(59, 61))
	spec := blipSpec(2, false, true)
	m := New(spec)
	for _, tr := range drawPanel(rng, spec, 400) {
		m.Add(tr)
	}
	all := m.Randomized()
	checked := 0
	level := func(e Estimate, arm string) float64 {
		for _, l := range all {
			if l.Estimand == ArmLevel && l.Arm == arm && l.Outcome == e.Outcome && l.Dimension == e.Dimension && l.Group == e.Group {
				return l.Value
			}
		}
		t.Fatalf("no level of %s", arm)
		return 0
	}
	for _, e := range all {
		if e.Estimand == RandomizedContinuation && e.Status == OK {
			near(t, e.Outcome+" "+e.Group, level(e, e.Arm)-level(e, "direct"), e.Value, 1e-10*e.StdError)
			checked++
		}
	}
	if checked < 50 {
		t.Errorf("%d effects, want more than 50", checked)
	}
}

// TestGainOfNever: a policy that never intervenes gains nothing, to the last
// bit, and so varies in nothing.
func TestGainOfNever(t *testing.T) {
	spec := armSpec("direct", "full", "half", "idle")
	spec.Policies[0].Probability = 0
	m := New(spec)
	for _, tr := range drawArms(rand.New(rand.NewPCG(67, 71)), 300, 40) {
		m.Add(tr)
	}
	f := m.fitBlip(m.panels[0])
	for b := range f.never.psi {
		if !slices.Equal(f.never.psi[b].Data, f.policies[0].psi[b].Data) {
			t.Fatalf("psi of a policy that never intervenes is not that of never intervening")
		}
	}
	all, _, _ := m.Blip()
	if e := all[len(all)-1]; e.Estimand != PolicyGain || e.Reason != NoVariation {
		t.Errorf("got %+v, want a gain without variation", e)
	}
}
