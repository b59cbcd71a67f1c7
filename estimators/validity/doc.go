// Package validity holds the estimators to worlds whose truth is known, and to
// published numbers: 95 % means 95 %, shown again at every commit.
//
// There is nothing here but tests. Each has three sizes:
//
//	go test ./estimators/validity                                    seconds
//	BLIPD_HEAVY=1   go test ./estimators/validity                    minutes, in CI
//	BLIPD_NIGHTLY=1 go test -timeout 3h -v ./estimators/validity     the figures of docs/validation.md
//
// Every repetition has a seed of its own, a fixed number plus its place, so a
// figure is the same on every machine and however many cores there are. The
// seeds were set before the first run and are not changed.
package validity
