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
// Estimands: randomized_continuation, the blip with randomized continuation,
// by cross-fitted augmented inverse probability weighting with known
// probabilities. It is valid by design, whatever the outcome model.
//
// The package is pure: no clock, disk, network or randomness.
package estimators
