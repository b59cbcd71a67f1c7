package estimators

import (
	"blipd/event"
)

// Spec is one analysis definition: everything that decides what is summed. A
// Spec is never changed; another one opens another epoch.
type Spec struct {
	Experiment event.Experiment
	Folds      int     // K, cross-fitting folds, 2..Buckets
	Ridge      float64 // penalty on every coefficient of the outcome model but the intercept, > 0
	Features   []Feature
	Dimensions []Dimension // along which effects are reported; `all` is always there and not listed
	MaxGroups  int         // groups of one dimension; the rest share Other
	MaxLevels  int         // groups that have a column of their own in a blip model; the rest share one. 0: MaxGroups

	Cluster     Expression  // over the first decision; Eval nil: every trajectory is its own cluster
	MaxClusters int         // distinct clusters kept apart; above, errors come from the buckets
	Learning    *Learning   // nil: the outcome model is linear
	PerArm      bool        // one outcome model for each arm, the two-arm form of estimand 1; gives levels
	Blip        *BlipModel  // nil: neither estimand 2 nor 3
	Candidates  []BlipModel // further blip models to rank; they need a Blip
	Policies    []Policy    // whose gain over never intervening is estimated; they need a Blip

	Contrasts []Contrast // to report; asking for one changes no sum

	Hash string // of all of the above but Policies and Contrasts; sums merge only under the same, with the same policies
}

// DimensionNames are the names of the dimensions, without All.
func (s *Spec) DimensionNames() []string {
	names := make([]string, len(s.Dimensions))
	for i := range names {
		names[i] = s.Dimensions[i].Name
	}
	return names
}

// Feature is one input of the outcome model, known before the draw.
type Feature struct {
	Name      string
	Expr      Expression
	Category  bool // one 0/1 column a level, else one number
	MaxLevels int  // of a category; the rest share Other
	Ranged    bool // scaled by (v - (Low+Up)/2) / ((Up-Low)/2): a scale, not a limit
	Low, Up   float64
}

// Dimension is one way to divide decisions into groups.
type Dimension struct {
	Name string
	Expr Expression
}

// BlipModel is how the effect of one decision depends on what it stands in:
// f = one column for each group of a dimension, no intercept, then moderators.
type BlipModel struct {
	Dimension   int          // place in Dimensions plus 1; 0 is All
	Moderators  []int        // places in Features, each a number
	Checks      []Expression // instruments of the over-identification test; none: the default ones
	Unmoderated bool         // no moderated effects: their sums are the dearest with many moderators
	Masks       bool         // whether gains of masks over levels can be asked for after the fact
	Implied     bool         // nobody asked for it but the policies: see PoliciesApart
}

// Policy intervenes with one arm where its expression is true.
type Policy struct {
	Name        string
	Arm         int        // place in the Experiment's Interventions
	Intervene   Expression // missing: does not intervene; with several calls: if any does
	Probability float64    // of intervening there, in [0, 1]
}

// Expression is a compiled expression over a Point. A missing value means: a
// member was absent, of the wrong type, or the evaluation erred.
type Expression struct {
	Text    string
	PerCall bool // reads the call: evaluated once for each call of a decision
	Eval    func(*Point) event.Value
}

// Point is a decision as expressions may see it: what stood before the draw,
// and the history of its trajectory. Nothing in it depends on the arm drawn
// here or on what came later.
type Point struct {
	Decision              *event.Decision
	Call                  event.Call // the one a PerCall expression looks at
	Index                 int        // place in the trajectory, from 1
	PriorInterventions    int        // earlier decisions whose arm is an intervention
	PriorSameTool         int        // earlier decisions that share a tool
	SinceLastIntervention int        // decisions since then, 1 for the next; 0 before the first: missing

	learned []float64 // what a Learner said of it; no expression sees that
}

// Names of levels and groups that no value can take: a value that equals one
// counts as missing.
const (
	MissingLevel = "(missing)"
	OtherLevel   = "(other)"
	PooledLevel  = "(pooled)"
)

// Buckets is the number of parts into which trajectories are divided by the
// hash of their id. Folds are made of buckets.
const Buckets = 64

// All is the dimension, and its one group, that holds every row.
const All = "all"

// outOfBounds is the size from which on a scaled feature counts as missing, so
// that every contribution is finite (contract, rule 9).
const outOfBounds = 1e6

// minTrajectories is the number of trajectories below which nothing is said.
const minTrajectories = 10
