package validity

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"blipd/config"
	"blipd/estimators"
	"blipd/sim"
)

// size is how much of a simulation runs.
type size int

const (
	small   size = iota // go test
	heavy               // BLIPD_HEAVY=1: CI
	nightly             // BLIPD_NIGHTLY=1
)

func sizeOfRun() size {
	switch {
	case os.Getenv("BLIPD_NIGHTLY") != "":
		return nightly
	case os.Getenv("BLIPD_HEAVY") != "":
		return heavy
	}
	return small
}

// of picks by size.
func of[T any](atSmall, atHeavy, atNightly T) T {
	return [...]T{atSmall, atHeavy, atNightly}[sizeOfRun()]
}

// firstSeed is where the seeds of this package begin. Each simulation has a
// million from firstSeed + place·1,000,000, and each of its repetitions one.
// Set before the first run; never changed.
const firstSeed = 500_000_000

// The places of the simulations among the seeds.
const (
	seedsCoverage   = 0 // and one for each cell
	seedsStreams    = 20
	seedsPolicies   = 30
	seedsTraps      = 40 // and one for each trap
	seedsStories    = 60 // and one for each story
	seedsEfficiency = 80
)

func seed(place, repetition int) uint64 {
	return firstSeed + uint64(place)*1_000_000 + uint64(repetition)
}

// generator is a source of random numbers. Seeds that lie close together give
// unrelated ones, which PCG does not promise.
func generator(seed uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return rand.New(rand.NewChaCha8(key))
}

// repeat calls one for each repetition, on all cores, and lists what it gave by
// repetition: the answer does not depend on the cores.
func repeat[T any](reps int, one func(rep int) T) []T {
	all := make([]T, reps)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for {
				rep := int(next.Add(1)) - 1
				if rep >= reps {
					return
				}
				all[rep] = one(rep)
			}
		})
	}
	wait.Wait()
	return all
}

// specOf is the analysis that a configuration asks for.
func specOf(t testing.TB, text string) *estimators.Spec {
	t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &cfg.Experiments[0].Spec
}

// world is a scenario, and the shipped configuration for it.
type world struct {
	sim.Scenario
	spec   *estimators.Spec
	truths []component
}

// component is one component of an estimand.
type component struct {
	estimand, name string // a tool or a policy
	value          float64
}

// worldOf is a scenario under examples/dgp.yaml, with a third policy and, where
// given, instruments of the over-identification test.
func worldOf(t testing.TB, name string, checks ...string) *world {
	t.Helper()
	scenario, err := sim.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../examples/dgp.yaml")
	if err != nil {
		t.Fatal(err)
	}
	yaml := strings.TrimRight(string(text), "\n") + "\n      - {name: groups01, intervene: 'action.tool in [\"lookup_order\", \"cancel_order\"]'}\n"
	if scenario.Outcome == "success" {
		yaml = replaced(t, yaml, "{name: score, range: [-6, 9], better: higher}", "{name: success, range: [0, 1], better: higher}")
	}
	if len(checks) > 0 {
		yaml = replaced(t, yaml, "moderators: [s, r]", "moderators: [s, r], checks: ['"+strings.Join(checks, "', '")+"']")
	}
	w := &world{Scenario: scenario, spec: specOf(t, yaml)}
	for _, e := range scenario.Truth() {
		if e.Dimension == "tool" || e.Policy != "" {
			w.truths = append(w.truths, component{e.Estimand, e.Group + e.Policy, e.Value})
		}
	}
	return w
}

func replaced(t testing.TB, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("examples/dgp.yaml no longer has %q once", from)
	}
	return strings.Replace(text, from, to, 1)
}

// moments are the sums of n trajectories of a seed. Ids, by which folds and
// buckets are drawn, differ between seeds.
func (w *world) moments(n int, seed uint64) *estimators.Moments {
	m := estimators.New(w.spec)
	for t := range w.Trajectories(n, seed) {
		t.ID = fmt.Sprint(seed, "-", t.ID)
		m.Add(t)
	}
	return m
}

// find is the estimate of a component, of all the report has.
func (c *component) find(all []estimators.Estimate) *estimators.Estimate {
	for i := range all {
		if e := &all[i]; e.Estimand == c.estimand && (e.Policy == c.name || e.Dimension == "tool" && e.Group == c.name) {
			return e
		}
	}
	return nil
}
