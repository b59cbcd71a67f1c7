package sim

import (
	"fmt"
	"iter"
	"math"
	"testing"

	"blipd/event"
)

// fleetTrajectory is what a log says of a trajectory of the fleet.
type fleetTrajectory struct {
	decisions map[int]*event.Decision
	revision  int
	values    []event.Measured
}

// settled are n trajectories of the fleet, by their start, each long enough after
// it to have its last revision.
func settled(f *Fleet, n int) iter.Seq[*fleetTrajectory] {
	const enough = 2000 // later starts: several times as many as are ever in flight
	return func(yield func(*fleetTrajectory) bool) {
		byID := map[string]*fleetTrajectory{}
		for first := 1; first <= n; {
			e := f.Next()
			t := byID[e.Trajectory]
			if t == nil {
				t = &fleetTrajectory{decisions: map[int]*event.Decision{}, revision: -1}
				byID[e.Trajectory] = t
			}
			switch e.Type {
			case event.TypeDecision:
				t.decisions[e.Decision.Index] = e.Decision
			case event.TypeOutcome:
				if !e.Outcome.Provisional && e.Outcome.Revision > t.revision {
					t.revision, t.values = e.Outcome.Revision, e.Outcome.Values
				}
			}
			if f.started >= first+enough {
				id := fmt.Sprintf("run-%06d", first)
				if !yield(byID[id]) {
					return
				}
				delete(byID, id)
				first++
			}
		}
	}
}

// TestFleetTruth weighs the fleet's own log, as an analyst would.
func TestFleetTruth(t *testing.T) {
	f := newFleet(2)
	exp := &fleetSchema.Experiments[0]
	type key struct{ outcome, dimension, group string }
	ratios := map[key]*ratio{}
	var success, violation, calls average
	for run := range settled(f, runs(40_000, 600_000)) {
		if len(run.values) != 2 {
			t.Fatalf("a trajectory ended with the outcomes %v", run.values)
		}
		success.add(run.values[0].Value)
		violation.add(run.values[1].Value)
		calls.add(float64(len(run.decisions)))
		for k, centre := range []float64{0.5, 0.1} {
			sums, counts := map[key]float64{}, map[key]float64{}
			for index := 1; index <= len(run.decisions); index++ {
				d := run.decisions[index]
				if exp.Randomized(d) != event.Randomized {
					continue
				}
				w := 1 / d.Assignment.Of(d.Assignment.Arm)
				if d.Assignment.Arm == directArm {
					w = -w
				}
				for _, in := range []key{{"", "all", "all"}, {"", "tool", d.Calls[0].Tool}, {"", "capability", d.Calls[0].Capability}} {
					in.outcome = run.values[k].Name
					sums[in] += w * (run.values[k].Value - centre)
					counts[in]++
				}
			}
			for in := range counts {
				if ratios[in] == nil {
					ratios[in] = &ratio{}
				}
				ratios[in].add(sums[in], counts[in])
			}
		}
	}
	t.Logf("success %.3f, violation %.3f, calls %.3f", success.mean(), violation.mean(), calls.mean())
	near(t, "calls", calls.mean(), calls.stdError(), 5)
	checked := 0
	for _, e := range f.Truth() {
		if e.Estimand != randomized {
			continue
		}
		r := ratios[key{e.Outcome, e.Dimension, e.Group}]
		if r == nil {
			t.Fatalf("no decision for %+v", e)
		}
		near(t, e.Outcome+": "+e.Group, r.value(), r.stdError(), e.Value)
		checked++
	}
	if checked != len(ratios) {
		t.Errorf("%d groups in the truth, %d in the log", checked, len(ratios))
	}
}

// TestFleetTruthIsPlanted compares the truth with the numbers as planted.
func TestFleetTruthIsPlanted(t *testing.T) {
	all := new(Fleet).Truth()
	for _, estimand := range []string{randomized, noTreatment} {
		for _, tool := range fleetTools {
			for outcome, want := range map[string]float64{"success": tool.success, "violation": -tool.averted} {
				got := find(t, all, Effect{Estimand: estimand, Outcome: outcome, Arm: reviewArm, Dimension: "tool", Group: tool.name})
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%s of %s on %s is %g, want %g", estimand, tool.name, outcome, got, want)
				}
			}
		}
	}
	// By hand: of the 5 calls 1 + 1 + 4/5 work and 3/5 + 2/5 + 1/5 close.
	success := 2.8*(0.26*0.08+0.2*0.06+0.22*0.03) + 1.2*(0.05*0.08+0.3*0.1-0.35*0.05)
	got := find(t, all, Effect{Estimand: randomized, Outcome: "success", Arm: reviewArm, Dimension: "all", Group: "all"})
	if math.Abs(got-success/5) > 1e-12 {
		t.Errorf("over all calls %g, want %g", got, success/5)
	}
	got = find(t, all, Effect{Estimand: policyGain, Outcome: "success", Arm: reviewArm, Policy: "always"})
	if want := success * 0.985; math.Abs(got-want) > 1e-12 {
		t.Errorf("gain of always %g, want %g", got, want)
	}
	got = find(t, all, Effect{Estimand: policyGain, Outcome: "success", Arm: reviewArm, Policy: "risky"})
	if want := (success + 1.2*0.35*0.05) * 0.985; math.Abs(got-want) > 1e-12 {
		t.Errorf("gain of risky %g, want %g", got, want)
	}
}

func BenchmarkFleet(b *testing.B) {
	f := newFleet(1)
	b.ReportAllocs()
	for b.Loop() {
		f.NextRecord()
	}
}
