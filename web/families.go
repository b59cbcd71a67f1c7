package web

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

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

// estimateFamilies are the gauges of one kind of estimate.
type estimateFamilies struct {
	estimate, stdError, low, high, sequenceLow, sequenceHigh, trajectories, decisions *family
}

// ofEstimate makes them: prefix is their name, blipd_effect, and the help of
// the value itself.
func ofEstimate(value, prefix, what, over string, labels ...string) estimateFamilies {
	of := func(ending, help string) *family { return gauge(prefix+ending, help, labels...) }
	return estimateFamilies{
		estimate: of(value, what+", in the outcome's own unit and sign. Absent while undefined."),
		stdError: of("_std_error", "Standard error of it, in the outcome's unit. Absent while undefined."),
		low:      of("_ci_low", "Lower end of the 95 % interval for one look fixed beforehand, in the outcome's unit."),
		high:     of("_ci_high", "Upper end of the 95 % interval for one look fixed beforehand, in the outcome's unit."),
		sequenceLow: of("_sequence_low",
			"Lower end of the 95 % confidence sequence, which holds however often one looks, in the outcome's unit."),
		sequenceHigh: of("_sequence_high",
			"Upper end of the 95 % confidence sequence, which holds however often one looks, in the outcome's unit."),
		trajectories: of("_trajectories", "Closed trajectories "+over+". Present for undefined ones too."),
		decisions:    of("_decisions", "Randomized decisions of closed trajectories "+over+", of every arm. Present for undefined ones too."),
	}
}

func (f *estimateFamilies) all() []*family {
	return []*family{f.estimate, f.stdError, f.low, f.high, f.sequenceLow, f.sequenceHigh, f.trajectories, f.decisions}
}

// What the last refit found. A value that is not defined has no series.
var (
	effectSeries = ofEstimate("_estimate", "blipd_effect", "Effect of the arm against the control", "with at least one randomized decision in the group",
		"experiment", "estimand", "outcome", "arm", "dimension", "group")
	gainSeries = ofEstimate("", "blipd_policy_gain", "Gain of the policy over never intervening", "that the gain is a mean over",
		"experiment", "outcome", "arm", "policy")
	supportLow = gauge("blipd_policy_support_low",
		"Whether hardly any trajectory agrees with the policy, or with never intervening, so that its gain rests on the blip model alone: 1 or 0. Absent while the gain is undefined.",
		"experiment", "outcome", "arm", "policy")
	modelCheck = gauge("blipd_model_check",
		"What the over-identification test thinks of the blip model: 1 for the verdict that holds (pass, warn or fail), 0 for the others.",
		"experiment", "outcome", "arm", "check")
	groupsHidden = gauge("blipd_groups_hidden",
		"Groups of the dimension that the effect metrics leave out, because larger ones fill the limit.", "experiment", "dimension")
	healthCheckOK = gauge("blipd_health_check_ok",
		"Whether a check of what feeds the estimates holds, 1 or 0.", "experiment", "check")
	limitedDecisions = gauge("blipd_limited_decisions",
		"Decisions that are in the sums and not told apart as they could be, because the limit of the configuration is reached.", "experiment", "limit")
	holdActive = gauge("blipd_hold_active",
		"Whether somebody holds the experiment, so that nobody should decide by its estimates, 1 or 0.", "experiment")
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
		"Trajectories closed: with their outcomes, at the time-out with declared values, censored, or excluded while they were open.", "how")
	trajectoriesExcluded = counter("blipd_trajectories_excluded_total",
		"Trajectories that were excluded: they are in no sum, and nothing is kept of them.", "experiment")
	inputLag = gauge("blipd_input_lag_records",
		"Records between the last one counted and the end of the log. Absent while unknown.", "topic", "partition")
	streamTime = gauge("blipd_stream_time_seconds",
		"Event time that two trajectories of the partition have reached, in seconds since 1970.", "topic", "partition")
	partitionStopped = gauge("blipd_partition_stopped",
		"Always 1: the partition is not read any more, for the reason. Absent while it is read.", "topic", "partition", "reason")
	topicIDKnown = gauge("blipd_topic_id_known",
		"Whether the brokers tell the topic's id, by which one that was deleted and created again is told apart, 1 or 0. Absent while unknown.", "topic")
	logWentBack = counter("blipd_log_went_back_total",
		"Times that a partition's log started or ended before where it had: a leader that lags or has lost records.", "topic")
	inputLevelIn = gauge("blipd_input_level_in_seconds",
		"Time until the end of the log is reached, in seconds, as reading goes now. Absent while level, and while it comes no nearer.", "topic")
	outboxRecords = gauge("blipd_outbox_records",
		"Records that wait to be sent.")
)

// What this process does.
var (
	intakePaused = gauge("blipd_intake_paused",
		"Whether intake is held up for the reason, 1 or 0.", "reason")
	stateSetAside = counter("blipd_state_set_aside_total",
		"Directories of state that were damaged and set aside by this process, each to be counted again from the log.")
	deadLettersDropped = counter("blipd_dead_letters_dropped_total",
		"Dead letters that the broker refused for their content and that are lost.")
	refitSeconds = histogram("blipd_refit_seconds",
		"Time that a refit took, in seconds.")
	commitSeconds = histogram("blipd_state_commit_seconds",
		"Time that a commit of state took, in seconds.")
	refitLastSuccess = gauge("blipd_refit_last_success_timestamp_seconds",
		"When the last refit that succeeded ended, in seconds since 1970.")
	reloadSuccessful = gauge("blipd_config_last_reload_successful",
		"Whether the configuration was good when it was last read, 1 or 0; if not, the one before is in effect.")
	reloadLastSuccess = gauge("blipd_config_last_reload_success_timestamp_seconds",
		"When a configuration that was good was last read, at the start or since, in seconds since 1970.")
	rebuildActive = gauge("blipd_rebuild_active",
		"Whether a state is being made anew beside the one in use, 1 or 0.")
	rebuildDone = gauge("blipd_rebuild_records_done",
		"Records that the state that is being made anew has counted. Absent while none is.", "topic")
	rebuildBehind = gauge("blipd_rebuild_records_behind",
		"Records that the state that is being made anew is behind the one in use. Absent while none is.", "topic")
	buildInfo = gauge("blipd_build_info",
		"Always 1; its labels say which build this is.", "version", "revision", "goversion")
)

// families lists them all; the collector describes no other.
func families() []*family {
	return slices.Concat(effectSeries.all(), gainSeries.all(), []*family{
		supportLow, modelCheck, groupsHidden, healthCheckOK, limitedDecisions, holdActive, completeTo,
		records, recordsRejected, assignments, assignmentsExpected, notRandomized, trajectoriesOpen, trajectoriesClosed, trajectoriesExcluded,
		inputLag, inputLevelIn, streamTime, partitionStopped, topicIDKnown, logWentBack, outboxRecords,
		intakePaused, stateSetAside, deadLettersDropped, refitSeconds, commitSeconds, refitLastSuccess, reloadSuccessful, reloadLastSuccess,
		rebuildActive, rebuildDone, rebuildBehind, buildInfo,
	})
}
