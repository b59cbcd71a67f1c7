package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// job is what a bench asks of a process of its own. What is measured stands
// alone in its process: no round inherits memory from another.
type job struct {
	Part         string // of benchParts
	Broker       string // its address
	Topic        string
	Topics       map[string]int // for the broker: topics and their partitions
	Partitions   int
	Events       int64
	Every        time.Duration // between two refits; 0: the default
	Sync         bool
	Blip         bool // a blip model too: all three estimands
	Profile      bool
	Dir          string // a directory of its own
	Trajectories int
}

// result is its answer.
type result struct {
	Address   string    // of the broker
	Events    int64     // that were counted
	Decisions int64     // of them, in the sums or open
	Cost      cost      // of the span
	Resident  int64     // at the end of the span, in bytes
	Peak      int64     // the highest of the process
	Seconds   []float64 // of what is repeated: medians
	Profile   []byte    // of the processor, as runtime/pprof writes it
}

// partCommand is the other end: it reads a job and answers with a result. It
// ends when its standard input does, so that it never outlives the bench,
// however that one ends.
type partCommand struct{}

// Run does one job.
func (c *partCommand) Run(p *process) error {
	decoder := json.NewDecoder(p.in)
	var j job
	if err := decoder.Decode(&j); err != nil {
		return fmt.Errorf("bench-part: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, p.in)
		if j.Part != "broker" { // the broker's end is its usual one
			os.Exit(exitFailure)
		}
		cancel()
	}()
	part, known := benchParts[j.Part]
	if !known {
		return fmt.Errorf("bench-part: no part is called %q", j.Part)
	}
	if err := part(ctx, p, &j); err != nil {
		return fmt.Errorf("bench %s: %w", j.Part, err)
	}
	return nil
}

// answer sends the result to the bench.
func (p *process) answer(r *result) error { return json.NewEncoder(p.out).Encode(r) }

// child is a process that does a job.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// launch starts this program again for a job.
func launch(ctx context.Context, words io.Writer, j *job) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c := &child{cmd: exec.CommandContext(ctx, self, "bench-part")}
	c.cmd.Stderr = words
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c.out = json.NewDecoder(out)
	if err := json.NewEncoder(c.in).Encode(j); err != nil {
		c.end()
		return nil, fmt.Errorf("bench: %w", err)
	}
	return c, nil
}

// result waits for the answer.
func (c *child) result() (*result, error) {
	r := &result{}
	if err := c.out.Decode(r); err != nil {
		return nil, fmt.Errorf("bench: a process ended without its result: %w", err)
	}
	return r, nil
}

// end ends the process.
func (c *child) end() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// do has a job done in a process of its own.
func do(ctx context.Context, words io.Writer, j *job) (*result, error) {
	c, err := launch(ctx, words, j)
	if err != nil {
		return nil, err
	}
	defer c.end()
	return c.result()
}
