// Package demo is the daemon, an embedded broker and a simulated fleet in one
// process. Nothing in it is faked but the agents: their events are produced to
// the broker over the Kafka protocol on the loopback, and take the way that all
// events take. What is planted in the fleet stands beside what is estimated.
package demo
