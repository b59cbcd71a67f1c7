package validity

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"blipd/estimators"
	"blipd/event"
)

// story is a world told in text, what is planted in it, and what is not.
//
//	score  =  60 + noise·N(0, 1) + Σ_t A_t·effect_t
//	effect =  that of the tool + that of the stage + again, if the decision before was reviewed
//
// Every decision is reviewed with probability 1/2.
type story struct {
	trajectories, decisions int
	noise, again            float64
	tools                   []storyTool
	stages                  []stage
	policies                map[string][]float64 // probability of a review by decision
	planted, null           []claim
	spec                    *estimators.Spec
}

type storyTool struct {
	name, capability string
	share, effect    float64
}

// stage is what is added to the effect at decisions first to last, from 1.
type stage struct {
	first, last int
	effect      float64
}

// claim is a planted effect, or one that is null.
type claim struct {
	estimand, dimension, group string
	effect                     float64
}

const coin = 0.5

// readStory reads a story. A line at the margin begins a section; # begins a remark.
func readStory(t *testing.T, text string) *story {
	t.Helper()
	s := &story{policies: map[string][]float64{}}
	var yaml strings.Builder
	yaml.WriteString(plain)
	section := ""
	for _, line := range strings.Split(text, "\n") {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case line[0] != ' ':
			section = line
		case section == "configuration":
			yaml.WriteString("  " + line + "\n")
		case section == "world":
			s.read(t, words[0], words[1:])
		case section == "planted":
			s.planted = append(s.planted, claim{words[0], words[1], words[2], numberIn(t, words[3])})
		case section == "null":
			s.null = append(s.null, claim{words[0], words[1], words[2], 0})
		default:
			t.Fatalf("a line in no section: %q", line)
		}
	}
	s.spec = specOf(t, yaml.String())
	return s
}

// read reads one line of the world.
func (s *story) read(t *testing.T, word string, args []string) {
	t.Helper()
	names := 0
	switch word {
	case "tool":
		names = 2
	case "policy":
		names = 1
	}
	var x []float64
	for _, a := range args[names:] {
		x = append(x, numberIn(t, a))
	}
	switch word {
	case "trajectories":
		s.trajectories = int(x[0])
	case "decisions":
		s.decisions = int(x[0])
	case "noise":
		s.noise = x[0]
	case "again":
		s.again = x[0]
	case "tool":
		s.tools = append(s.tools, storyTool{args[0], args[1], x[0], x[1]})
	case "stage":
		s.stages = append(s.stages, stage{int(x[0]), int(x[1]), x[2]})
	case "policy":
		s.policies[args[0]] = x
	default:
		t.Fatalf("world: %q is no word of it", word)
	}
}

func numberIn(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// staged is what the stage adds at decision k, from 1.
func (s *story) staged(k int) float64 {
	sum := 0.0
	for _, g := range s.stages {
		if g.first <= k && k <= g.last {
			sum += g.effect
		}
	}
	return sum
}

// draw draws a trajectory.
func (s *story) draw(rng *rand.Rand, id string) *event.Trajectory {
	var all []event.Decision
	score, last := 60+s.noise*rng.NormFloat64(), 0.0
	for k := 1; k <= s.decisions; k++ {
		u, tool := rng.Float64(), s.tools[0]
		for _, tool = range s.tools {
			if u -= tool.share; u < 0 {
				break
			}
		}
		d := decide(rng, tool.name, coin, number("last", last), number("progress", float64(k)/float64(s.decisions)))
		d.Calls[0].Capability = tool.capability
		effect := tool.effect + s.staged(k) + s.again*last
		last = 0
		if d.Assignment.Arm == review {
			score += effect
			last = 1
		}
		all = append(all, d)
	}
	return ended(id, score, all...)
}
