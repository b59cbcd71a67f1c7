// Package daemon builds the house and lives in it: New opens, Run blocks until
// its context ends, and closes what New opened, last in first out.
//
//	ingest.Consumer ──► state.Partition ──► copies of ledgers
//	                         │                   │ every refit
//	                       outbox             estimators
//	                         │                   │ one atomic pointer
//	                       relay ──► Kafka    Report ──► web
//
// It is the one room that knows every other. Files take the same way: Estimate
// feeds a partition of a temporary store and solves once.
package daemon
