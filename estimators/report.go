package estimators

import "blipd/event"

// The scopes of a report.
const (
	Closed   = "closed"   // everything that has closed
	Complete = "complete" // what started in periods all of whose trajectories have closed
)

// Report is all of one refit for one experiment in one scope. It is never
// changed once made: readers hold it without a lock.
type Report struct {
	Experiment string `json:"experiment"`
	ConfigHash string `json:"config_hash"`
	Epoch      int    `json:"epoch"`
	Scope      string `json:"scope"`

	Since      event.Time `json:"since,omitzero"`       // the lowest event time counted in this epoch
	AsOf       event.Time `json:"as_of,omitzero"`       // the highest
	CompleteTo event.Time `json:"complete_to,omitzero"` // all that started before has closed; the smallest over partitions

	Trajectories int64   `json:"trajectories"`       // closed, with rows or not
	Decisions    int64   `json:"decisions"`          // rows
	Censored     int64   `json:"censored"`           // closed without outcomes: in no estimate
	Excluded     int64   `json:"excluded,omitempty"` // by an exclude: in no sum
	Open         int64   `json:"open"`
	OpenShare    float64 `json:"open_share"` // of the trajectories started

	Estimates []Estimate      `json:"estimates"`
	Models    []FittedModel   `json:"models,omitempty"`          // the blip model of each outcome
	Ranking   []RankedModel   `json:"blip_candidates,omitempty"` // of blip models; certifies nothing about estimands 2 and 3
	Support   []PolicySupport `json:"support,omitempty"`         // of never intervening and each policy
	Health    []Check         `json:"health"`

	Rejected      map[string]int64 `json:"rejected"`                        // records by reason, of all experiments
	NotRandomized map[string]int64 `json:"not_randomized"`                  // decisions by reason
	Missing       map[string]int64 `json:"missing"`                         // rows without a value, by feature; those of a dimension are its group (missing)
	OutOfBounds   map[string]int64 `json:"out_of_bounds"`                   // those of them that were too large, by feature
	Disagreeing   int64            `json:"cluster_disagreements,omitempty"` // decisions whose cluster is not that of their trajectory
	NotComputed   []string         `json:"not_computed,omitempty"`

	moments *Moments   // what Contrast and MaskGain work with; nil of a report that was read
	solved  []*blipFit // the blip model by panel; none without one
}

// Check is one health check: whether to trust what feeds the estimates.
type Check struct {
	Name   string  `json:"check"`
	OK     bool    `json:"ok"`
	Value  float64 `json:"value"`
	Detail string  `json:"detail"`
}

// Report is everything that follows from the sums alone, which must not change
// any more: what is asked for after the fact is worked out from them. Who knows the rest
// fills it in: epoch, scope, what is open, health, what was rejected.
func (m *Moments) Report() *Report {
	r := &Report{
		Experiment: m.spec.Experiment.Name, ConfigHash: m.spec.Hash, Since: m.earliest, AsOf: m.latest, CompleteTo: event.NoTime,
		Trajectories: m.trajectories, Decisions: m.rows, Disagreeing: m.disagreeing, Estimates: m.Randomized(), Health: []Check{},
		Rejected: map[string]int64{}, NotRandomized: map[string]int64{}, Missing: map[string]int64{}, OutOfBounds: map[string]int64{},
	}
	fits := m.fitBlips()
	r.moments, r.solved = m, fits
	blip, models, support := m.blipOf(fits)
	r.Estimates, r.Models = append(append(r.Estimates, m.Moderated()...), blip...), models
	r.Support, r.Ranking = support, m.Candidates()
	r.Health = append(append(r.Health, m.limits()...), m.assertions(fits)...)
	for _, c := range m.spec.Contrasts {
		asked, err := r.Contrast(c)
		if err != nil {
			r.NotComputed = append(r.NotComputed, err.Error())
		}
		r.Estimates = append(r.Estimates, asked...)
	}
	for f, feature := range m.spec.Features {
		r.Missing[feature.Name] = m.missing[f]
		r.OutOfBounds[feature.Name] = m.outOfBounds[f]
	}
	return r
}
