package cli

import (
	"bufio"
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

// Run prints every fault of each line that the door would set aside, and ends
// with 1 if there was one; and once for each, the members that nobody knows.
// What only a trajectory can tell (conflicts, late events) is no matter of a
// line.
func (c *lintCommand) Run(p *process) error {
	cfg, err := c.load(p)
	if err != nil {
		return err
	}
	l := &linter{out: bufio.NewWriter(p.out), decoder: event.Decoder{Schema: cfg.Schema(), Keyless: true}, known: map[string]bool{}}
	for _, l.file = range c.Events {
		if err := ingest.Files(context.Background(), []string{l.file}, p.in, cfg.Schema(), l, nil); err != nil {
			return err
		}
	}
	if l.faulty > 0 {
		fmt.Fprintf(p.words, "%d of %d lines have a fault\n", l.faulty, l.lines)
		return exitError(exitFailure)
	}
	fmt.Fprintf(p.words, "%d lines, no fault\n", l.lines)
	return nil
}

// linter takes the place of a partition: it looks at entries and keeps none.
type linter struct {
	out     *bufio.Writer
	decoder event.Decoder
	file    string
	lines   int
	faulty  int
	known   map[string]bool // unknown members that were named
}

// Commit ends a file.
func (l *linter) Commit() error { return l.out.Flush() }

// Apply looks at the lines of a file.
func (l *linter) Apply(lines iter.Seq[*event.Entry], _ int64) error {
	for e := range lines {
		l.lines++
		if e.Fault == nil && !e.Ignored {
			continue
		}
		faults, unknown := l.decoder.Explain(e.Record)
		if len(faults) > 0 {
			l.faulty++
		}
		place := fmt.Sprintf("%s:%d", l.file, e.Record.Offset+1)
		for _, fault := range faults {
			fmt.Fprintf(l.out, "%s: %v\n", place, fault)
		}
		for _, member := range unknown {
			if !l.known[member] && len(l.known) < mostUnknown {
				l.known[member] = true
				fmt.Fprintf(l.out, "%s: note: %s is not known and is ignored, here and wherever it comes again\n", place, member)
			}
		}
	}
	return nil
}

// mostUnknown bounds how many unknown members are named.
const mostUnknown = 1000
