package web

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// fake is a source that holds what it is given.
type fake struct {
	experiments []Experiment
	reports     map[string]*estimators.Report // by experiment and scope
	earlier     map[string]*estimators.Report // by experiment and epoch
	live        Live
	readiness   Readiness
	held        []state.Hold
	book        []state.Hold
	broken      error // of the book
	stalled     []string
}

func (f *fake) Experiments() []Experiment                    { return f.experiments }
func (f *fake) Report(name, scope string) *estimators.Report { return f.reports[name+"/"+scope] }
func (f *fake) Readiness() Readiness                         { return f.readiness }
func (f *fake) Live() Live {
	live := f.live
	live.Experiments = f.experiments
	return live
}
func (f *fake) Stalled() []string               { return f.stalled }
func (f *fake) Held() []state.Hold              { return f.held }
func (f *fake) HoldBook() ([]state.Hold, error) { return f.book, f.broken }
func (f *fake) EarlierReport(n string, e int) *estimators.Report {
	return f.earlier[fmt.Sprint(n, "/", e)]
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// retail is an experiment of one intervention and two outcomes.
func retail() Experiment {
	return Experiment{
		Name: "retail", Control: "direct", Interventions: []string{"review"},
		Outcomes:   []Outcome{{"success", "higher"}, {"violation", "lower"}},
		Dimensions: []string{"tool", "stage"},
	}
}

// effect is an estimate with a value; its intervals are 2 and 3 errors wide.
func effect(outcome, dimension, group string, n int64, value, err float64) estimators.Estimate {
	return estimators.Estimate{
		Estimand: estimators.RandomizedContinuation, Outcome: outcome, Arm: "review", Dimension: dimension, Group: group,
		Status: estimators.OK, Value: value, StdError: err, Low: value - 2*err, Up: value + 2*err, DF: float64(n - 1),
		SequenceLow: value - 3*err, SequenceUp: value + 3*err,
		Decisions: 2 * n, Trajectories: n, EffectiveTrajectories: float64(n) * 0.8,
	}
}

// without is an estimate without a value.
func without(outcome, dimension, group string, n int64, status estimators.Status, why estimators.Reason) estimators.Estimate {
	return estimators.Estimate{
		Estimand: estimators.RandomizedContinuation, Outcome: outcome, Arm: "review", Dimension: dimension, Group: group,
		Status: status, Reason: why, Decisions: n, Trajectories: n,
		Value: math.NaN(), StdError: math.NaN(), SequenceUp: math.Inf(1),
	}
}

// reportOf is a report of the experiment retail with these estimates.
func reportOf(estimates ...estimators.Estimate) *estimators.Report {
	return &estimators.Report{
		Experiment: "retail", ConfigHash: "9f2c41d07a3e", Epoch: 1, Scope: estimators.Closed,
		AsOf: event.TimeOf(noon), CompleteTo: event.TimeOf(noon.Add(-2 * time.Hour)),
		Trajectories: 12840, Decisions: 88213, Censored: 31, Open: 214, OpenShare: 214.0 / 13085,
		Estimates: estimates,
		Health: []estimators.Check{
			{Name: "assignment", OK: true, Value: 1.8, Detail: "draws agree with their probabilities, evidence 1.8 of 1000"},
			{Name: "groups", OK: true, Detail: "every group stands for itself"},
		},
		Rejected:      map[string]int64{"duplicate": 12, "malformed": 3, "late": 0},
		NotRandomized: map[string]int64{"forced": 41, "ineligible": 1203},
		Missing:       map[string]int64{"errors": 7},
		NotComputed:   []string{"outputs.effects: only dead letters are written by this version"},
	}
}

// world is retail with a simulated truth, two partitions and all kinds of rows.
func world() *fake {
	e := retail()
	random := rand.New(rand.NewPCG(1, 2))
	tools := []string{"cancel_order", "get_order", "refund_payment", "send_email", "update_address", "search", "issue_voucher",
		"escalate_to_a_human_colleague_of_the_second_level", "delete_account", "export_data"}
	var all []estimators.Estimate
	for _, o := range e.Outcomes {
		sign := map[string]float64{"success": 1, "violation": -1}[o.Name]
		plant := func(dimension, group string, n int64, truth float64) {
			err := 0.45 / math.Sqrt(float64(n))
			all = append(all, effect(o.Name, dimension, group, n, truth+random.NormFloat64()*err, err))
			e.Truth = append(e.Truth, Truth{estimators.RandomizedContinuation, o.Name, "review", dimension, group, truth})
		}
		plant("all", "all", 12840, 0.031*sign)
		for i, tool := range tools {
			plant("tool", tool, int64(9000>>i+8*i), []float64{0.12, 0, 0.07, -0.055, 0.01}[i%5]*sign)
		}
		all = append(all,
			effect(o.Name, "tool", "merge_accounts", 36, 0.21, 0.09),
			without(o.Name, "tool", "close_ticket", 7, estimators.InsufficientData, estimators.FewTrajectories),
			without(o.Name, "tool", "pay_supplier", 33, estimators.NotIdentified, estimators.ArmAbsent),
			without(o.Name, "tool", estimators.MissingLevel, 14, estimators.NotIdentified, estimators.NoVariation))
		plant("stage", "earlier", 11900, 0.05*sign)
		plant("stage", "near completion", 8100, -0.012*sign)
	}
	never := effect("success", "all", "all", 12840, 0.04, 0.02)
	never.Estimand = estimators.NoTreatmentContinuation
	gain := effect("success", "", "", 12840, 0.05, 0.03)
	gain.Estimand, gain.Policy, gain.Model = estimators.PolicyGain, "writes", estimators.ModelProjection
	gain.Support = estimators.SupportLow
	between := effect("success", "", "", 12840, 0.05, 0.03)
	between.Estimand, between.Of, between.To, between.Continuation = estimators.ContrastOf, "tool=search", "rest of all", estimators.RandomizedContinuation
	report := reportOf(append(all, never, gain, between)...)
	report.Models = []estimators.FittedModel{{Outcome: "success", Columns: []string{"tool=search"}, Check: estimators.CheckFail, P: 1e-5,
		Comparisons: []estimators.Comparison{{Arm: "review", Dimension: "stage", Check: estimators.CheckWarn, P: 0.02}}}}
	report.Support = []estimators.PolicySupport{{Outcome: "success", Policy: "writes", Agreement: 0.004, Effective: 41, Differing: 0.5, Leverage: 0.25}}
	whole := *report
	whole.Scope = estimators.Complete
	return &fake{
		experiments: []Experiment{e},
		reports:     map[string]*estimators.Report{"retail/closed": report, "retail/complete": &whole},
		live:        living(),
		readiness:   Readiness{Ready: true},
	}
}

// living are the counters of two partitions, the second of which has not begun.
func living() Live {
	rejected := make([]int64, len(event.Reasons())+1)
	rejected[event.Malformed], rejected[event.Duplicate] = 3, 12
	notRandomized := make([]int64, len(event.NotRandomizedReasons())+1)
	notRandomized[event.Forced] = 41
	stats := state.ExperimentStats{Started: 13085, Open: 214, NotRandomized: notRandomized,
		Assigned: []int64{44000, 44213}, Expected: []float64{44100.25, 44112.75}, CompleteTo: event.TimeOf(noon.Add(-2 * time.Hour))}
	stats.Closed[state.ByOutcome], stats.Closed[state.Censored] = 12840, 31
	return Live{
		Now: noon.Add(3 * time.Second), Version: "1.2.3", Topic: "blipd.events",
		Partitions: []Partition{
			{Stats: state.Stats{Partition: 0, Next: 101100, Stream: event.TimeOf(noon), Records: 101100, Rejected: rejected,
				Open: 214, Outbox: 5, Experiments: []state.ExperimentStats{stats}}, Owned: true, Lag: 17, Named: true},
			{Stats: state.Stats{Partition: 1, Stream: event.NoTime}, Owned: true, Lag: -1, Stopped: "recreated"},
		},
		Paused:    map[string]bool{"dead_letters": false, "memory": false},
		Refits:    Durations{Count: 10, Sum: 0.5, Buckets: map[float64]uint64{0.01: 1, 0.1: 9, 1: 10}},
		LastRefit: noon,
		WentBack:  2,
		Reload:    Reload{LastOK: noon},
		Progress:  &Progress{Topic: "blipd.events", Done: 101100, Behind: 17, Rate: 3.4, Level: true, Left: new(5.0), End: new(noon.Add(5 * time.Second))},
		Rebuild:   &Rebuild{Phase: Rebuilding, Began: noon, Progress: Progress{Topic: "blipd.events", Done: 60100, Behind: 41000, Rate: 4100, Left: new(10.0), End: new(noon.Add(10 * time.Second))}},
		Commits:   Durations{Count: 100, Sum: 1, Buckets: map[float64]uint64{0.01: 90, 0.1: 100}},
	}
}

// waiting is world before its first refit.
func waiting() *fake {
	f := world()
	f.reports = nil
	f.live.LastRefit = time.Time{}
	f.readiness = Readiness{Missing: []string{"no refit has succeeded yet"}}
	return f
}
