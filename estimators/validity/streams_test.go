package validity

import (
	"fmt"
	"math"
	"testing"

	"blipd/estimators"
)

// excluded tells which intervals of a component have excluded the truth so far.
type excluded struct{ fixed, sequence bool }

// TestLookingForEver: streams that are estimated again every 50 trajectories.
// The sequence may be looked at all the time: it excludes the truth at any time
// in at most 5 % of the streams. The interval for one look may not, and is seen
// to fail.
func TestLookingForEver(t *testing.T) {
	const first, every = 100, 50
	streams, most := of(6, 60, 400), of(600, 3000, 10_000)
	fails := of(0.0, 0.15, 0.30) // the interval for one look, at least
	w := worldOf(t, "dgp")
	all := repeat(streams, func(rep int) []excluded {
		ever := make([]excluded, len(w.truths))
		m := estimators.New(w.spec)
		s := seed(seedsStreams, rep)
		for tr := range w.Trajectories(most, s) {
			tr.ID = fmt.Sprint(s, "-", tr.ID)
			m.Add(tr)
			if n := m.Trajectories(); n < first || n%every != 0 {
				continue
			}
			estimates := m.Report().Estimates
			for k := range ever {
				if l := look(&w.truths[k], estimates); l.ok {
					ever[k].fixed = ever[k].fixed || !l.in
					ever[k].sequence = ever[k].sequence || !l.inSequence
				}
			}
		}
		return ever
	})
	t.Logf("%d streams to n = %d, %d looks", streams, most, (most-first)/every+1)
	fixed, sequence, components := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for k, c := range w.truths {
		f := share(all, func(ever *[]excluded) bool { return (*ever)[k].fixed })
		s := share(all, func(ever *[]excluded) bool { return (*ever)[k].sequence })
		t.Logf("%-26s %-14s truth ever excluded: fixed interval %.3f (MC %.3f), sequence %.3f (MC %.3f)", c.estimand, c.name, f, binomial(f, streams), s, binomial(s, streams))
		if bound := 0.05 + 3*binomial(0.05, streams); s > bound {
			t.Errorf("%s %s: the sequence excludes the truth in %.3f of %d streams, want at most %.3f", c.estimand, c.name, s, streams, bound)
		}
		fixed[c.estimand] += f
		sequence[c.estimand] += s
		components[c.estimand]++
	}
	for estimand, n := range components {
		f, s := fixed[estimand]/n, sequence[estimand]/n
		t.Logf("%s: on average %.3f and %.3f", estimand, f, s)
		if bound := 0.05 + binomial(0.05, streams); s > bound {
			t.Errorf("%s: the sequence excludes the truth in %.3f of %d streams on average, want at most %.3f", estimand, s, streams, bound)
		}
		if f < fails {
			t.Errorf("%s: the interval for one look excludes the truth in %.3f of %d streams only; this test must see it fail in %.2f", estimand, f, streams, fails)
		}
	}
}

// TestEfficiency: weighting alone needs at least twice the trajectories for the
// same error that weighting with an outcome model needs.
func TestEfficiency(t *testing.T) {
	const n = 1000
	reps := of(40, 400, 4000)
	w := worldOf(t, "dgp")
	tools := w.truths[:4]
	type pair struct{ weighted, augmented [4]float64 }
	all := repeat(reps, func(rep int) pair {
		var p pair
		var count [4]float64
		m := estimators.New(w.spec)
		for tr := range w.Trajectories(n, seed(seedsEfficiency, rep)) {
			tr.ID = fmt.Sprint(rep, "-", tr.ID)
			m.Add(tr)
			y := tr.Outcomes[0].Final.Value
			for i := range tr.Decisions {
				d := &tr.Decisions[i]
				for g := range tools {
					if d.Calls[0].Tool == tools[g].name {
						count[g]++
						p.weighted[g] += weight(d) * y
					}
				}
			}
		}
		estimates := m.Randomized()
		for g := range tools {
			p.weighted[g] /= count[g]
			p.augmented[g] = tools[g].find(estimates).Value
		}
		return p
	})
	for g, c := range tools {
		var weighted, augmented []looked
		for _, p := range all {
			weighted = append(weighted, looked{ok: true, value: p.weighted[g]})
			augmented = append(augmented, looked{ok: true, value: p.augmented[g]})
		}
		a, b := summarize(c, weighted), summarize(c, augmented)
		ratio := a.sd * a.sd / (b.sd * b.sd)
		t.Logf("%-14s SD at n = %d: weighting %.4f, with outcome model %.4f: %.2f times the trajectories (MC %.2f, %d repetitions)", c.name, n, a.sd, b.sd, ratio, 2*ratio/math.Sqrt(float64(reps)), reps)
		if ratio < 2 {
			t.Errorf("%s: weighting alone needs %.2f times the trajectories, want at least 2", c.name, ratio)
		}
	}
}
