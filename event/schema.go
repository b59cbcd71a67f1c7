package event

import (
	"math"
	"slices"
)

// Schema is what the door checks events against.
type Schema struct {
	Experiments []Experiment // at least one, names distinct
	Limits      Limits
}

// Limits bound one event. Zero is the default.
type Limits struct {
	Event int // bytes of a record's value
	Text  int // bytes of one text, id or name
}

// The defaults of Limits.
const (
	DefaultEvent = 1 << 20 // 1 MiB
	DefaultText  = 256
)

func (l Limits) orDefaults() Limits {
	if l.Event == 0 {
		l.Event = DefaultEvent
	}
	if l.Text == 0 {
		l.Text = DefaultText
	}
	return l
}

// Experiment is what the events of one experiment may say.
type Experiment struct {
	Name           string
	Control        string
	Interventions  []string      // in configured order, at least one
	ProbabilityOf  ProbabilityOf // meaning of p in the short form; "" forbids it
	MinProbability float64       // a row's probabilities lie in [MinProbability, 1-MinProbability]
	Outcomes       []OutcomeRule // at least one is required
}

// ProbabilityOf says whose probability the short form sends.
type ProbabilityOf string

// The meanings of the short form's p.
const (
	OfTreatment ProbabilityOf = "treatment" // of the intervention, whatever was drawn
	OfArm       ProbabilityOf = "arm"       // of the arm that was drawn
)

// OutcomeRule is one outcome: its name and where it may lie.
type OutcomeRule struct {
	Name     string
	Low, Up  float64 // Low < Up when Ranged; the outcome is scaled by them
	Ranged   bool
	Required bool
}

// Arms lists the control and then the interventions.
func (e *Experiment) Arms() []string { return append([]string{e.Control}, e.Interventions...) }

// Arm is the place of a name among Arms: 0 is the control; -1 is none of them.
func (e *Experiment) Arm(name string) int {
	if name == e.Control {
		return 0
	}
	if i := slices.Index(e.Interventions, name); i >= 0 {
		return i + 1
	}
	return -1
}

// Outcome is the place of a name among Outcomes, or -1.
func (e *Experiment) Outcome(name string) int {
	return slices.IndexFunc(e.Outcomes, func(o OutcomeRule) bool { return o.Name == name })
}

// Find is the place of a name among the experiments, or -1.
func (s *Schema) Find(name string) int {
	return slices.IndexFunc(s.Experiments, func(e Experiment) bool { return e.Name == name })
}

// NotRandomized says why a decision is no row. The zero value is: it is one.
type NotRandomized uint8

// The reasons, in the order in which they are tried.
const (
	Randomized NotRandomized = iota
	Ineligible
	Forced
	NoAssignment
	ArmsDiffer
	ProbabilityLow
	ProbabilityHigh
	ProbabilitySum

	notRandomized // their number
)

var notRandomizedNames = [notRandomized]string{"randomized", "ineligible", "forced", "no_assignment",
	"arms_differ", "probability_low", "probability_high", "probability_sum"}

// String is the reason as metrics carry it.
func (r NotRandomized) String() string { return notRandomizedNames[r] }

// NotRandomizedReasons lists the reasons in a fixed order, without Randomized.
func NotRandomizedReasons() []NotRandomized {
	return []NotRandomized{Ineligible, Forced, NoAssignment, ArmsDiffer, ProbabilityLow, ProbabilityHigh, ProbabilitySum}
}

// sumTolerance is how far the probabilities of one draw may sum from 1.
const sumTolerance = 1e-6

// Randomized tells whether a decision was randomized under this experiment, or
// why not. The answer depends on the arms and the probabilities that were
// sent, never on which of the configured arms was drawn.
func (e *Experiment) Randomized(d *Decision) NotRandomized {
	a := &d.Assignment
	switch {
	case d.Ineligible:
		return Ineligible
	case a.Forced:
		return Forced
	case a.Arm == "" || len(a.Probabilities) == 0:
		return NoAssignment
	case e.Arm(a.Arm) < 0 || len(a.Probabilities) != 1+len(e.Interventions):
		return ArmsDiffer
	}
	sum := 0.0
	low, high := false, false
	for _, p := range a.Probabilities { // names are distinct: as many known ones as arms are all arms
		if e.Arm(p.Arm) < 0 {
			return ArmsDiffer
		}
		low = low || p.P < e.MinProbability
		high = high || p.P > 1-e.MinProbability
		sum += p.P
	}
	switch {
	case low:
		return ProbabilityLow
	case high:
		return ProbabilityHigh
	case !(math.Abs(sum-1) <= sumTolerance):
		return ProbabilitySum
	}
	return Randomized
}

// Of is the known probability of an arm, or 0 when it was not sent.
func (a *Assignment) Of(arm string) float64 {
	for _, p := range a.Probabilities {
		if p.Arm == arm {
			return p.P
		}
	}
	return 0
}
