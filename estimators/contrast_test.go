package estimators

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"blipd/event"
)

// contrastSpec is blipSpec with a dimension that tools are divided by.
func contrastSpec(arms int, clustered, perArm bool) *Spec {
	s := blipSpec(arms, clustered, perArm)
	s.Dimensions = append(s.Dimensions, Dimension{Name: "kind", Expr: Expression{PerCall: true, Eval: func(p *Point) event.Value {
		if p.Call.Tool == "tool0" || p.Call.Tool == "tool1" {
			return event.TextOf("a")
		}
		return event.TextOf("b")
	}}})
	return s
}

// twinContrast is what Contrast promises: both sides over rows, without each
// bucket in turn.
func twinContrast(spec *Spec, ts, seen []*event.Trajectory, c Contrast) (out []Estimate) {
	all := twinRows(spec, ts, seen)
	in := func(r *twinRow, s Side) bool { return slices.Contains(r.groups[s.Dimension], s.Group) }
	for i := range spec.Experiment.Outcomes {
		rule := &spec.Experiment.Outcomes[i]
		rows := twinPanel(spec, all, rule)
		half := (rule.Up - rule.Low) / 2
		never, stacked := twinPsi(spec, rows, rule.Name, -1)
		width := len(stacked[0].f)
		for arm, name := range spec.Experiment.Interventions {
			scores := twinEffectScore(spec, rows, rule, 1+arm)
			var e Estimate
			for _, g := range twinGroups(rows, func(*twinRow) float64 { return 0 }) {
				if g.dimension == c.Of.Dimension && g.group == c.Of.Group {
					g.describe(&e)
				}
			}
			e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group, e.Of, e.To = ContrastOf, rule.Name, name, "", "", c.Of.String(), c.To.String()
			var one, two [65]float64
			df, clusters := math.Inf(1), math.Inf(1)
			for side, sign := range []float64{1, -1} {
				buckets, keys := map[int]float64{}, map[string]bool{}
				for b := range one {
					n, s, f := 0.0, 0.0, make([]float64, width)
					for i := range stacked {
						r := stacked[i].twinRow
						member := in(r, c.Of)
						if side == 1 {
							member = in(r, c.To) && !(c.To.Rest && in(r, c.Of))
						}
						if !member || BucketOf(r.cluster) == b-1 {
							continue
						}
						if b == 0 {
							buckets[BucketOf(r.cluster)]++
							keys[r.cluster] = true
						}
						n, s = n+1, s+scores(r)
						for k, x := range stacked[i].f {
							f[k] += x
						}
					}
					one[b] += sign * s / n
					for k := range f {
						two[b] += sign * f[k] / n * never[b][arm*width+k]
					}
				}
				sum, squares := 0.0, 0.0
				for j := range 64 {
					sum, squares = sum+buckets[j], squares+buckets[j]*buckets[j]
				}
				count := float64(len(keys))
				if spec.Cluster.Eval == nil && side == 1 && c.To.Rest { // what sums can tell
					of, to := map[string]bool{}, map[string]bool{}
					for i := range rows {
						of[rows[i].cluster] = of[rows[i].cluster] || in(&rows[i], c.Of)
						to[rows[i].cluster] = to[rows[i].cluster] || in(&rows[i], c.To)
					}
					count = 0
					for _, k := range sortedKeys(to) {
						if to[k] && !of[k] {
							count++
						}
					}
					count = max(count, float64(len(buckets)))
				}
				df, clusters = min(df, sum*sum/squares-1), min(clusters, count)
			}
			e.Continuation = RandomizedContinuation
			twinFinish(&e, one[0]*half, twinJackknife(one)*half, df, clusters)
			out = append(out, e)
			e.Continuation = NoTreatmentContinuation
			model := 63.0
			if spec.Cluster.Eval != nil {
				held := map[int]bool{}
				for _, t := range ts {
					if t.Held(rule.Name).Final.Given {
						held[BucketOf(twinCluster(spec, t))] = true
					}
				}
				model = float64(len(held) - 1)
			}
			twinFinish(&e, two[0]*half, twinJackknife(two)*half, model, clusters)
			out = append(out, e)
		}
	}
	return out
}

// TestContrastsEqualTwin holds contrasts of both kinds to brute force.
func TestContrastsEqualTwin(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 211))
			spec := contrastSpec(1+int(seed%2), seed >= 2, seed == 1)
			ts := drawPanel(rng, spec, 400)
			total, kept := summed(t, rng, spec, ts, 0, 100)
			report := total.Report()
			for _, sides := range [][2]string{
				{"tool=tool0", "tool=tool2"}, {"tool=tool0", "rest of kind=a"}, {"kind=b", ""}, {"channel=v1", "kind=a"},
			} {
				c, err := ParseContrast(sides[0], sides[1], []string{"tool", "channel", "kind"})
				if err != nil {
					t.Fatal(err)
				}
				got, err := report.Contrast(c)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, got, twinContrast(spec, kept, ts, c), 1e-10)
				if t.Failed() {
					t.Fatal(sides)
				}
			}
		})
	}
}

// TestContrastKnowsSharedRows: a group against all, which it is half of, has
// half the error of the group against the rest: the covariance is joint. And a
// contrast turned round turns its sign.
func TestContrastKnowsSharedRows(t *testing.T) {
	spec := contrastSpec(1, false, false)
	m := New(spec)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(7, 223)), spec, 600) {
		m.Add(tr)
	}
	r := m.Report()
	ask := func(of, to string) Estimate {
		c, err := ParseContrast(of, to, []string{"tool", "channel", "kind"})
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Contrast(c)
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	rest, whole := ask("kind=a", ""), ask("kind=a", "all")
	every := find(t, r.Estimates, RandomizedContinuation, "review1", "a")
	share := float64(every.Decisions) / float64(r.Decisions)
	if ratio := whole.StdError / rest.StdError; math.Abs(ratio-(1-share)) > 0.05 {
		t.Errorf("against all the error is %.3f of that against the rest, want about %.3f", ratio, 1-share)
	}
	there, back := ask("tool=tool0", "tool=tool1"), ask("tool=tool1", "tool=tool0")
	if there.Value != -back.Value || math.Abs(there.StdError-back.StdError) > 1e-12 {
		t.Errorf("%v ± %v, turned round %v ± %v", there.Value, there.StdError, back.Value, back.StdError)
	}
}

// TestConfiguredContrasts are in every report, and change no sum.
func TestConfiguredContrasts(t *testing.T) {
	plain, spec := contrastSpec(1, false, false), contrastSpec(1, false, false)
	for _, of := range []string{"tool=tool0", "tool=unseen", "kind=a", "tool=rare9"} {
		c, err := ParseContrast(of, "rest of kind=a", []string{"tool", "channel", "kind"})
		if err == nil {
			spec.Contrasts = append(spec.Contrasts, c)
		}
	}
	m, p := New(spec), New(plain)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(9, 223)), spec, 300) {
		m.Add(tr)
		p.Add(tr)
	}
	p.Merge(m) // the same definition
	r := m.Report()
	if n := len(slices.DeleteFunc(slices.Clone(r.Estimates), func(e Estimate) bool { return e.Estimand != ContrastOf })); n != 6 {
		t.Errorf("%d contrasts, want three outcomes by two estimands", n)
	}
	if len(r.NotComputed) != 2 || !strings.Contains(r.NotComputed[0], `no decision was seen in "tool=unseen"`) {
		t.Errorf("not computed: %q", r.NotComputed)
	}
	e := r.Estimates[len(r.Estimates)-1]
	bytes, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Estimate
	if err := json.Unmarshal(bytes, &back); err != nil || back.Of != "tool=tool0" || back.To != "rest of kind=a" || back.Continuation != NoTreatmentContinuation {
		t.Errorf("%s: %+v, %v", bytes, back, err)
	}
	if _, err := (&Report{}).Contrast(Contrast{}); err == nil {
		t.Error("a report without sums has a contrast")
	}
}

// TestContrastRefused: what cannot be compared is said.
func TestContrastRefused(t *testing.T) {
	spec := contrastSpec(1, false, false)
	m := New(spec)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(11, 223)), spec, 300) {
		m.Add(tr)
	}
	r := restored(t, m).Report()
	for _, c := range []struct{ of, to, want string }{
		{"tools=tool0", "", `"tools=tool0" names no dimension; write all, DIMENSION=GROUP or rest of DIMENSION=GROUP with a dimension of: tool, channel, kind`},
		{"tool=tool0", "tool=tool0", "leave nothing to compare"},
		{"rest of tool=tool0", "all", "only the other side can be a rest"},
		{"all", "rest of kind=a", "nothing is left"},
		{"tool=tool2", "rest of kind=a", `"tool=tool2" is no part of "kind=a"`},
		{"channel=v1", "rest of kind=a", `"channel=v1" is no part of "kind=a"`},
		{"tool=tool2", "kind=c", `no decision was seen in "kind=c"; known groups are`},
	} {
		asked, err := ParseContrast(c.of, c.to, []string{"tool", "channel", "kind"})
		if err == nil {
			_, err = r.Contrast(asked)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %s", c.of, c.to, err, c.want)
		}
	}
}

// TestContrastStatuses shows each way of having no value.
func TestContrastStatuses(t *testing.T) {
	spec := armSpec("direct", "full")
	spec.Dimensions = append(spec.Dimensions, Dimension{Name: "special", Expr: stateOf("special")})
	ids := 0
	m := New(spec)
	for i, tr := range drawArms(rand.New(rand.NewPCG(13, 227)), 400, 20) {
		special := ""
		switch {
		case i < 9:
			special = "nine"
		case i < 40:
			special = "never"
		case i < 80:
			special = "bucket"
			for ids++; BucketOf(fmt.Sprint("id", ids)) != 7; ids++ {
			}
			tr.ID = fmt.Sprint("id", ids)
		}
		for k := range tr.Decisions {
			d := &tr.Decisions[k]
			if special != "" {
				d.State = append(d.State, event.Member{Name: "special", Value: event.TextOf(special)})
			}
			d.Ineligible = d.Assignment.Arm != "direct" && (special == "never" || d.Assignment.Arm != "full")
			d.Assignment.Probabilities = []event.Probability{{Arm: "direct", P: 4. / 7}, {Arm: "full", P: 3. / 7}}
		}
		m.Add(tr)
	}
	r := m.Report()
	for _, c := range []struct {
		of     string
		status Status
		reason Reason
	}{
		{"special=nine", InsufficientData, FewTrajectories},
		{"special=never", NotIdentified, ArmAbsent},
		{"special=bucket", NotIdentified, OneBucket},
		{"tool=tool0", OK, ""},
	} {
		asked, err := ParseContrast(c.of, "", []string{"tool", "special"})
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Contrast(asked)
		if err != nil || len(all) != 2 {
			t.Fatalf("%s: %d, %v", c.of, len(all), err)
		}
		for _, e := range all {
			if e.Status != c.status || e.Reason != c.reason {
				t.Errorf("%s, %s: %s %s, want %s %s", c.of, e.Continuation, e.Status, e.Reason, c.status, c.reason)
			}
		}
	}
}

// TestContrastsCover: intervals of a contrast that is zero hold it as often as
// they say, with both continuations, at the fewest trajectories that have both.
// BLIPD_HEAVY=1 makes it a thousand worlds.
func TestContrastsCover(t *testing.T) {
	worlds := 100
	if os.Getenv("BLIPD_HEAVY") != "" {
		worlds = 1000
	}
	rng := rand.New(rand.NewPCG(17, 257))
	spec := armSpec("direct", "full", "half", "idle")
	c, err := ParseContrast("tool=tool0", "", []string{"tool"})
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]int{}
	for range worlds {
		m := New(spec)
		for _, tr := range drawArms(rng, 200, 40) {
			m.Add(tr)
		}
		all, err := m.contrast(c, m.fitBlips())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if e.Arm == "idle" && e.Low <= 0 && 0 <= e.Up {
				covered[e.Continuation]++
			}
		}
	}
	for _, continuation := range []string{RandomizedContinuation, NoTreatmentContinuation} {
		share := float64(covered[continuation]) / float64(worlds)
		if slack := 4 * math.Sqrt(.95*.05/float64(worlds)); share < .95-slack || share > .95+slack {
			t.Errorf("%s: coverage %.3f, want .95 within %.3f", continuation, share, slack)
		}
		t.Logf("%s: coverage %.3f", continuation, share)
	}
}

// TestContrastsTogether: readers of a report may ask at the same time (run it
// with -race).
func TestContrastsTogether(t *testing.T) {
	spec := contrastSpec(1, false, false)
	m := New(spec)
	for _, tr := range drawPanel(rand.New(rand.NewPCG(19, 257)), spec, 300) {
		m.Add(tr)
	}
	r := m.Report()
	asked, err := ParseContrast("tool=tool0", "rest of kind=a", spec.DimensionNames())
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Contrast(asked)
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan []Estimate)
	for range 4 {
		go func() {
			got, _ := r.Contrast(asked)
			_, _ = r.MaskGain(Mask{Levels: map[string]float64{"tool0": 1}})
			answers <- got
		}()
	}
	for range 4 {
		compare(t, <-answers, want, 0)
	}
}
