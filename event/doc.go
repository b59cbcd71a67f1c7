// Package event says what happened: events, their decoding or the reason why
// not, and the trajectory they add up to.
//
// A record (bytes with an offset) goes through the door:
//
//	Record ── Decoder.Decode ──► Event      accepted: complete, finite, in range
//	                        └──► *Fault     set aside: a reason, and what to send
//
// Reader.Read is the same door for those in a hurry: the same answers, without
// allocating for the common ones.
//
// Everything behind the door may trust an Event. The package is pure: it knows
// no clock, no disk, no network, and equal bytes always give equal answers.
package event
