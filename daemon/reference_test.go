package daemon_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blipd/config"
	"blipd/daemon"
	"blipd/estimators"
)

// TestReference holds the whole way over files, from decoding to the estimate,
// to the answers of an independent program: as the files are, shuffled, and
// with every event delivered twice.
func TestReference(t *testing.T) {
	cases, err := filepath.Glob("testdata/reference/*/config.yaml")
	if err != nil || len(cases) != 7 {
		t.Fatalf("%d reference cases, want 7: %v", len(cases), err)
	}
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(path, os.LookupEnv)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(t, filepath.Join(dir, "expected.json"))
			lines := eventLines(t, filepath.Join(dir, "events.jsonl.gz"))
			rng := rand.New(rand.NewPCG(7, 11))
			for _, order := range []struct {
				name  string
				lines [][]byte
			}{
				{"as it is", lines},
				{"shuffled", shuffled(t, rng, lines)},
				{"shuffled otherwise", shuffled(t, rng, lines)},
				{"twice in a row", repeated(lines)},
				{"twice, the second time at the end", slices.Concat(lines, lines)},
			} {
				t.Run(order.name, func(t *testing.T) {
					in := bytes.NewReader(bytes.Join(order.lines, []byte("\n")))
					got, err := daemon.Estimate(context.Background(), cfg, []string{"-"}, in, nil)
					if err != nil {
						t.Fatal(err)
					}
					compareReports(t, got[0], want)
				})
			}
		})
	}
}

// expected reads an answer.
func expected(t *testing.T, path string) *estimators.Report {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r estimators.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func eventLines(t *testing.T, path string) [][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(all), []byte("\n"))
}

// shuffled is a random order in which events of one identity keep theirs: the
// first of them stands, and the others are conflicts.
func shuffled(t *testing.T, rng *rand.Rand, lines [][]byte) [][]byte {
	t.Helper()
	out := slices.Clone(lines)
	rng.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	original := map[string][][]byte{} // by identity, in the order of the file
	for _, line := range lines {
		id := identity(t, line)
		original[id] = append(original[id], line)
	}
	for i, line := range out {
		id := identity(t, line)
		out[i], original[id] = original[id][0], original[id][1:]
	}
	return out
}

func identity(t *testing.T, line []byte) string {
	t.Helper()
	var e struct {
		Type       string `json:"type"`
		Trajectory string `json:"trajectory_id"`
		Index      int    `json:"index"`
		Revision   int    `json:"revision"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(e.Type, " ", e.Trajectory, " ", e.Index, " ", e.Revision)
}

func repeated(lines [][]byte) [][]byte {
	var out [][]byte
	for _, line := range lines {
		out = append(out, line, line)
	}
	return out
}

// compareReports fails unless got says what want says, to the references'
// tolerance: 1e-9 standard errors, 1e-9 relative for degrees of freedom.
func compareReports(t *testing.T, got, want *estimators.Report) {
	t.Helper()
	if got.Trajectories != want.Trajectories || got.Decisions != want.Decisions {
		t.Errorf("%d trajectories and %d decisions, want %d and %d", got.Trajectories, got.Decisions, want.Trajectories, want.Decisions)
	}
	name := func(e estimators.Estimate) string {
		return fmt.Sprintf("%s %s %s %s=%q%s", e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group, e.Policy+e.Term)
	}
	left := map[string]estimators.Estimate{}
	for _, e := range got.Estimates {
		if slices.ContainsFunc(want.Estimates, func(w estimators.Estimate) bool { return w.Estimand == e.Estimand }) {
			left[name(e)] = e // the references have no levels and no moderated effects
		}
	}
	for _, w := range want.Estimates {
		g, found := left[name(w)]
		delete(left, name(w))
		if !found || g.Status != w.Status || g.Reason != w.Reason || g.Decisions != w.Decisions || g.Trajectories != w.Trajectories {
			t.Errorf("%s: got %+v, want %+v", name(w), g, w)
			continue
		}
		for _, x := range []struct {
			what             string
			got, want, scale float64
		}{
			{"estimate", g.Value, w.Value, w.StdError}, {"std_error", g.StdError, w.StdError, w.StdError},
			{"ci_low", g.Low, w.Low, w.StdError}, {"ci_high", g.Up, w.Up, w.StdError},
			{"sequence_low", g.SequenceLow, w.SequenceLow, w.StdError}, {"sequence_high", g.SequenceUp, w.SequenceUp, w.StdError},
			{"df", g.DF, w.DF, w.DF}, {"effective_trajectories", g.EffectiveTrajectories, w.EffectiveTrajectories, w.EffectiveTrajectories},
		} {
			if !(math.Abs(x.got-x.want) <= 1e-9*x.scale) {
				t.Errorf("%s: %s = %v, want %v", name(w), x.what, x.got, x.want)
			}
		}
	}
	for _, extra := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s: not in the reference", extra)
	}
}
