package estimators

import (
	"fmt"
	"math"
)

// Assertions are health checks that only a fault of this program, or a coin
// that is not what the events say, can fail.

// fewErrors is how many standard errors what has mean zero may be away from it:
// one look in 6,000 is further, and looks at growing data agree with each other.
// Of 2,000 sound worlds of 200 trajectories none was, and one beyond 3.
const fewErrors = 4

// assertions checks what must hold of every set of sums.
func (m *Moments) assertions(fits []*blipFit) []Check {
	checks := []Check{m.checkCounts()}
	if m.spec.Blip != nil {
		checks = append(checks, checkNever(fits), checkCollection(fits))
	}
	return checks
}

// checkCounts asks whether the groups of a dimension that gives one value a row
// have as many rows together as there are, and whether sums by bucket hold as
// many as were counted. Value is the number of rows too many or too few.
func (m *Moments) checkCounts() Check {
	c := Check{Name: "group_counts", OK: true, Detail: "groups have as many rows together as there are"}
	for _, p := range m.panels {
		every := int64(0)
		if all := p.cellAt(0, 0); all != nil {
			every = all.decisions()
		}
		for d, cells := range p.cells {
			rows, summed := int64(0), 0.0
			for _, cell := range cells {
				if cell == nil {
					continue
				}
				rows += cell.decisions()
				for _, v := range cell.scores[0].first {
					summed += v.at(0)
				}
				for i := range cell.scores[0].clusters {
					summed += cell.scores[0].clusters[i].v.at(0)
				}
			}
			off := math.Abs(summed - float64(rows))
			if d > 0 && !m.spec.Dimensions[d-1].Expr.PerCall || rows < every {
				off = max(off, math.Abs(float64(rows-every)))
			}
			if off > c.Value {
				c.OK, c.Value = false, off
				c.Detail = fmt.Sprintf("groups of %s have %d rows, %v in their sums, of %d: the sums are damaged; start a new epoch", m.dimension(d), rows, summed, every)
			}
		}
	}
	return c
}

// checkNever asks whether a policy that never intervenes gains nothing over
// never intervening, to the last bit: C = -B and psi^pi = psi^0. Value is the
// largest gain, on the scaled outcome.
func checkNever(fits []*blipFit) Check {
	c := Check{Name: "gain_of_never", OK: true, Detail: "a policy that never intervenes gains nothing"}
	for _, f := range fits {
		if f.n == 0 || f.never.rcond < leastCondition {
			continue
		}
		var none [Buckets]dense
		for j := range none {
			none[j] = newDense(f.size(), f.pooling.size(f.m.axes.f))
		}
		own := f.solve(&none, 0)
		taken := leaveOut(&f.taken)
		for o := range f.p.outcomes {
			gain := 0.0
			for z, x := range taken[0] {
				at := z*len(f.p.outcomes) + o
				gain += x * (f.never.psi[0].Data[at] - own.psi[0].Data[at])
			}
			c.Value = max(c.Value, math.Abs(gain)/float64(f.n))
		}
	}
	if c.Value != 0 {
		c.OK, c.Detail = false, fmt.Sprintf("a policy that never intervenes gains %v on the scaled outcome: gains are not to be trusted; report it", c.Value)
	}
	return c
}

// checkCollection asks whether going on as the rows were drawn gains over never
// intervening what was gained: gain(p) - mean_i B_i'psi^0 = mean_i C_i'psi^p,
// C_i = sum_t ((p_m - 1{A=m}) f)_m, has mean zero. Value is the largest distance
// from zero in standard errors (64 buckets). It fails where an arm was drawn
// with other probabilities than were logged, in a direction that matters.
func checkCollection(fits []*blipFit) Check {
	c := Check{Name: "collection_policy", OK: true}
	for _, f := range fits {
		if f.tooFew() || f.local.rcond < leastCondition {
			continue
		}
		drawn := leaveOut(&f.sums)
		for o, of := range f.p.outcomes {
			var theta [1 + Buckets]float64
			for b := range theta {
				for z, x := range drawn[b] {
					theta[b] -= x * f.local.psi[b].Data[z*len(f.p.outcomes)+o]
				}
				theta[b] /= float64(f.without(b))
			}
			if se := jackknife(&theta); se >= leastVariation {
				if distance := math.Abs(theta[0]) / se; distance >= c.Value {
					c.Value = distance
					_, half := scale(&f.m.spec.Experiment.Outcomes[of])
					c.Detail = fmt.Sprintf("%s: going on as drawn is %.3g from what was gained, standard error %.3g", f.m.spec.Experiment.Outcomes[of].Name, theta[0]*half, se*half)
				}
			}
		}
	}
	if c.Value > fewErrors {
		c.OK = false
		c.Detail += fmt.Sprintf("; more than %d errors: check that the logged probabilities are those of the draw", fewErrors)
	} else if c.Detail == "" {
		c.Detail = "not enough trajectories yet"
	}
	return c
}

// without is the number of trajectories, or of those outside bucket b-1.
func (f *blipFit) without(b int) int64 {
	if b == 0 {
		return f.n
	}
	return f.n - f.p.blip.buckets[b-1].trajectories
}

// Totals are the sums that theta of all rows together follows from, of one
// shard: what merged sums are held to.
type Totals struct {
	trajectories, rows int64
	sums, sizes        []float64 // N and sum W Y of each outcome, by panel and intervention; sizes sum |.| over buckets
}

// Totals reads them off.
func (m *Moments) Totals() Totals {
	t := Totals{trajectories: m.trajectories, rows: m.rows}
	for _, p := range m.panels {
		for a := range m.axes.arms {
			for at := range p.v.lead {
				sum, size := 0.0, 0.0
				if c := p.cellAt(0, 0); c != nil {
					for _, v := range c.scores[a].first {
						sum, size = sum+v.at(at), size+math.Abs(v.at(at))
					}
					for i := range c.scores[a].clusters {
						x := c.scores[a].clusters[i].v.at(at)
						sum, size = sum+x, size+math.Abs(x)
					}
				}
				t.sums, t.sizes = append(t.sums, sum), append(t.sizes, size)
			}
		}
	}
	return t
}

// mergeTolerance is the share of their size by which merged sums may differ
// from the sums of shards: rounding is far below.
const mergeTolerance = 1e-9

// CheckMerge asks whether merged sums are those of their shards together, so
// that theta is too. Value is the largest difference, as a share of its size, 1 at most.
func CheckMerge(shards []Totals, merged *Moments) Check {
	got := merged.Totals()
	want := Totals{sums: make([]float64, len(got.sums)), sizes: make([]float64, len(got.sums))}
	for _, s := range shards {
		want.trajectories, want.rows = want.trajectories+s.trajectories, want.rows+s.rows
		addScaled(want.sums, 1, s.sums)
		addScaled(want.sizes, 1, s.sizes)
	}
	c := Check{Name: "merge", OK: true, Detail: fmt.Sprintf("the sums of %d partitions are those of each together", len(shards))}
	for i, x := range got.sums {
		if off := math.Abs(x - want.sums[i]); off > 0 {
			c.Value = max(c.Value, off/max(off, want.sizes[i]))
		}
	}
	if c.Value > mergeTolerance || got.trajectories != want.trajectories || got.rows != want.rows {
		c.OK = false
		c.Detail = fmt.Sprintf("merged sums of %d partitions have %d trajectories, %d rows, their parts %d and %d, and differ by %v of their size: effects are wrong; report it",
			len(shards), got.trajectories, got.rows, want.trajectories, want.rows, c.Value)
	}
	return c
}
