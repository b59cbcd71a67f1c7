package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"blipd/event"
	"blipd/sim"
)

type simulateCommand struct {
	Scenario     string `required:"" help:"World to simulate: dgp, misspecified, null."`
	Trajectories int    `default:"1000" help:"How many."`
	Seed         uint64 `default:"1" help:"Equal seeds give equal bytes."`
	Truth        string `type:"path" placeholder:"FILE" help:"Also write the effects that are true in this world, as JSON."`
}

// Run writes events to standard output.
func (c *simulateCommand) Run(p *process) error {
	scenario, err := sim.Lookup(c.Scenario)
	if err != nil {
		fmt.Fprintf(p.words, "blipd: --scenario: %v\n", err)
		return exitError(exitUsage)
	}
	if c.Trajectories < 1 {
		fmt.Fprintf(p.words, "blipd: --trajectories: %d is no number of trajectories: give at least 1\n", c.Trajectories)
		return exitError(exitUsage)
	}
	if c.Truth != "" {
		if err := writeTruth(c.Truth, &scenario); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(p.out, 1<<20)
	var line []byte
	for e := range scenario.Events(c.Trajectories, c.Seed) {
		line = append(event.AppendJSON(line[:0], &e), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("simulate: %w", err)
		}
	}
	return out.Flush()
}

// writeTruth writes the true effects in the shape of a report.
func writeTruth(path string, s *sim.Scenario) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", " ")
	truth := struct {
		Scenario  string       `json:"scenario"`
		Estimates []sim.Effect `json:"estimates"`
	}{s.Name, s.Truth()}
	if err := encoder.Encode(truth); err != nil {
		return fmt.Errorf("simulate: write truth: %w", err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("simulate: write truth: %w", err)
	}
	return nil
}
