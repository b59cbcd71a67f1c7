package cli

import (
	"context"
	"fmt"
	"iter"

	"blipd/event"
	"blipd/ingest"
)

type lintCommand struct {
	configFile
	Events []string `arg:"" help:"Files of events, one a line: .jsonl, .gz, .zst, or - for standard input."`
}

// Run prints the first fault of each line that the door would set aside, and
// ends with 1 if there was one. What only a trajectory can tell (conflicts,
// late events) is no matter of a line.
func (c *lintCommand) Run(p *process) error {
	cfg, err := c.load(p)
	if err != nil {
		return err
	}
	faulty := 0
	for _, file := range c.Events {
		l := &linter{p: p, file: file}
		if err := ingest.Files(context.Background(), []string{file}, p.in, cfg.Schema(), l, nil); err != nil {
			return err
		}
		faulty += l.faulty
	}
	if faulty > 0 {
		fmt.Fprintf(p.words, "%d lines have a fault\n", faulty)
		return exitError(exitFailure)
	}
	return nil
}

// linter takes the place of a partition: it looks at entries and keeps none.
type linter struct {
	p      *process
	file   string
	faulty int
}

// Next is the start.
func (l *linter) Next() int64 { return -1 }

// Commit has nothing to do.
func (l *linter) Commit() error { return nil }

// Apply prints the faults of a file.
func (l *linter) Apply(lines iter.Seq[*event.Entry], _ int64) error {
	for e := range lines {
		if e.Fault != nil {
			l.faulty++
			if _, err := fmt.Fprintf(l.p.out, "%s:%d: %v\n", l.file, e.Record.Offset+1, e.Fault); err != nil {
				return err
			}
		}
	}
	return nil
}
