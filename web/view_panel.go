package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blipd/estimators"
)

// panel is one outcome and one arm: forest plots of all dimensions on one axis.
type panel struct {
	ID           string
	Outcome, Arm string
	Control      string
	Estimand     string // as everywhere else
	Continuation string // the same in words
	Model        string // what is thought of the blip model that this rests on, or ""
	Refused      bool   // the blip model is
	Better       string // which end of the outcome is, or ""
	Left, Right  string // what lies on either side of zero
	Axis         axis
	Tables       []table
	HasTruth     bool
	Covered      string // how often the sequence holds the truth, in words
	decimals     int
	truth        map[groupKey]float64
}

// groupKey tells the rows of a panel apart.
type groupKey struct{ dimension, group string }

func keyOf(x *estimators.Estimate) groupKey {
	dimension, group := heading(x)
	return groupKey{dimension, group}
}

// panelKey tells panels apart.
type panelKey struct{ outcome, arm, estimand string }

// estimands in the order of the page.
var estimands = []string{estimators.RandomizedContinuation, estimators.NoTreatmentContinuation, estimators.PolicyGain,
	estimators.ContrastOf, estimators.ArmLevel, estimators.ModeratedEffect}

// newPanels divides the estimates of a report into panels, outcomes and arms
// in the order of the configuration.
func newPanels(report *estimators.Report, e *Experiment, id string) []*panel {
	sorted := map[panelKey][]*estimators.Estimate{}
	var keys []panelKey
	for i := range report.Estimates {
		x := &report.Estimates[i]
		k := panelKey{x.Outcome, x.Arm, x.Estimand}
		if sorted[k] == nil {
			keys = append(keys, k)
		}
		sorted[k] = append(sorted[k], x)
	}
	outcome := func(name string) int {
		return orLast(slices.IndexFunc(e.Outcomes, func(o Outcome) bool { return o.Name == name }))
	}
	slices.SortStableFunc(keys, func(a, b panelKey) int {
		if d := outcome(a.outcome) - outcome(b.outcome); d != 0 {
			return d
		}
		if d := orLast(slices.Index(e.Interventions, a.arm)) - orLast(slices.Index(e.Interventions, b.arm)); d != 0 {
			return d
		}
		return cmp.Or(slices.Index(estimands, a.estimand)-slices.Index(estimands, b.estimand), strings.Compare(a.estimand, b.estimand))
	})
	panels := make([]*panel, 0, len(keys))
	for i, k := range keys {
		p := newPanel(sorted[k], e, k, fmt.Sprintf("%s-panel-%d", id, i+1))
		if rests(k.estimand) {
			for m := range report.Models {
				if model := &report.Models[m]; model.Outcome == k.outcome {
					p.Model, p.Refused = modelWords(model), model.Check == estimators.CheckFail
				}
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// orLast puts what is not in the configuration behind what is.
func orLast(place int) int {
	if place < 0 {
		return 1 << 20
	}
	return place
}

// turn notes which end of the outcome is better, and so what lies on either
// side of zero.
func (p *panel) turn(e *Experiment, outcome string) {
	if i := slices.IndexFunc(e.Outcomes, func(o Outcome) bool { return o.Name == outcome }); i >= 0 {
		p.Better = e.Outcomes[i].Better
	}
	switch p.Better {
	case "higher":
		p.Left, p.Right = harms.Word, helps.Word
	case "lower":
		p.Left, p.Right = helps.Word, harms.Word
	default:
		p.Left, p.Right = lowers.Word, raises.Word
	}
}

func newPanel(estimates []*estimators.Estimate, e *Experiment, k panelKey, id string) *panel {
	p := &panel{ID: id, Outcome: visible(k.outcome), Arm: visible(k.arm), Control: visible(e.Control),
		Estimand: k.estimand, Continuation: continuation(k.estimand)}
	p.turn(e, k.outcome)
	p.truth = map[groupKey]float64{}
	var shown []*estimators.Estimate
	var errs, truths []float64
	for _, t := range e.Truth {
		if t.Outcome == k.outcome && t.Arm == k.arm && t.Estimand == k.estimand && isFinite(t.Value) {
			p.truth[groupKey{t.Dimension, t.Group}] = t.Value
		}
	}
	held, seen := 0, 0
	for _, x := range estimates {
		value, known := p.truth[keyOf(x)]
		if known {
			truths = append(truths, value)
		}
		if hasValue(x) {
			errs = append(errs, x.StdError)
		}
		if !hasSequence(x) {
			continue
		}
		shown = append(shown, x)
		if known {
			seen++
			if x.SequenceLow <= value && value <= x.SequenceUp {
				held++
			}
		}
	}
	p.HasTruth = len(truths) > 0
	if seen > 0 {
		p.Covered = fmt.Sprintf("%d of %d sequences hold the planted truth", held, seen)
	}
	p.Axis = newAxis(shown, truths)
	p.decimals = decimalsFor(errs)
	p.Tables = newTables(estimates, e, p)
	return p
}
