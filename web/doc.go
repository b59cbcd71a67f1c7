// Package web shows what is known: page, API and metrics over immutable reports.
//
//	daemon ──Source──► Handler ──► /                 the page, for people
//	                           ├─► /static/…         its style and script, under hashed names
//	                           ├─► /api/v1/effects   reports as JSON, for programs
//	                           ├─► /api/v1/policies/value  gains that were never asked for before
//	                           ├─► /metrics          one collector, for Prometheus
//	                           ├─► /-/healthy        200 while the process lives
//	                           └─► /-/ready          200 or 503, and what is missing
//
// It promises that nothing it shows makes a worker wait, that an undefined
// estimate is a status in words and never a number, and that no name of a
// group, however it was made, breaks a page, a scrape or a JSON text. Words and
// colours turn an effect by which end of the outcome is better; numbers never.
// The verdicts of the page come from the confidence sequence alone, so that
// looking at them again and again is allowed.
//
// It refuses to write: every path takes GET and HEAD only. It reads no clock;
// what time it is comes with Live.
package web
