// Package config reads a file into a daemon.Config, or says everything that is
// wrong with it; it compiles expressions.
//
//	bytes ── yaml nodes ── cursor ──► daemon.Config   complete: every default filled in
//	                          └─────► *Faults         every fault, with line, path and what to do
//
// A key is known because a getter asks for it, and for no other reason, so the
// check for unknown keys cannot drift from the reading. Where a value is wrong
// its getter notes a fault and returns the default, and reading goes on: all
// faults are told at once.
//
// An expression sees one decision as it stood before the draw, and the history
// of its trajectory. It is pure and bounded: no clock, no loop, and only members
// that it names. Any of these that is absent makes the whole missing, wherever
// it stands; so does an error, and a value of the wrong type.
//
// What came through ${...}, and passwords, stand in no message.
package config
