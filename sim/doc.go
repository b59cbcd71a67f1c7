// Package sim holds worlds whose truth is known: events, policies, Monte Carlo.
//
// A Scenario is a finite experiment. One stream of random numbers makes its
// runs, a second one the times, and a queue puts them in the order of a log:
//
//	seed ──► Runs ──► Trajectories ──► Events      a log, in time order
//	           └────► Monte Carlo, under any Policy
//	Scenario ──────► Truth                         what every estimate aims at
//
// A Fleet is an endless one, with the faults that real producers make, and a
// planted Truth as well.
//
// The package promises that equal arguments give equal bytes, on every machine
// and in every later version: its random numbers are those of PCG, its normal
// and exponential variates are computed here from correctly rounded operations
// only (draw.go), and what is written has six decimals. It promises that memory
// holds what is in flight, however long the log. It reads no clock.
package sim
