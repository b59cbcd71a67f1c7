package web

import "github.com/prometheus/client_golang/prometheus"

// family is one metric: its name, labels and help.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) *family {
	return &family{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) *family {
	return &family{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// histogram makes a metric that emitter.histogram sends; it has no kind of value.
func histogram(name, help string) *family {
	return &family{desc: prometheus.NewDesc(name, help, nil, nil)}
}

// ofEffect makes a gauge with one series for each effect.
func ofEffect(name, help string) *family {
	return gauge(name, help, "experiment", "estimand", "outcome", "arm", "dimension", "group")
}

// What the last refit found. A value that is not defined has no series.
var (
	effectEstimate = ofEffect("blipd_effect_estimate",
		"Effect of the arm against the control, in the outcome's own unit and sign. Absent while undefined.")
	effectStdError = ofEffect("blipd_effect_std_error",
		"Standard error of the effect, in the outcome's unit. Absent while undefined.")
	effectLow = ofEffect("blipd_effect_ci_low",
		"Lower end of the 95 % interval for one look fixed beforehand, in the outcome's unit.")
	effectHigh = ofEffect("blipd_effect_ci_high",
		"Upper end of the 95 % interval for one look fixed beforehand, in the outcome's unit.")
	effectSequenceLow = ofEffect("blipd_effect_sequence_low",
		"Lower end of the 95 % confidence sequence, which holds however often one looks, in the outcome's unit.")
	effectSequenceHigh = ofEffect("blipd_effect_sequence_high",
		"Upper end of the 95 % confidence sequence, which holds however often one looks, in the outcome's unit.")
	effectTrajectories = ofEffect("blipd_effect_trajectories",
		"Closed trajectories with at least one randomized decision in the group. Present for undefined effects too.")
	effectDecisions = ofEffect("blipd_effect_decisions",
		"Randomized decisions of closed trajectories in the group, of every arm. Present for undefined effects too.")
	groupsHidden = gauge("blipd_groups_hidden",
		"Groups of the dimension that the effect metrics leave out, because larger ones fill the limit.", "experiment", "dimension")
	healthCheckOK = gauge("blipd_health_check_ok",
		"Whether a check of what feeds the estimates holds, 1 or 0.", "experiment", "check")
	completeTo = gauge("blipd_complete_to_timestamp_seconds",
		"Event time before which every trajectory that started has closed, in seconds since 1970.", "experiment")
)

// What the partitions of this process counted.
var (
	records = counter("blipd_records_total",
		"Records read, set aside or not.", "topic")
	recordsRejected = counter("blipd_records_rejected_total",
		"Records without effect, by the reason why.", "reason")
	assignments = counter("blipd_assignments_total",
		"Randomized decisions, by the arm drawn.", "experiment", "arm")
	assignmentsExpected = counter("blipd_assignments_expected_total",
		"Sum of the probabilities of the arm over all randomized decisions: what assignments would be on average.", "experiment", "arm")
	notRandomized = counter("blipd_decisions_not_randomized_total",
		"Decisions that were not randomized and are in no estimate, by the reason why.", "experiment", "reason")
	trajectoriesOpen = gauge("blipd_trajectories_open",
		"Trajectories that have not closed.")
	trajectoriesClosed = counter("blipd_trajectories_closed_total",
		"Trajectories closed: with their outcomes, at the time-out with declared values, or censored.", "how")
	inputLag = gauge("blipd_input_lag_records",
		"Records between the last one counted and the end of the log. Absent while unknown.", "topic", "partition")
	streamTime = gauge("blipd_stream_time_seconds",
		"Event time that two trajectories of the partition have reached, in seconds since 1970.", "topic", "partition")
	outboxRecords = gauge("blipd_outbox_records",
		"Records that wait to be sent.")
)

// What this process does.
var (
	intakePaused = gauge("blipd_intake_paused",
		"Whether intake is held up for the reason, 1 or 0.", "reason")
	deadLettersDropped = counter("blipd_dead_letters_dropped_total",
		"Dead letters that the broker refused for their content and that are lost.")
	refitSeconds = histogram("blipd_refit_seconds",
		"Time that a refit took, in seconds.")
	commitSeconds = histogram("blipd_state_commit_seconds",
		"Time that a commit of state took, in seconds.")
	refitLastSuccess = gauge("blipd_refit_last_success_timestamp_seconds",
		"When the last refit that succeeded ended, in seconds since 1970.")
	buildInfo = gauge("blipd_build_info",
		"Always 1; its labels say which build this is.", "version", "revision", "goversion")
)

// families lists them all; the collector describes no other.
func families() []*family {
	return []*family{
		effectEstimate, effectStdError, effectLow, effectHigh, effectSequenceLow, effectSequenceHigh,
		effectTrajectories, effectDecisions, groupsHidden, healthCheckOK, completeTo,
		records, recordsRejected, assignments, assignmentsExpected, notRandomized, trajectoriesOpen, trajectoriesClosed,
		inputLag, streamTime, outboxRecords,
		intakePaused, deadLettersDropped, refitSeconds, commitSeconds, refitLastSuccess, buildInfo,
	}
}
