// Package cli is the command line: one file a command. Results go to stdout,
// words to stderr, and the exit code says how it ended.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"blipd/config"
	"blipd/daemon"
	"blipd/state"
)

// Exit codes.
const (
	exitOK            = 0
	exitFailure       = 1 // at run time
	exitUsage         = 2
	exitConfiguration = 3
	exitState         = 4 // state cannot be used, or another daemon holds it
)

// process is what a command touches of the world.
type process struct {
	in          io.Reader
	out, words  io.Writer
	env         func(string) (string, bool)
	logLevel    string
	logFormat   string
	interrupted func() (context.Context, context.CancelFunc) // ends with the first signal
}

// commands is what kong parses.
type commands struct {
	Log struct {
		Level  string `enum:"debug,info,warn,error" default:"info" help:"Least level that is logged: ${enum}."`
		Format string `enum:"text,json" default:"text" help:"Form of the log: ${enum}."`
	} `embed:"" prefix:"log."`

	Run         runCommand      `cmd:"" help:"Consume events from Kafka, estimate, and serve."`
	Demo        demoCommand     `cmd:"" help:"Run everything in one process: a broker, a simulated agent fleet with a planted truth, and the daemon."`
	Estimate    estimateCommand `cmd:"" help:"Estimate from files of events."`
	Simulate    simulateCommand `cmd:"" help:"Write events of a world whose truth is known."`
	Reload      reloadCommand   `cmd:"" help:"Have a running daemon read its configuration again."`
	Rebuild     rebuildCommand  `cmd:"" help:"Have a running daemon make its state anew from the log, beside the one in use."`
	CheckConfig checkCommand    `cmd:"" name:"check-config" help:"Say everything that is wrong with a configuration."`
	Hold        holdCommand     `cmd:"" help:"Tell a running daemon that nobody should decide by an experiment's effects; estimates go on."`
	Release     releaseCommand  `cmd:"" help:"Release an experiment that is held."`
	Init        initCommand     `cmd:"" help:"Write a commented example configuration."`
	Lint        lintCommand     `cmd:"" help:"Say what is wrong with each line of files of events."`
	Exclude     excludeCommand  `cmd:"" help:"Take trajectories out of every sum, and erase what is kept of them."`
	Bench       benchCommand    `cmd:"" help:"Measure what the daemon costs an event, on this machine."`
	BenchPart   partCommand     `cmd:"" name:"bench-part" hidden:"" help:"One measurement, for bench."`
	Version     versionCommand  `cmd:"" help:"Print the version."`
}

// Run runs blipd with arguments (without the program's name) and returns its
// exit code.
func Run(args []string, in io.Reader, out, words io.Writer) int {
	p := &process{in: in, out: out, words: words, env: os.LookupEnv, interrupted: signals}
	var c commands
	code := -1
	parser, err := kong.New(&c,
		kong.Name("blipd"),
		kong.Description("Where does intervening change the outcome of agents' trajectories, and where not?"),
		kong.Writers(out, words),
		kong.Exit(func(status int) { code = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic("cli: " + err.Error()) // the structs above are wrong
	}
	parsed, err := parser.Parse(args)
	switch {
	case code >= 0: // help was printed
		return code
	case err != nil:
		fmt.Fprintf(words, "blipd: %v; see blipd --help\n", err)
		return exitUsage
	}
	p.logLevel, p.logFormat = c.Log.Level, c.Log.Format
	return p.exit(parsed.Run(p))
}

// exit prints an error and is its exit code.
func (p *process) exit(err error) int {
	code := codeOf(err)
	switch faults, wrong := errors.AsType[*config.Faults](err); {
	case err == nil || errors.As(err, new(exitError)): // said already
	case wrong:
		fmt.Fprintln(p.words, faults)
	default:
		fmt.Fprintf(p.words, "blipd: %v\n", err)
	}
	return code
}

// codeOf is the exit code that an error makes.
func codeOf(err error) int {
	var quiet exitError
	var faults *config.Faults
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quiet):
		return int(quiet)
	case errors.As(err, &faults):
		return exitConfiguration
	case errors.Is(err, state.ErrUnusable):
		return exitState
	}
	return exitFailure
}

// exitError is an exit code whose reason has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// configFile is the flag of commands that need a configuration.
type configFile struct {
	Config struct {
		File string `name:"file" required:"" type:"path" help:"The configuration, in YAML."`
	} `embed:"" prefix:"config."`
}

func (f *configFile) load(p *process) (*daemon.Config, error) {
	return config.Load(f.Config.File, p.env)
}

// logger writes to words as the flags say, what repeats only so often; flush tells
// at the end what was left out.
func (p *process) logger() (log *slog.Logger, flush func()) {
	var level slog.Level
	_ = level.UnmarshalText([]byte(p.logLevel)) // kong checked it
	options := &slog.HandlerOptions{Level: level}
	var to slog.Handler = slog.NewTextHandler(p.words, options)
	if p.logFormat == "json" {
		to = slog.NewJSONHandler(p.words, options)
	}
	h := newRepeats(to, time.Now)
	return slog.New(h), h.Flush
}
