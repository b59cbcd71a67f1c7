package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"blipd/event"
)

// twinMostLevels gives the levels beyond MaxLevels their common name, each as
// often as a row is in it.
func twinMostLevels(spec *Spec, rows []twinRow, seen []*event.Trajectory) {
	if spec.Blip == nil || spec.MaxLevels == 0 || spec.Blip.Dimension == 0 {
		return
	}
	set := map[string]bool{}
	for _, t := range seen {
		walk(t, &spec.Experiment, func(p *Point) {
			if spec.Experiment.Randomized(p.Decision) == event.Randomized {
				for _, l := range levels(values(&spec.Dimensions[spec.Blip.Dimension-1].Expr, p, nil), nil) {
					set[l] = true
				}
			}
		})
	}
	kept := sortedKeys(set)
	sort.SliceStable(kept, func(i, j int) bool { return xxhash.Sum64String(kept[i]) < xxhash.Sum64String(kept[j]) })
	kept = kept[:min(len(kept), spec.MaxLevels)]
	for i := range rows {
		for j, l := range rows[i].levels {
			if !slices.Contains(kept, l) {
				rows[i].levels[j] = OtherLevel
			}
		}
	}
}

// TestFewLevelsEqualTwin: with more groups than columns of the blip model,
// everything that rests on it is still what brute force gives, whatever the
// order and the division, candidates and masks included.
func TestFewLevelsEqualTwin(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 241))
			spec := blipSpec(1+int(seed%2), seed >= 4, false)
			spec.MaxLevels = 2 + int(seed%3)
			spec.Candidates = []BlipModel{{Dimension: 2, Moderators: []int{3}}}
			ts := drawPanel(rng, spec, 400)
			total, kept := summed(t, rng, spec, ts, 0, 60)
			report := total.Report()
			var got []Estimate
			for _, e := range report.Estimates {
				if e.Estimand == NoTreatmentContinuation || e.Estimand == PolicyGain {
					e.Support, e.Model = "", ""
					got = append(got, e)
				}
			}
			compare(t, got, twinBlips(spec, kept, ts), 1e-9)
			for i := range spec.Experiment.Outcomes {
				statistic, q, _ := twinCheck(spec, kept, ts, &spec.Experiment.Outcomes[i])
				if m := report.Models[i]; m.Instruments != q || !(m.Statistic > (1-1e-6)*statistic && m.Statistic < (1+1e-6)*statistic) {
					t.Errorf("%s: F %v of %d, want %v of %d", m.Outcome, m.Statistic, m.Instruments, statistic, q)
				}
			}
			for i, r := range report.Ranking {
				model := append([]BlipModel{*spec.Blip}, spec.Candidates...)[i%2]
				want := twinLoss(spec, kept, ts, &spec.Experiment.Outcomes[i/2], &model)
				near(t, fmt.Sprint(r), *r.Loss, want, 1e-9*want)
			}
			for _, level := range total.levels[1].list {
				mask := Mask{Arm: "review1", Levels: map[string]float64{level.level: 1}}
				if _, err := report.MaskGain(mask); err != nil {
					t.Error(err)
				}
			}
			if n := len(total.levels[1].list); n != spec.MaxLevels+1 {
				t.Errorf("%d levels, want %d and the others", n, spec.MaxLevels)
			}
		})
	}
}

// TestMaskOfOtherLevels: what a mask over all levels gains, those that share a
// column included, is what a registered policy gains that always intervenes.
func TestMaskOfOtherLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 251))
	spec := blipSpec(1, false, false)
	spec.MaxLevels = 2
	spec.Policies = spec.Policies[:1] // always
	total, _ := summed(t, rng, spec, drawPanel(rng, spec, 400), 0, 100)
	report := total.Report()
	mask := Mask{Levels: map[string]float64{}}
	for _, level := range total.levels[1].list {
		mask.Levels[level.level] = 1
	}
	got, err := report.MaskGain(mask)
	if err != nil {
		t.Fatal(err)
	}
	var want []Estimate
	for _, e := range report.Estimates {
		if e.Estimand == PolicyGain {
			e.Policy, e.Support, e.Model = mask.String(), "", ""
			want = append(want, e)
		}
	}
	for i := range got {
		got[i].Model = ""
	}
	compare(t, got, want, 1e-9)
}

// TestLimitsAreTold: groups beyond a limit are counted, and who is to do what
// is said; within it nothing is.
func TestLimitsAreTold(t *testing.T) {
	spec := blipSpec(1, false, false)
	ts := drawPanel(rand.New(rand.NewPCG(5, 251)), spec, 300)
	report := func(groups, levels int) []Check {
		own := *spec
		own.MaxGroups, own.MaxLevels = groups, levels
		m := New(&own)
		for _, tr := range ts {
			m.Add(tr)
		}
		return restored(t, m).Report().Health
	}
	for _, c := range []struct {
		groups, levels int
		check          string
		ok             bool
		detail         string
	}{
		{1000, 1000, "groups", true, "every group stands for itself"},
		{1000, 1000, "blip_levels", true, "every group of a blip model has a column of its own"},
		{5, 1000, "groups", false, "beyond 5 share (other): raise limits.groups_per_dimension"},
		{1000, 3, "groups", true, ""},
		{1000, 3, "blip_levels", false, "share one column of the blip model: they are taken to have one effect; raise limits.blip_levels"},
	} {
		got := health(t, report(c.groups, c.levels), c.check)
		if got.OK != c.ok || got.OK != (got.Value == 0) || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%d groups, %d levels: %+v, want %v, %s", c.groups, c.levels, got, c.ok, c.detail)
		}
	}
	clustered := blipSpec(1, true, false)
	for most, ok := range map[int]bool{10_000: true, 40: false} {
		own := *clustered
		own.MaxClusters = most
		m := New(&own)
		for _, tr := range drawPanel(rand.New(rand.NewPCG(3, 5)), &own, 230) {
			m.Add(tr)
		}
		got := health(t, restored(t, m).Report().Health, "clusters")
		if got.OK != ok || got.OK != (got.Value == 0) || !ok && !strings.Contains(got.Detail, "more than 40 clusters: errors come from 64 buckets") {
			t.Errorf("at most %d clusters: %+v", most, got)
		}
	}
	// Rows in the check are those of the twin that share the column.
	own := *spec
	own.MaxLevels = 3
	shared := map[int]bool{}
	for i, r := range twinPanel(&own, twinRows(&own, ts, ts), &own.Experiment.Outcomes[0]) {
		if slices.Contains(r.levels, OtherLevel) {
			shared[i] = true
		}
	}
	if got := health(t, report(1000, 3), "blip_levels"); int(got.Value) < len(shared) {
		t.Errorf("%v rows share a column, want at least %d", got.Value, len(shared))
	}
}
