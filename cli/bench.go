package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
)

type benchCommand struct {
	Events     int64         `default:"1000000" help:"Events of the standard workload."`
	Partitions int           `default:"4" help:"Partitions of the topic."`
	Rounds     int           `default:"3" help:"How often each row is measured; medians are printed."`
	Sync       bool          `default:"true" negatable:"" help:"Also measure the daemon with state.sync_writes on."`
	Blip       bool          `default:"true" negatable:"" help:"Also measure the daemon with a blip model: all three estimands."`
	Every      time.Duration `name:"refit-interval" default:"10s" help:"Between two refits of the daemon."`
	Refit      int           `placeholder:"N" help:"Also measure a refit with this number of trajectories, and with a hundredth of it."`
	Estimate   int           `placeholder:"N" help:"Also measure the command estimate over a file with this number of decisions."`
	Memory     int           `placeholder:"N" help:"Also measure the memory of a daemon with this number of open trajectories of 4 decisions."`
	Kafka      string        `placeholder:"HOST:PORT" help:"Also measure fetch and daemon from a Kafka; it must have an empty topic blipd.events with the same number of partitions."`
	Output     string        `enum:"table,markdown,json" default:"table" help:"Form of the result: ${enum}."`
	Profile    string        `type:"path" placeholder:"FILE" help:"Also write the CPU profile of the last round of the daemon, for go tool pprof."`
}

// openTopic holds trajectories that stay open.
const openTopic = "blipd.open"

// bench is one run of the command.
type bench struct {
	command *benchCommand
	words   io.Writer
	dir     string // temporary
	broker  string
}

// Run measures what the daemon costs an event, stage by stage.
func (c *benchCommand) Run(p *process) (err error) {
	if c.Events < 1 || c.Partitions < 1 || c.Rounds < 1 || c.Refit < 0 || c.Estimate < 0 || c.Memory < 0 {
		fmt.Fprintln(p.words, "blipd: bench: events, partitions and rounds are 1 or more, sizes 0 or more")
		return exitError(exitUsage)
	}
	ctx, cancel := p.interrupted()
	defer cancel()
	b := &bench{command: c, words: p.words}
	if b.dir, err = os.MkdirTemp("", "blipd-bench-"); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	topics := map[string]int{workTopic: c.Partitions, openTopic: c.Partitions, "blipd.rejected": 1}
	broker, err := launch(ctx, p.words, &job{Part: "broker", Topics: topics})
	if err != nil {
		return err
	}
	defer broker.end()
	ready, err := broker.result()
	if err != nil {
		return err
	}
	b.broker = ready.Address

	report, err := b.run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("bench: interrupted")
		}
		return err
	}
	return report.write(p.out, c.Output)
}

// benchReport is the result of the command.
type benchReport struct {
	Version    string  `json:"version"`
	Go         string  `json:"go"`
	Processors int     `json:"processors"`
	Events     int64   `json:"events"`
	Partitions int     `json:"partitions"`
	Rounds     int     `json:"rounds"`
	ValueBytes float64 `json:"bytes_per_event"`
	Rows       []row   `json:"rows"`
	Stages     []stage `json:"stages"`
	Functions  []stage `json:"functions"`
	Heavy      []heavy `json:"heavy,omitempty"`
}

// row is one line of the table: medians over the rounds.
type row struct {
	Name      string  `json:"name"`
	Events    int64   `json:"events"`    // counted, in each round
	Decisions int64   `json:"decisions"` // of them, by the daemon
	CPU       float64 `json:"cpu_us_per_event"`
	Least     float64 `json:"cpu_us_least"` // of the rounds
	Most      float64 `json:"cpu_us_most"`
	PerCore   float64 `json:"events_per_second_per_core"`
	PerSecond float64 `json:"events_per_second"`
	Allocs    float64 `json:"allocs_per_event"`
	Bytes     float64 `json:"alloc_bytes_per_event"`
	Peak      float64 `json:"peak_bytes"` // resident
	Ratio     float64 `json:"ratio_to_raw"`
	// Of a Kafka: events a second against the same from the embedded broker.
	ToEmbedded float64 `json:"ratio_to_embedded_broker,omitzero"`
}

func (b *bench) run(ctx context.Context) (*benchReport, error) {
	c := b.command
	report := &benchReport{Version: version(), Go: runtime.Version(), Processors: runtime.NumCPU(),
		Events: c.Events, Partitions: c.Partitions, Rounds: c.Rounds}
	b.say("producing %d events", c.Events)
	if err := b.produce(ctx, workTopic, standard(c.Events), c.Events); err != nil {
		return nil, err
	}
	if err := b.produceToKafka(ctx); err != nil {
		return nil, err
	}
	report.ValueBytes = valueBytes(standard(c.Events), c.Events)
	rows, profiles, err := b.rounds(ctx)
	if err != nil {
		return nil, err
	}
	report.Rows = rows
	var all stacks
	for _, profile := range profiles {
		s, err := readProfile(profile)
		if err != nil {
			return nil, err
		}
		all = append(all, s...)
	}
	report.Stages, report.Functions = all.stagesOf(), all.functionsOf()
	report.Functions = report.Functions[:min(15, len(report.Functions))]
	if c.Profile != "" {
		if err := os.WriteFile(c.Profile, profiles[len(profiles)-1], 0o644); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
	}
	report.Heavy, err = b.heavyRows(ctx)
	return report, err
}

// named is a job that makes a row of the table.
type named struct {
	name string
	job  job
}

// rounds measures all rows once a round, so that what else the machine does
// falls on all of them. The profiles are those of the daemon, one a round.
func (b *bench) rounds(ctx context.Context) ([]row, [][]byte, error) {
	jobs := []named{
		{rawRow, job{Part: "raw"}},
		{"decode alone", job{Part: "decode"}},
		{daemonRow, job{Part: "daemon", Profile: true}},
		{"daemon, all estimands", job{Part: "daemon", Blip: true}},
		{"daemon, sync_writes", job{Part: "daemon", Sync: true}},
	}
	jobs = slices.DeleteFunc(jobs, func(one named) bool {
		return one.job.Sync && !b.command.Sync || one.job.Blip && !b.command.Blip
	})
	jobs = append(jobs, b.ofKafka()...)
	results := make([][]*result, len(jobs))
	var profiles [][]byte
	for round := range b.command.Rounds {
		for i, one := range jobs {
			b.say("round %d of %d: %s", round+1, b.command.Rounds, one.name)
			one.job.Topic, one.job.Events = workTopic, b.command.Events
			r, err := b.consume(ctx, &one.job)
			if err != nil {
				return nil, nil, err
			}
			results[i] = append(results[i], r)
			if one.job.Profile {
				profiles = append(profiles, r.Profile)
			}
		}
	}
	rows := make([]row, len(jobs))
	for i, one := range jobs {
		rows[i] = rowOf(one.name, results[i], results[0])
		if at, ok := embedded[one.name]; ok {
			rows[i].ToEmbedded = paceOf(results[i], results[at])
		}
	}
	return rows, profiles, nil
}

// consume has a job done over a topic of the broker.
func (b *bench) consume(ctx context.Context, j *job) (_ *result, err error) {
	j.Broker, j.Partitions, j.Every = cmp.Or(j.Broker, b.broker), b.command.Partitions, b.command.Every
	if j.Dir, err = os.MkdirTemp(b.dir, "state-"); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r, err := do(ctx, b.words, j)
	if err != nil {
		return nil, err
	}
	if j.Part != "decode" && r.Events != j.Events {
		return nil, fmt.Errorf("bench: %s has counted %d of %d events", j.Part, r.Events, j.Events)
	}
	return r, os.RemoveAll(j.Dir)
}

// rowOf takes medians over the rounds.
func rowOf(name string, rounds, raw []*result) row {
	of := func(value func(i int, r *result) float64) (all []float64) {
		for i, r := range rounds {
			all = append(all, value(i, r))
		}
		return all
	}
	n := float64(rounds[0].Events)
	cpu := of(func(_ int, r *result) float64 { return r.Cost.CPU / n * 1e6 })
	w := row{Name: name, Events: rounds[0].Events, Decisions: rounds[0].Decisions,
		CPU: median(cpu), Least: slices.Min(cpu), Most: slices.Max(cpu),
		PerSecond: median(of(func(_ int, r *result) float64 { return n / r.Cost.Wall })),
		Allocs:    median(of(func(_ int, r *result) float64 { return r.Cost.Allocs / n })),
		Bytes:     median(of(func(_ int, r *result) float64 { return r.Cost.Bytes / n })),
		Peak:      median(of(func(_ int, r *result) float64 { return float64(r.Peak) })),
		Ratio:     median(of(func(i int, _ *result) float64 { return cpu[i] / (raw[i].Cost.CPU / float64(raw[i].Events) * 1e6) })),
	}
	w.PerCore = 1e6 / w.CPU
	return w
}
