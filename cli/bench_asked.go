package cli

import (
	"context"
	"fmt"
	"os"
)

// heavy are the rows that take long, each asked for by its flag.
type heavy struct {
	Name    string  `json:"name"`
	Size    string  `json:"size"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds,omitzero"`    // where it is a span, not a repetition
	Ratio   float64 `json:"ratio,omitzero"`          // to the row before
	Memory  int64   `json:"resident_bytes,omitzero"` // at its end
	Peak    int64   `json:"peak_bytes,omitzero"`     // of its process
}

// heavyRows does what the flags ask for.
func (b *bench) heavyRows(ctx context.Context) ([]heavy, error) {
	var rows []heavy
	for _, part := range []struct {
		wanted int
		rows   func(context.Context, int) ([]heavy, error)
	}{{b.command.Refit, b.refit}, {b.command.Estimate, b.estimate}, {b.command.Memory, b.memory}} {
		if part.wanted == 0 {
			continue
		}
		more, err := part.rows(ctx, part.wanted)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// refit compares n trajectories with a part of them.
func (b *bench) refit(ctx context.Context, n int) ([]heavy, error) {
	b.say("refit with %d trajectories", n)
	r, err := do(ctx, b.words, &job{Part: "refit", Trajectories: n})
	if err != nil {
		return nil, err
	}
	const name = "refit of 200 groups, 16 columns"
	return []heavy{
		{Name: name, Size: fmt.Sprintf("%d trajectories", n/refitFewer), Seconds: r.Seconds[0]},
		{Name: name, Size: fmt.Sprintf("%d trajectories", n), Seconds: r.Seconds[1], Ratio: r.Seconds[1] / r.Seconds[0]},
	}, nil
}

// estimate reads a file with n decisions.
func (b *bench) estimate(ctx context.Context, n int) ([]heavy, error) {
	b.say("estimate over a file of %d decisions", n)
	dir, err := os.MkdirTemp(b.dir, "estimate-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	w := standard(0)
	w.trajectories = n / workDecisions
	events, err := writeEvents(eventsFile(dir), w)
	if err != nil {
		return nil, err
	}
	r, err := do(ctx, b.words, &job{Part: "estimate", Dir: dir, Events: events})
	if err != nil {
		return nil, err
	}
	return []heavy{{Name: "estimate over a file", Size: fmt.Sprintf("%d decisions", w.trajectories*workDecisions),
		Seconds: r.Cost.Wall, CPU: r.Cost.CPU, Memory: r.Resident, Peak: r.Peak}}, nil
}

// memory lets the daemon read n trajectories of 4 decisions that stay open.
func (b *bench) memory(ctx context.Context, n int) ([]heavy, error) {
	const decisions = 4
	b.say("memory with %d open trajectories of %d decisions", n, decisions)
	w := workload{trajectories: n, lanes: n, decisions: decisions, features: workFeatures}
	events := int64(n * decisions)
	if err := b.produce(ctx, openTopic, w, events); err != nil {
		return nil, err
	}
	r, err := b.consume(ctx, &job{Part: "daemon", Topic: openTopic, Events: events})
	if err != nil {
		return nil, err
	}
	return []heavy{{Name: "daemon with open trajectories", Size: fmt.Sprintf("%d of %d decisions", n, decisions),
		Seconds: r.Cost.Wall, CPU: r.Cost.CPU, Memory: r.Resident, Peak: r.Peak}}, nil
}

// say tells how far it is.
func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.words, format+"\n", args...) }
