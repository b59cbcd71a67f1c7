package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"blipd/estimators"
	"blipd/ingest"
	"blipd/state"
)

// Estimate reads events from files (see ingest.Files) through the same decode,
// state fold and estimators as Run, with a temporary store, and solves once at
// the end of the input. The reports stand in the order of the experiments.
func Estimate(ctx context.Context, cfg *Config, files []string, in io.Reader, read func(bytes int64)) (reports []*estimators.Report, err error) {
	dir, err := os.MkdirTemp("", "blipd-estimate-")
	if err != nil {
		return nil, fmt.Errorf("estimate: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	offline := *cfg
	offline.Outputs = Outputs{} // nothing is sent anywhere
	offline.State.Dir, offline.State.SyncWrites, offline.State.Volatile = dir, false, true
	store, err := state.Open(offline.State, "files")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	partition, err := store.Partition(0, offline.stateOptions())
	if err != nil {
		return nil, err
	}
	if err := ingest.Files(ctx, files, in, offline.Schema(), partition, read); err != nil {
		return nil, err
	}
	if err := partition.Finish(); err != nil {
		return nil, err
	}
	for x := range offline.Experiments {
		var s sums
		s.collect(partition, x)
		closed, _ := offline.reports(x, &s)
		reports = append(reports, closed)
	}
	return reports, nil
}
