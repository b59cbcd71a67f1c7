package event

import (
	"slices"
	"strings"
)

// vocabulary is what an object with known names may hold, and what the last such
// object was like. A name has a place in it, below maxPlaces.
type vocabulary struct {
	names [maxPlaces]string    // as they are compared, `"name":`; "" where the place is none of this object
	after [maxPlaces + 1]uint8 // a guess: which name came after the one before; at 0, which came first
	texts [maxPlaces]string    // a guess: the text that stood under the name, in its quotes
}

const (
	maxPlaces = 28
	stray     = -1 // the place of a name that is not known
)

// The members of the types have one place each in all vocabularies of bodies;
// those of the smaller objects are counted in the order of newWords.
const (
	memberType = iota
	memberSpecversion
	memberTrajectory
	memberTime
	memberIndex
	memberDecisionID
	memberExperiment
	memberAgent
	memberAction
	memberState
	memberEligible
	memberAssignment
	memberTreatment
	memberProbability
	memberScores
	memberDelivered
	memberVerdict
	memberReviewer
	memberCost
	memberOutcomes
	memberRevision
	memberFinal
	memberSource
	memberDecisions
	memberReason
)

var memberNames = []string{"type", "specversion", "trajectory_id", "time", "index", "decision_id", "experiment", "agent",
	"action", "state", "eligible", "assignment", "treatment", "probability", "scores", "delivered", "verdict", "reviewer",
	"cost", "outcomes", "revision", "final", "source", "decisions", "reason"}

// The members of the smaller objects, and the places of those that are texts.
var (
	agentNames      = []string{"name", "version", "model"}
	callNames       = []string{"tool", "capability"}
	actionNames     = []string{"tool", "capability", "calls"}
	assignmentNames = []string{"arm", "probabilities", "policy", "draw", "forced", "holdback"}
	sourceNames     = []string{"kind", "name", "version"}
	costNames       = []string{"seconds", "usd", "tokens"}
)

const (
	textName, textVersion, textModel          = 0, 1, 2
	textTool, textCapability                  = 0, 1
	actionTool, actionCapability, actionCalls = 0, 1, 2
	sourceKind, sourceName, sourceVersion     = 0, 1, 2
)

// words are the vocabularies of all objects that have one.
type words struct {
	bare, data                                                [lastType + 1]vocabulary
	envelope                                                  vocabulary
	agent, action, call, assignment, reviewer, cost, measurer vocabulary
}

func newWords() words {
	w := words{
		envelope:   newVocabulary(structuredNames, structuredNames),
		agent:      newVocabulary(agentNames, agentNames),
		action:     newVocabulary(actionNames, actionNames),
		call:       newVocabulary(callNames, callNames),
		assignment: newVocabulary(assignmentNames, assignmentNames),
		reviewer:   newVocabulary(sourceNames, sourceNames),
		cost:       newVocabulary(costNames, costNames),
		measurer:   newVocabulary(sourceNames, sourceNames),
	}
	for t := TypeDecision; t <= lastType; t++ {
		w.bare[t] = newVocabulary(memberNames, slices.Concat(bareNames, knownNames[t]))
		w.data[t] = newVocabulary(memberNames, knownNames[t])
	}
	return w
}

// newVocabulary holds the known names at their places among all.
func newVocabulary(all, known []string) vocabulary {
	var v vocabulary
	for _, name := range known {
		place := slices.Index(all, name)
		if place < 0 {
			panic("event: the reader has no place for the member " + name)
		}
		v.names[place] = `"` + name + `":`
	}
	return v
}

// span is a part of the value.
type span struct{ from, to int }

// cursor is where the reader stands in an object with known names.
type cursor struct {
	seen   uint32 // the places that were there
	before int    // one more than the place of the known name before, 0 at first
	strays int    // where the names that are not known begin
}

func (r *Reader) open() cursor { return cursor{strays: len(r.strays)} }

func (c *cursor) has(place int) bool { return c.seen&(1<<place) != 0 }

// leave forgets the names of an object that was read.
func (r *Reader) leave(c *cursor) { r.strays = r.strays[:c.strays] }

// name reads a name and steps to its value. It must stand within the value. A
// second name of the same place leads nowhere.
func (r *Reader) name(v *vocabulary, c *cursor, i int) (place, next int) {
	place = int(v.after[c.before])
	guess := v.names[place]
	if n := i + len(guess); guess != "" && n < len(r.value) && string(r.value[i:n]) == guess {
		next = space(r.value, n)
	} else if place, next = r.find(v, c, i); place == stray {
		return stray, next
	}
	if c.seen&(1<<place) != 0 {
		return place, nowhere
	}
	c.seen |= 1 << place
	v.after[c.before] = uint8(place)
	c.before = place + 1
	return place, next
}

// find looks the name up.
func (r *Reader) find(v *vocabulary, c *cursor, i int) (place, next int) {
	end := quoted(r.value, i)
	if end < 0 {
		return stray, nowhere
	}
	text := r.value[i:end]
	for place := range v.names {
		if known := v.names[place]; len(known) == len(text)+1 && known[:len(text)] == string(text) {
			return place, colon(r.value, end)
		}
	}
	if !r.stray(c.strays, i+1, end-1) || v.misspelt(text[1:len(text)-1]) {
		return stray, nowhere
	}
	return stray, colon(r.value, end)
}

// misspelt tells whether an unknown name differs from a known one only in case.
// All known names are in small letters, so one without others is not.
func (v *vocabulary) misspelt(name []byte) bool {
	if !slices.ContainsFunc(name, func(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 0x80 }) {
		return false
	}
	return slices.ContainsFunc(v.names[:], func(known string) bool {
		return known != "" && strings.EqualFold(known[1:len(known)-2], alias(name)) // compared, not kept
	})
}

// maxStrays bounds the unknown names of one object.
const maxStrays = 32

// stray notes an unknown name, which must be new among those from base on.
func (r *Reader) stray(base, from, to int) bool {
	if len(r.strays)-base == maxStrays {
		return false
	}
	for _, s := range r.strays[base:] {
		if string(r.value[s.from:s.to]) == string(r.value[from:to]) {
			return false
		}
	}
	r.strays, r.ignored = append(r.strays, span{from, to}), true
	return true
}
