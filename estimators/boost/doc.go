// Package boost learns a number from features by gradient boosting of small
// regression trees on histograms, for squared loss and weighted rows: a learner
// of the outcome model for worlds that are not linear.
//
// The ensemble is a constant and trees, F(x) = b + sum_t T_t(x). The constant b is
// the weighted mean of y. Each tree is fitted to the residuals r = y - F(x) of
// those before it (Friedman 2001, "Greedy function approximation: a gradient
// boosting machine", algorithm 2), with leaves and splits of Chen and Guestrin
// (2016, "XGBoost: a scalable tree boosting system", formulas 5 and 7). With
//
//	G = sum w r,   H = sum w
//
// over the rows of a node, L2 = l and the learning rate a,
//
//	value of a leaf  = a G / (H + l)
//	gain of a split  = GL^2/(HL + l) + GR^2/(HR + l) - G^2/(H + l)
//
// and a node is split where the gain is largest, if it is positive. Candidates are
// the edges of at most 255 quantile bins a column; the sums of a node are kept per
// bin, and those of the larger of two siblings are its parent's less the other's
// (Ke et al. 2017, "LightGBM: a highly efficient gradient boosting decision tree").
// A missing feature (NaN) goes to the side where the gain is larger, learned for
// every split; where a split has seen none, to the heavier side.
//
// It promises that equal input gives equal bits on every machine: nothing is drawn,
// no map is walked, products are rounded before they are added, and candidates whose
// scores are equal within rounding are decided by the lowest column, then the lowest
// edge, then missing to the left. Another order of the rows changes rounding only.
// All it answers is finite. It is pure: no clock, disk, network, lock or randomness.
package boost
