package cli

import (
	"bufio"
	"errors"
	"fmt"

	"blipd/daemon"
)

type excludeCommand struct {
	configFile
	Reason       string   `help:"Why, for people; never what is to be forgotten."`
	Trajectories []string `arg:"" name:"trajectory" help:"Ids of trajectories; - reads them from stdin, one a line."`
}

// Run asks, in the log, that trajectories be taken out of every sum and erased.
func (c *excludeCommand) Run(p *process) error {
	cfg, err := c.load(p)
	if err != nil {
		return err
	}
	ids, err := c.ids(p)
	if err != nil {
		return err
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	if err := daemon.Exclude(ctx, cfg, ids, c.Reason); err != nil {
		return err
	}
	fmt.Fprintf(p.words, "asked for %d trajectories to be excluded, in every partition of %s: blipd does it when it reads that\n", len(ids), cfg.Kafka.Topic)
	return nil
}

// ids are those of the command line, each once, in their order.
func (c *excludeCommand) ids(p *process) (ids []string, err error) {
	known := map[string]bool{}
	add := func(id string) {
		if !known[id] && id != "" {
			known[id] = true
			ids = append(ids, id)
		}
	}
	for _, id := range c.Trajectories {
		if id != "-" {
			add(id)
			continue
		}
		lines := bufio.NewScanner(p.in)
		for lines.Scan() {
			add(lines.Text())
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("exclude: read ids from stdin: %w", err)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("exclude: no trajectory is named")
	}
	return ids, nil
}
