package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"blipd/demo"
)

type demoCommand struct {
	Duration time.Duration `help:"End by itself after this time, with a last table; without it, run until interrupted."`
	Listen   string        `default:"127.0.0.1:9464" help:"Address of the pages."`
}

// tableEvery is how often the live table is drawn.
const tableEvery = 2 * time.Second

// Run runs the demo.
func (c *demoCommand) Run(p *process) error {
	if p.logLevel == "info" { // a demo's words are its table
		p.logLevel = "warn"
	}
	log, flush := p.logger()
	defer flush()
	ctx, cancel := p.interrupted()
	defer cancel()
	d, err := demo.New(demo.Options{Listen: c.Listen, Version: version(), Log: log})
	if err != nil {
		return err
	}
	if c.Duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.Duration)
		defer cancel()
	}
	fmt.Fprintf(p.out, "a simulated fleet of travel agents is at work; its planted effects stand beside the estimates\nhttp://%s/\n", d.Addr())
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		drawAlways(ctx, p.out, d)
	}()
	err = d.Run(ctx)
	cancel()
	<-drawn
	if r := d.Report(); r != nil {
		writeTable(p.out, r, d.Truth)
	}
	return err
}

// drawAlways draws the table again and again on a terminal, and nothing
// elsewhere.
func drawAlways(ctx context.Context, out io.Writer, d *demo.Demo) {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return
	}
	const home, below = "\x1b[H\x1b[2J", "\x1b[0J"
	ticks := time.NewTicker(tableEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprint(out, home)
			return
		case <-ticks.C:
			if r := d.Report(); r != nil {
				fmt.Fprintf(out, "%shttp://%s/   (ctrl-c ends)\n", home, d.Addr())
				writeTable(out, r, d.Truth)
				fmt.Fprint(out, below)
			}
		}
	}
}
