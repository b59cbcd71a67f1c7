// Package estimators keeps additive moments of trajectories, and says what
// follows from them: every estimand with its error.
//
//	event.Trajectory ──► rows ──► Moments.Add          once, when it closes
//	                              Moments.Remove       when it is revised
//	                              Moments.Merge        periods and partitions
//	                              Solve(Moments) ──► Report
//
// A refit reads sums and never a row again: its cost depends on groups and
// features, not on how many trajectories there were. What brute force over the
// rows gives, the sums give to 1e-10 standard errors; a twin that does it by
// brute force lives in the tests.
//
// Estimands, each labelled with what it assumes of later decisions:
//
//   - randomized_continuation, the blip with randomized continuation, by
//     cross-fitted augmented inverse probability weighting with known
//     probabilities. Valid by design, whatever the outcome model (randomized.go).
//   - no_treatment_continuation, the blip when nothing later is intervened on, by
//     g-estimation of a linear structural nested mean model (blip.go, blip_fit.go).
//   - policy_gain, what a policy gains over never intervening, by the performance
//     difference identity and the same model (blip.go).
//   - arm_level and moderated_effect, beside the first (randomized.go, moderated.go).
//
// What rests on the blip model carries its over-identification test (overid.go).
//
// The package is pure: no clock, disk, network or randomness.
package estimators
