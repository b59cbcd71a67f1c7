package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"blipd/web"
)

// daemonAt says where a running daemon is asked.
type daemonAt struct {
	URL  string `default:"http://127.0.0.1:9464" help:"Where the daemon serves its pages."`
	HTTP struct {
		Config struct {
			File string `name:"file" placeholder:"FILE" help:"An HTTP client configuration as promtool takes it, for passwords and certificates."`
		} `embed:"" prefix:"config."`
	} `embed:"" prefix:"http."`
}

func (d *daemonAt) client() (*web.Client, error) { return web.NewClient(d.URL, d.HTTP.Config.File) }

type reloadCommand struct{ daemonAt }

// Run has a running daemon read its configuration again and prints what it did.
func (c *reloadCommand) Run(p *process) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	answer, err := client.Reload(ctx)
	if err == nil {
		fmt.Fprintln(p.out, strings.TrimSpace(string(answer)))
	}
	return err
}

type rebuildCommand struct {
	daemonAt
	Partial bool `help:"Also from a log that no longer begins where the state did: what it has lost will be missing."`
	Cancel  bool `help:"Give the rebuild under way up."`
	Wait    bool `help:"Say how far it is, until it has ended; exit code 1 when it was given up."`
}

// waitEvery is how often rebuild --wait looks.
const waitEvery = 2 * time.Second

// Run has a running daemon make its state anew.
func (c *rebuildCommand) Run(p *process) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	if c.Cancel {
		if err := client.EndRebuild(ctx); err != nil {
			return err
		}
		fmt.Fprintln(p.out, "the rebuild is given up")
		return nil
	}
	if err := client.Rebuild(ctx, c.Partial); err != nil {
		return err
	}
	fmt.Fprintln(p.out, "the state is being made anew beside the one in use; /-/ready says how far it is")
	if !c.Wait {
		return nil
	}
	return c.wait(ctx, p, client)
}

// wait says how far the rebuild is until it has ended.
func (c *rebuildCommand) wait(ctx context.Context, p *process, client *web.Client) error {
	for {
		ready, err := client.Readiness(ctx)
		if err != nil {
			return err
		}
		switch r := ready.Rebuild; {
		case r == nil:
			return errors.New("rebuild: the daemon knows of none: it was started again")
		case r.Phase == web.GivenUp:
			return fmt.Errorf("rebuild: given up: %s", r.Detail)
		case r.Phase == web.Rebuilt:
			fmt.Fprintf(p.out, "the rebuilt state is in use; %s\n", r.Detail)
			return nil
		case r.Left != nil:
			fmt.Fprintf(p.words, "%d records behind, %.0f a second, level in about %s\n", r.Behind, r.Rate, time.Duration(*r.Left)*time.Second)
		default:
			fmt.Fprintf(p.words, "%d records behind, %.0f a second\n", r.Behind, r.Rate)
		}
		select {
		case <-ctx.Done():
			return errors.New("rebuild: interrupted; it goes on without being watched")
		case <-time.After(waitEvery):
		}
	}
}
