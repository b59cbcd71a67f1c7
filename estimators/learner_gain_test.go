package estimators

import (
	"math"
	"os"
	"testing"
)

// learnerGain is, over seeds, the mean standard error of estimand 1 over all
// decisions with the learner to that without, and how often its 95 % interval holds
// the truth.
func learnerGain(t testing.TB, seeds, n int, mean func([5]float64) float64) (ratio, coverage float64) {
	with, without := 0.0, 0.0
	for seed := range seeds {
		all := learnerWorld(uint64(1000+seed), n, mean)
		of := func(spec *Spec) Estimate {
			m, _ := counted(spec, all)
			for _, e := range m.Randomized() {
				if e.Dimension == All && e.Status == OK {
					return e
				}
			}
			t.Fatal("no estimate")
			return Estimate{}
		}
		without += of(learnerSpec(0)).StdError
		e := of(learnerSpec(n / 5))
		with += e.StdError
		if e.Low <= learnerEffect && learnerEffect <= e.Up {
			coverage++
		}
	}
	return with / without, coverage / float64(seeds)
}

// TestLearnerGain: where the outcome is far from linear in the features the learner
// makes errors at least a tenth smaller, where it is linear at most a fiftieth larger;
// in both the interval keeps its word. BLIPD_HEAVY=1 takes 60 seeds of n = 2000; -v
// prints what was measured.
func TestLearnerGain(t *testing.T) {
	seeds := 2
	if os.Getenv("BLIPD_HEAVY") != "" {
		seeds = 60
	}
	for _, world := range []struct {
		name string
		mean func([5]float64) float64
		most float64
	}{{"curved", curved, 0.9}, {"straight", straight, 1.02}} {
		t.Run(world.name, func(t *testing.T) {
			t.Parallel()
			ratio, coverage := learnerGain(t, seeds, 2000, world.mean)
			t.Logf("standard errors %.3f of those without the learner, coverage %.3f over %d seeds", ratio, coverage, seeds)
			if ratio > world.most {
				t.Errorf("standard errors are %.3f of those without the learner, want at most %v", ratio, world.most)
			}
			if least := 0.95 - 3*math.Sqrt(0.95*0.05/float64(seeds)); coverage < least {
				t.Errorf("coverage %.3f over %d seeds, want %.3f", coverage, seeds, least)
			}
		})
	}
}

// BenchmarkLearner measures what it costs, predictions for a trajectory and a fit, and
// what it gives: standard errors to those of the linear outcome model alone.
func BenchmarkLearner(b *testing.B) {
	spec := learnerSpec(1000)
	all := learnerWorld(1, 3000, curved)
	_, l := counted(spec, all)
	b.Run("predict", func(b *testing.B) {
		for i := range b.N {
			l.Predict(all[i%len(all)])
		}
	})
	b.Run("fit", func(b *testing.B) {
		for range b.N {
			fitForest(spec, l.lessons)
		}
		b.ReportMetric(float64(l.rows), "rows")
	})
	for name, mean := range map[string]func([5]float64) float64{"curved": curved, "straight": straight} {
		b.Run("gain/"+name, func(b *testing.B) {
			for range b.N {
				ratio, _ := learnerGain(b, 3, 2000, mean)
				b.ReportMetric(ratio, "se-ratio")
			}
		})
	}
}
