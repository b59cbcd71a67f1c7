package cli

import (
	"context"
	"fmt"

	"blipd/web"
)

// holdOrder is what holding and releasing have in common.
type holdOrder struct {
	daemonAt
	Experiment string `placeholder:"NAME" xor:"which" help:"The experiment; may be left out while there is one."`
	All        bool   `xor:"which" help:"Every experiment."`
	Reason     string `required:"" help:"Why, for whoever reads the book."`
	By         string `env:"USER" help:"Who asks; default: the user of the system."`
}

type (
	holdCommand    struct{ holdOrder }
	releaseCommand struct{ holdOrder }
)

// Run holds an experiment of a running daemon.
func (c *holdCommand) Run(p *process) error { return c.send(p, (*web.Client).Hold, "held") }

// Run releases an experiment that is held.
func (c *releaseCommand) Run(p *process) error { return c.send(p, (*web.Client).Release, "released") }

func (o *holdOrder) send(p *process, order func(c *web.Client, ctx context.Context, experiment string, all bool, reason, by string) error, done string) error {
	client, err := o.client()
	if err != nil {
		return err
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	if err := order(client, ctx, o.Experiment, o.All, o.Reason, o.By); err != nil {
		return err
	}
	what := o.Experiment
	switch {
	case o.All:
		what = "every experiment"
	case what == "":
		what = "the experiment"
	}
	fmt.Fprintf(p.out, "%s is %s\n", what, done)
	return nil
}
