package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"blipd/event"
)

// TestBlipStatuses shows each way of having no value that rests on the blip
// model.
func TestBlipStatuses(t *testing.T) {
	world := func(n int, change func(spec *Spec, i int, tr *event.Trajectory)) *Moments {
		spec := armSpec("direct", "full", "half", "idle")
		spec.Dimensions = append(spec.Dimensions, Dimension{Name: "special", Expr: stateOf("special")})
		change(spec, -1, nil)
		m := New(spec)
		for i, tr := range drawArms(rand.New(rand.NewPCG(139, 149)), n, 40) {
			change(spec, i, tr)
			m.Add(tr)
		}
		return m
	}
	every := func(tr *event.Trajectory, name, value string) {
		for k := range tr.Decisions {
			tr.Decisions[k].State = append(tr.Decisions[k].State, event.Member{Name: name, Value: event.TextOf(value)})
		}
	}
	ids := 0 // of bucket 7
	bucket7 := func() string {
		for ids++; BucketOf(fmt.Sprint("id", ids)) != 7; ids++ {
		}
		return fmt.Sprint("id", ids)
	}
	for _, c := range []struct {
		name, estimand, group string
		m                     *Moments
		status                Status
		reason                Reason
		columns               []string
	}{
		{"enough", NoTreatmentContinuation, "tool0", world(200, func(*Spec, int, *event.Trajectory) {}), OK, "", nil},
		{"199 trajectories", NoTreatmentContinuation, "tool0", world(199, func(*Spec, int, *event.Trajectory) {}), InsufficientData, FewTrajectories, nil},
		{"199 trajectories", PolicyGain, "", world(199, func(*Spec, int, *event.Trajectory) {}), InsufficientData, FewTrajectories, nil},
		{"49 clusters", PolicyGain, "", world(300, func(spec *Spec, i int, tr *event.Trajectory) {
			spec.Cluster, spec.MaxClusters = stateOf("task"), 1000
			if tr != nil {
				every(tr, "task", fmt.Sprint(i%49))
			}
		}), InsufficientData, FewTrajectories, nil},
		{"50 clusters", PolicyGain, "", world(300, func(spec *Spec, i int, tr *event.Trajectory) {
			spec.Cluster, spec.MaxClusters = stateOf("task"), 1000
			if tr != nil {
				every(tr, "task", fmt.Sprint(i%50))
			}
		}), OK, "", nil},
		{"an arm never drawn in the group", NoTreatmentContinuation, "x", world(300, func(_ *Spec, i int, tr *event.Trajectory) {
			if tr != nil && i < 40 {
				every(tr, "special", "x")
				for k := range tr.Decisions {
					tr.Decisions[k].Ineligible = tr.Decisions[k].Assignment.Arm == "full"
				}
			}
		}), NotIdentified, ArmAbsent, nil},
		{"all outcomes at the centre", NoTreatmentContinuation, "tool0", world(300, func(_ *Spec, _ int, tr *event.Trajectory) {
			if tr != nil {
				tr.Hold(event.Held{Name: "score", Final: event.Valued{Given: true}})
			}
		}), NotIdentified, NoVariation, nil},
		{"a group in one bucket", NoTreatmentContinuation, "x", world(300, func(_ *Spec, i int, tr *event.Trajectory) {
			if tr != nil && i < 40 {
				tr.ID = bucket7()
				every(tr, "special", "x")
			}
		}), NotIdentified, OneBucket, nil},
		{"two moderators that are one", NoTreatmentContinuation, "tool0", world(300, func(spec *Spec, _ int, tr *event.Trajectory) {
			if tr == nil {
				spec.Features = append(spec.Features, Feature{Name: "again", Expr: stateOf("u")})
				spec.Blip.Moderators = []int{1, 2}
			}
		}), NotIdentified, IllConditioned, []string{"full: u", "half: u", "idle: u", "full: again", "half: again", "idle: again"}},
		{"a moderator that is always missing", NoTreatmentContinuation, "tool0", world(300, func(spec *Spec, _ int, tr *event.Trajectory) {
			if tr == nil {
				spec.Features = append(spec.Features, Feature{Name: "nowhere", Expr: stateOf("nowhere")})
				spec.Blip.Moderators = []int{1, 2}
			}
		}), NotIdentified, IllConditioned, []string{"full: nowhere", "half: nowhere", "idle: nowhere"}},
		{"two moderators that are one, for a gain", PolicyGain, "", world(300, func(spec *Spec, _ int, tr *event.Trajectory) {
			if tr == nil {
				spec.Features = append(spec.Features, Feature{Name: "again", Expr: stateOf("u"), Ranged: true, Low: -3, Up: 3})
				spec.Blip.Moderators = []int{1, 2}
			}
		}), NotIdentified, IllConditioned, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, _, _ := c.m.Blip()
			i := slices.IndexFunc(all, func(e Estimate) bool {
				return e.Estimand == c.estimand && e.Group == c.group && (e.Arm == "full" || c.estimand == PolicyGain)
			})
			if i < 0 {
				t.Fatal("absent")
			}
			if e := all[i]; e.Status != c.status || e.Reason != c.reason {
				t.Errorf("got %s %s, want %s %s", e.Status, e.Reason, c.status, c.reason)
			} else if c.columns != nil && !slices.Equal(e.Columns, c.columns) {
				t.Errorf("names %q, want %q", e.Columns, c.columns)
			}
		})
	}
}

// TestNarrowCondition: the condition of J counts with any bucket left out. A
// level whose rows but one are in one bucket can be told apart as a whole, and
// not without that bucket.
func TestNarrowCondition(t *testing.T) {
	spec := armSpec("direct", "full", "half", "idle")
	m := New(spec)
	ids := 0
	for i, tr := range drawArms(rand.New(rand.NewPCG(151, 157)), 400, 40) {
		if i < 30 {
			for ids++; BucketOf(fmt.Sprint("id", ids)) != 7; ids++ {
			}
			tr.ID = fmt.Sprint("id", ids)
			for k := range tr.Decisions {
				tr.Decisions[k].Calls = []event.Call{{Tool: "narrow"}}
			}
		}
		m.Add(tr)
	}
	all, _, _ := m.Blip()
	if e := find(t, all, NoTreatmentContinuation, "full", "tool0"); e.Reason != IllConditioned || !slices.ContainsFunc(e.Columns, func(c string) bool {
		return c[len(c)-len("tool=narrow"):] == "tool=narrow"
	}) {
		t.Errorf("%+v", e)
	}
	if e := find(t, all, NoTreatmentContinuation, "full", "narrow"); e.Reason != OneBucket {
		t.Errorf("%+v", e)
	}
}
