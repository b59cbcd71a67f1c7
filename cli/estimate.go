package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/event"
)

type estimateCommand struct {
	configFile
	Output    string   `enum:"table,json,csv" default:"table" help:"Form of the result: ${enum}."`
	Policy    []string `sep:"none" placeholder:"LEVEL=P" help:"Also the gain of a policy that intervenes on these levels of blip_model.groups, with a probability; repeat it for each level."`
	PolicyArm string   `placeholder:"ARM" help:"The intervention that --policy draws; may be left out while there is one."`
	Contrast  string   `placeholder:"DIMENSION=GROUP" help:"Also the difference between the effects in this group and in --to."`
	To        string   `placeholder:"DIMENSION=GROUP" help:"What --contrast compares with: all, DIMENSION=GROUP, or 'rest of' either. Default: rest of all."`
	Events    []string `arg:"" help:"Files of events, one a line: .jsonl, .gz, .zst, or - for standard input."`
}

// Run estimates from files. Rejected records do not fail it; they are counted
// in words.
func (c *estimateCommand) Run(p *process) error {
	cfg, err := c.load(p)
	if err != nil {
		return err
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	if _, set := p.env("GOGC"); !set {
		debug.SetGCPercent(estimateGC)
	}
	progress, done := p.progress(c.Events)
	reports, err := daemon.Estimate(ctx, cfg, c.Events, p.in, progress)
	done()
	if err != nil {
		return err
	}
	if len(c.Policy) > 0 {
		if err := c.addPolicy(reports); err != nil {
			return err
		}
	}
	if c.Contrast != "" || c.To != "" {
		if err := c.addContrast(cfg, reports); err != nil {
			return err
		}
	}
	p.sayRejected(reports[0])
	for i := range reports {
		for _, what := range reports[i].NotComputed {
			fmt.Fprintf(p.words, "experiment %s: %s\n", reports[i].Experiment, what)
		}
	}
	switch c.Output {
	case "json":
		encoder := json.NewEncoder(p.out)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		if len(reports) == 1 {
			return encoder.Encode(reports[0])
		}
		return encoder.Encode(reports)
	case "csv":
		return writeCSV(p.out, reports)
	}
	for _, r := range reports {
		writeTable(p.out, r, nil)
	}
	return nil
}

// estimateGC makes the collector run four times as often as it would: reading files
// makes little garbage, and people run this beside other things.
const estimateGC = 25

// addPolicy adds the gain of the policy that was asked for to every report.
func (c *estimateCommand) addPolicy(reports []*estimators.Report) error {
	mask, err := estimators.ParseMask(c.PolicyArm, c.Policy)
	if err != nil {
		return fmt.Errorf("estimate: %w", err)
	}
	for _, r := range reports {
		gains, err := r.MaskGain(mask)
		if err != nil {
			return fmt.Errorf("estimate: %w", err)
		}
		r.Estimates = append(r.Estimates, gains...)
	}
	return nil
}

// addContrast adds the contrast that was asked for to every report.
func (c *estimateCommand) addContrast(cfg *daemon.Config, reports []*estimators.Report) error {
	for i, r := range reports {
		asked, err := estimators.ParseContrast(c.Contrast, c.To, cfg.Experiments[i].Spec.DimensionNames())
		if err != nil {
			return fmt.Errorf("estimate: %w", err)
		}
		all, err := r.Contrast(asked)
		if err != nil {
			return fmt.Errorf("estimate: %w", err)
		}
		r.Estimates = append(r.Estimates, all...)
	}
	return nil
}

// progress shows a bar while files are read, on a terminal.
func (p *process) progress(files []string) (read func(int64), done func()) {
	out, ok := p.words.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return nil, func() {}
	}
	size := int64(0)
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || name == "-" {
			size = -1 // unknown: a spinner
			break
		}
		size += info.Size()
	}
	bar := progressbar.DefaultBytes(size, "reading events")
	return func(bytes int64) { _ = bar.Set64(bytes) }, func() { _ = bar.Finish() }
}

// sayRejected says what had no effect.
func (p *process) sayRejected(r *estimators.Report) {
	for _, reason := range slices.Sorted(maps.Keys(r.Rejected)) {
		fmt.Fprintf(p.words, "%d records had no effect: %s\n", r.Rejected[reason], explained(reason))
	}
}

// explained is a reason with where to look: lint sees what a line alone tells.
func explained(reason string) string {
	for _, r := range event.Reasons() {
		if r.String() == reason && r.DeadLetter() && r != event.Conflict && r != event.Late && r != event.TooMany {
			return reason + " (blipd lint says which, and what to send)"
		}
	}
	return reason
}
