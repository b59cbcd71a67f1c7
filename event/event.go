package event

// Type tells the kinds of events apart.
type Type uint8

// The types, in the order in which a trajectory usually meets them.
const (
	TypeDecision     Type = iota + 1 // a call is proposed and the coin was drawn
	TypeIntervention                 // a review ended
	TypeOutcome                      // the result, or a part or a revision of it
	TypeEnd                          // the trajectory stopped
	TypeExclude                      // the trajectory is to be in no sum, and forgotten but for its name

	lastType = TypeExclude
)

var typeNames = [...]string{TypeDecision: "decision", TypeIntervention: "intervention", TypeOutcome: "outcome", TypeEnd: "end", TypeExclude: "exclude"}

// String is the type as producers write it.
func (t Type) String() string {
	if int(t) < len(typeNames) && t != 0 {
		return typeNames[t]
	}
	return "unknown"
}

// Event is one accepted record. Exactly the payload that Type names is set.
type Event struct {
	Type       Type
	Trajectory string // never empty
	Experiment string // "" when the producer left it out
	Time       Time   // NoTime for an intervention and an exclude, which have none

	Decision     *Decision
	Intervention *Intervention
	Outcome      *Outcome
	End          *End
	Exclude      *Exclude
}

// Decision is a decision point as it stood when the coin was drawn, in every
// arm: what the agent proposed, what was known, and how the arm was assigned.
type Decision struct {
	ID    string // decision_id; "" when not given (then Index is)
	Index int    // 1..T; 0 when not given (then ID is)
	Time  Time

	Agent  Agent
	Calls  []Call   // at least one; several when one draw decides them together
	State  []Member // sorted by name, what was known before the draw
	Scores []Member // sorted by name, numbers only

	Ineligible bool // eligible: false, no randomization here
	Assignment Assignment
}

// Agent is who proposes the calls.
type Agent struct{ Name, Version, Model string }

// Call is one proposed tool call.
type Call struct{ Tool, Capability string }

// Member is one named value of state or scores.
type Member struct {
	Name  string
	Value Value
}

// Assignment is the draw: which arm, and with which known probabilities.
type Assignment struct {
	Given         bool   // the event has an assignment (or its short form)
	Arm           string // "" when left out
	Probabilities []Probability
	Policy        string
	Draw          Draw
	Forced        bool
	Holdback      bool
}

// Probability is the known chance of one arm; lists are sorted by arm.
type Probability struct {
	Arm string
	P   float64
}

// Draw is the uniform number in [0, 1) that picked the arm, where it was sent.
type Draw struct {
	Given bool
	U     float64
}

// Intervention is what came of a review; it is never a feature of its own
// decision, which it names by ID or Index.
type Intervention struct {
	DecisionID string
	Index      int

	Delivered Flag
	Verdict   string // one of Verdicts, or "" when left out
	Reviewer  Source
	Cost      Cost
}

// Verdicts are the words a review may end with.
var Verdicts = []string{"approve", "modify", "reject", "respond", "escalate", "terminate", "none"}

// Flag is a truth value that may be left out.
type Flag uint8

// The three positions of a Flag.
const (
	Unset Flag = iota
	False
	True
)

// Cost is what a review took; a part left out is NaN-free and not Given.
type Cost struct{ Seconds, USD, Tokens Amount }

// Amount is a finite number that may be left out.
type Amount struct {
	Given bool
	N     float64
}

// Source is who measured an outcome or reviewed a call.
type Source struct{ Kind, Name, Version string }

// Outcome carries one or more outcome values.
type Outcome struct {
	Values      []Measured // sorted by name, at least one
	Revision    int        // >= 0; the highest final one counts
	Provisional bool       // final: false, shown and never used
	Source      Source
}

// Measured is one outcome's value in its own unit.
type Measured struct {
	Name  string
	Value float64
}

// Exclude takes a trajectory out of every sum, erases what is kept of it, and has
// whatever else comes of it refused.
type Exclude struct {
	Reason string // for people: "test traffic"; "" when left out
}

// End says that the trajectory stopped. It closes nothing.
type End struct {
	Decisions int // T; Counted says whether it was sent
	Counted   bool
	Reason    string
}
