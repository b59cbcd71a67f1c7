package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// definition is what decides what is summed: the keys that open another epoch.
// Policies are no part of it: each comes and goes for itself.
type definition struct {
	experiment event.Experiment
	outcomes   []outcome
	rules      state.Rules
	folds      int
	model      outcomeModel
	cluster    string
	features   []estimators.Feature
	dimensions []estimators.Dimension
	blip       *blipModel
	candidates []*blipModel
	limits     limits
}

// The members of the canonical JSON. Defaults are filled in, so that writing
// one out changes nothing.
type (
	canonicalOutcome struct {
		Name     string    `json:"name"`
		Range    []float64 `json:"range"`
		Better   string    `json:"better"`
		Required bool      `json:"required"`
		Role     string    `json:"role"`
		Timeout  *float64  `json:"timeout_value"`
	}
	canonicalFeature struct {
		Name      string    `json:"name"`
		Expr      string    `json:"expr"`
		Category  bool      `json:"category"`
		MaxLevels int       `json:"max_levels"`
		Range     []float64 `json:"range"`
	}
	canonicalGroup struct {
		Dimension string `json:"dimension"`
		Expr      string `json:"expr"`
	}
	canonical struct {
		Name               string             `json:"name"`
		Control            string             `json:"control"`
		Interventions      []string           `json:"interventions"`
		ProbabilityOf      string             `json:"probability_of"`
		Cluster            string             `json:"cluster"`
		Outcomes           []canonicalOutcome `json:"outcomes"`
		MinProbability     float64            `json:"min_probability"`
		StartPeriod        time.Duration      `json:"start_period"`
		TrajectoryTimeout  time.Duration      `json:"trajectory_timeout"`
		CloseGrace         time.Duration      `json:"close_grace"`
		RevisionWindow     time.Duration      `json:"revision_window"`
		Folds              int                `json:"folds"`
		OutcomeModel       outcomeModel       `json:"outcome_model"`
		Features           []canonicalFeature `json:"features"`
		Groups             []canonicalGroup   `json:"groups"`
		BlipModel          *blipModel         `json:"blip_model"`
		Candidates         []*blipModel       `json:"blip_candidates,omitempty"`
		Text               int                `json:"limits.text"`
		GroupsPerDimension int                `json:"limits.groups_per_dimension"`
		BlipLevels         int                `json:"limits.blip_levels,omitempty"` // with a blip model
	}
)

// hashDigits is how many hex digits of the SHA-256 make the hash: 64 bits, far
// more than the epochs of one experiment need to differ.
const hashDigits = 16

// hash is the name of the definition: the first digits of the SHA-256 of its
// canonical JSON.
func (d definition) hash() string {
	c := canonical{
		Name: d.experiment.Name, Control: d.experiment.Control, Interventions: d.experiment.Interventions,
		ProbabilityOf: string(d.experiment.ProbabilityOf), Cluster: d.cluster, MinProbability: d.experiment.MinProbability,
		StartPeriod: d.rules.StartPeriod, TrajectoryTimeout: d.rules.Timeout,
		CloseGrace: d.rules.CloseGrace, RevisionWindow: d.rules.RevisionWindow,
		Folds: d.folds, OutcomeModel: d.model, BlipModel: d.blip, Candidates: d.candidates,
		Text: d.limits.Event.Text, GroupsPerDimension: d.limits.groups,
	}
	if d.blip != nil || len(d.candidates) > 0 {
		c.BlipLevels = d.limits.levels
	}
	for _, o := range d.outcomes {
		c.Outcomes = append(c.Outcomes, canonicalOutcome{o.Name, bounds(o.Ranged, o.Low, o.Up), o.better, o.Required, o.role, o.timeout})
	}
	for _, f := range d.features {
		c.Features = append(c.Features, canonicalFeature{f.Name, f.Expr.Text, f.Category, f.MaxLevels, bounds(f.Ranged, f.Low, f.Up)})
	}
	for _, g := range d.dimensions {
		c.Groups = append(c.Groups, canonicalGroup{g.Name, g.Expr.Text})
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("config: the definition of %q has no JSON: %v", c.Name, err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:hashDigits]
}

func bounds(ranged bool, low, up float64) []float64 {
	if !ranged {
		return nil
	}
	return []float64{low, up}
}
