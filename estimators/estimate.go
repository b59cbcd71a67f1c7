package estimators

import "encoding/json"

// Estimands, as every number that leaves this room is labelled.
const (
	RandomizedContinuation  = "randomized_continuation"
	NoTreatmentContinuation = "no_treatment_continuation"
	PolicyGain              = "policy_gain"
	ArmLevel                = "arm_level"
	ModeratedEffect         = "moderated_effect"
	ContrastOf              = "contrast"
)

// Status says whether an estimate has a value.
type Status string

// The statuses. Anything but OK comes with a Reason and without a value.
const (
	OK               Status = "ok"
	InsufficientData Status = "insufficient_data"
	NotIdentified    Status = "not_identified"
)

// Reason says why an estimate has no value.
type Reason string

// The reasons, in the order in which they are tried.
const (
	FewTrajectories Reason = "few_trajectories" // fewer than 10 clusters, or one outweighs all others
	ArmAbsent       Reason = "arm_absent"       // the arm or the control was never drawn here
	NoVariation     Reason = "no_variation"     // no variation, or precision lost, which sums cannot tell apart
	OneBucket       Reason = "one_bucket"       // all rows are in one bucket, and it cannot be left out
	IllConditioned  Reason = "ill_conditioned"  // columns of the blip model cannot be told apart
)

// Marks of an estimate that has a value.
const (
	SupportLow      = "low"        // the policy, or never intervening, was hardly ever seen
	ModelProjection = "projection" // the over-identification test refuses the blip model
)

// Estimate is one value with its interval, n, method and status.
type Estimate struct {
	Estimand  string
	Outcome   string
	Arm       string // the intervention, against the control; of an ArmLevel the arm itself
	Dimension string // "" of a PolicyGain, a ModeratedEffect and a ContrastOf
	Group     string
	Policy    string // of a PolicyGain
	Term      string // of a ModeratedEffect: intercept, or the moderator
	Of, To    string // the sides of a ContrastOf
	// Of a ContrastOf: RandomizedContinuation or NoTreatmentContinuation.
	Continuation string
	Status       Status
	Reason       Reason   // "" when OK
	Columns      []string // of the blip model, which IllConditioned cannot tell apart
	Support      string   // "" or SupportLow
	Model        string   // "" or ModelProjection

	// Meaningful when Status is OK, in the outcome's own unit and sign.
	Value       float64
	StdError    float64 // > 0
	Low, Up     float64 // 95 % interval for one look fixed beforehand, Student with DF
	DF          float64
	SequenceLow float64 // 95 % confidence sequence: holds however often one looks
	SequenceUp  float64

	Decisions             int64   // rows of every arm
	Trajectories          int64   // with a row here
	EffectiveTrajectories float64 // (sum N_i)^2 / sum N_i^2
}

// wire is an Estimate in the contract's names. What a status other than OK
// does not have is left out.
type wire struct {
	Estimand     string   `json:"estimand"`
	Outcome      string   `json:"outcome"`
	Arm          string   `json:"arm"`
	Dimension    string   `json:"dimension,omitempty"`
	Group        *string  `json:"group,omitempty"`
	Policy       string   `json:"policy,omitempty"`
	Term         string   `json:"term,omitempty"`
	Of           string   `json:"of,omitempty"`
	To           string   `json:"to,omitempty"`
	Continuation string   `json:"continuation,omitempty"`
	Status       Status   `json:"status"`
	Reason       Reason   `json:"reason,omitempty"`
	Columns      []string `json:"columns,omitempty"`
	Support      string   `json:"support,omitempty"`
	Model        string   `json:"model,omitempty"`
	Value        *float64 `json:"estimate,omitempty"`
	StdError     *float64 `json:"std_error,omitempty"`
	Low          *float64 `json:"ci_low,omitempty"`
	Up           *float64 `json:"ci_high,omitempty"`
	DF           *float64 `json:"df,omitempty"`
	SequenceLow  *float64 `json:"sequence_low,omitempty"`
	SequenceUp   *float64 `json:"sequence_high,omitempty"`
	Decisions    int64    `json:"decisions"`
	Trajectories int64    `json:"trajectories"`
	Effective    *float64 `json:"effective_trajectories,omitempty"`
}

// values are the places of what only a status of OK has, in both forms.
func (e *Estimate) values(w *wire) (own []*float64, wired []**float64) {
	return []*float64{&e.Value, &e.StdError, &e.Low, &e.Up, &e.DF, &e.SequenceLow, &e.SequenceUp},
		[]**float64{&w.Value, &w.StdError, &w.Low, &w.Up, &w.DF, &w.SequenceLow, &w.SequenceUp}
}

// MarshalJSON writes the contract's names.
func (e Estimate) MarshalJSON() ([]byte, error) {
	w := wire{Estimand: e.Estimand, Outcome: e.Outcome, Arm: e.Arm, Dimension: e.Dimension, Policy: e.Policy, Term: e.Term,
		Of: e.Of, To: e.To, Continuation: e.Continuation,
		Status: e.Status, Reason: e.Reason, Columns: e.Columns, Support: e.Support, Model: e.Model,
		Decisions: e.Decisions, Trajectories: e.Trajectories}
	if e.Dimension != "" { // a group may be the empty text
		w.Group = &e.Group
	}
	if e.Estimand != PolicyGain {
		w.Effective = &e.EffectiveTrajectories
	}
	if e.Status == OK {
		own, wired := e.values(&w)
		for i := range own {
			*wired[i] = own[i]
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*e = Estimate{Estimand: w.Estimand, Outcome: w.Outcome, Arm: w.Arm, Dimension: w.Dimension, Policy: w.Policy, Term: w.Term,
		Of: w.Of, To: w.To, Continuation: w.Continuation,
		Status: w.Status, Reason: w.Reason, Columns: w.Columns, Support: w.Support, Model: w.Model,
		Decisions: w.Decisions, Trajectories: w.Trajectories}
	if w.Group != nil {
		e.Group = *w.Group
	}
	if w.Effective != nil {
		e.EffectiveTrajectories = *w.Effective
	}
	own, wired := e.values(&w)
	for i := range own {
		if *wired[i] != nil {
			*own[i] = **wired[i]
		}
	}
	return nil
}
