package estimators

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestBytes: moments that are read back are the same to the last bit, now and
// after more has been added; damaged bytes are refused, or harmless.
func TestBytes(t *testing.T) {
	few := contrastSpec(1, false, false) // of groups, and so of columns of the blip model
	few.MaxGroups, few.MaxLevels, few.Candidates = 6, 3, []BlipModel{{Dimension: 3}, {}}
	for _, spec := range []*Spec{panelSpec(1), blipSpec(2, false, true), blipSpec(1, true, false), few} {
		rng := rand.New(rand.NewPCG(83, 89))
		ts := drawPanel(rng, spec, 60)
		m := New(spec)
		for _, tr := range ts[:40] {
			m.Add(tr)
		}
		r := restored(t, m)
		for _, tr := range ts[40:] {
			m.Add(tr)
			r.Add(tr)
		}
		m.Remove(ts[3])
		r.Remove(ts[3])
		want, _ := m.AppendBinary(nil)
		got, _ := r.AppendBinary(nil)
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes after a restart, %d without, or others", len(got), len(want))
		}
		for range 100 {
			bad := bytes.Clone(want)
			bad[rng.IntN(min(len(bad), 4000))] ^= byte(1 + rng.IntN(255))
			if rng.IntN(4) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			damaged := New(spec)
			if damaged.UnmarshalBinary(bad) == nil {
				New(spec).Merge(damaged)
			}
		}
	}
}
