package validity

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blipd/estimators"
)

// TestStories: what is planted is found. In every story the smallest planted
// effect is about four standard errors: each has its sign right in at least 95 of
// 100 seeds and its interval holds it in at least 88; those that are null are
// said not to be in at most 13.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) != 5 {
		t.Fatal(len(files), "stories", err)
	}
	for i, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := readStory(t, string(text))
			seeds := of(6, 100, 1000)
			all := repeat(seeds, func(rep int) []estimators.Estimate {
				rng := generator(seed(seedsStories+i, rep))
				m := estimators.New(s.spec)
				for k := range s.trajectories {
					m.Add(s.draw(rng, fmt.Sprint(rep, "-", k)))
				}
				return m.Report().Estimates
			})
			smallest := math.Inf(1)
			for _, c := range s.planted {
				smallest = min(smallest, s.plant(t, &c, all))
			}
			if smallest < 3.6 || smallest > 4.4 {
				t.Errorf("the smallest planted effect is %.2f standard errors, want about 4", smallest)
			}
			for _, c := range s.null {
				s.nothing(t, &c, all)
			}
		})
	}
}

// plant judges a planted effect, and gives its size in standard errors.
func (s *story) plant(t *testing.T, c *claim, all [][]estimators.Estimate) float64 {
	if truth := s.truth(c); math.Abs(truth-c.effect) > 1e-9 {
		t.Errorf("%v: the story says %v, its world has %v", c, c.effect, truth)
	}
	signs, holds, errors := 0.0, 0.0, 0.0
	for _, estimates := range all {
		e := c.find(estimates)
		if e == nil || e.Status != estimators.OK {
			t.Fatalf("%v: %+v", c, e)
		}
		if e.Value*c.effect > 0 {
			signs++
		}
		if e.Low <= c.effect && c.effect <= e.Up {
			holds++
		}
		errors += e.StdError / float64(len(all))
	}
	n := float64(len(all))
	size := math.Abs(c.effect) / errors
	t.Logf("%-60v planted %+.3f, %.2f standard errors: sign right in %.0f of %.0f seeds, in the interval in %.0f", c, c.effect, size, signs, n, holds)
	if least := of(0.8, 0.95, 0.95); signs < least*n {
		t.Errorf("%v: sign right in %.0f of %.0f seeds, want %v of them", c, signs, n, least)
	}
	if least := of(0.5, 0.88, 0.88); holds < least*n {
		t.Errorf("%v: in the interval in %.0f of %.0f seeds, want %v of them", c, holds, n, least)
	}
	return size
}

// nothing judges an effect that is null.
func (s *story) nothing(t *testing.T, c *claim, all [][]estimators.Estimate) {
	if truth := s.truth(c); truth != 0 {
		t.Errorf("%v: the story says null, its world has %v", c, truth)
	}
	found := share(all, func(estimates *[]estimators.Estimate) bool {
		e := c.find(*estimates)
		return e == nil || e.Status != estimators.OK || e.Low > 0 || e.Up < 0
	})
	n := float64(len(all))
	t.Logf("%-60v null: the interval excludes 0 in %.0f of %.0f seeds", c, found*n, n)
	if most := of(0.5, 0.13, 0.13); found > most {
		t.Errorf("%v: the interval excludes 0 in %.0f of %.0f seeds, want at most %v of them", c, found*n, n, most)
	}
}
