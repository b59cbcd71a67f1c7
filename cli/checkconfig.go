package cli

import (
	"fmt"

	"blipd/config"
)

type checkCommand struct {
	File string `arg:"" type:"path" help:"The configuration, in YAML."`
}

// Run reads a configuration and says everything that is wrong with it, or what
// it makes.
func (c *checkCommand) Run(p *process) error {
	cfg, err := config.Load(c.File, p.env)
	if err != nil {
		return err
	}
	for _, e := range cfg.Experiments {
		x := &e.Rules.Experiment
		fmt.Fprintf(p.out, "experiment %s: definition %s, %d arms, %d outcomes, %d features, %d dimensions\n",
			x.Name, e.Rules.Hash, len(x.Arms()), len(x.Outcomes), len(e.Spec.Features), len(e.Spec.Dimensions))
		for _, what := range e.NotYet {
			fmt.Fprintf(p.words, "experiment %s: %s\n", x.Name, what)
		}
	}
	return nil
}
