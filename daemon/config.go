package daemon

import (
	"time"

	"blipd/estimators"
	"blipd/event"
	"blipd/ingest/kafka"
	"blipd/state"
	"blipd/web"
)

// Config is the sum of the rooms' configurations. It is checked and complete:
// package config reads it from a file, with every default filled in.
type Config struct {
	Kafka   kafka.Config
	Outputs Outputs
	State   state.Config
	Web     web.Config

	RefitInterval   time.Duration // between two refits. Default 10s
	ShutdownTimeout time.Duration // from the first signal to the exit. Default 30s

	Limits      Limits
	Experiments []Experiment // at least one, names distinct

	// Reread reads the configuration again where it came from; nil: it came from
	// nowhere that can be read again, and is never reloaded.
	Reread func() (*Config, error)
}

// Outputs names the topics that blipd writes; "" is off.
type Outputs struct {
	Effects, Alerts, Router, Impact, DeadLetters string
}

// Limits bound what events may take. GroupsPerDimension of the configuration
// is in each Experiment's Spec.
type Limits struct {
	Event event.Limits
	State state.Limits
}

// Experiment is one experiment as each room sees it.
type Experiment struct {
	Rules state.Rules     // how its trajectories open and close
	Spec  estimators.Spec // what is summed, and how

	Better []string // per outcome, "higher" or "lower": words, colours and order only
	NotYet []string // what its configuration asks for and this version does not compute
}

// Schema is what the door checks events against.
func (c *Config) Schema() *event.Schema {
	s := &event.Schema{Limits: c.Limits.Event}
	for _, e := range c.Experiments {
		s.Experiments = append(s.Experiments, e.Rules.Experiment)
	}
	return s
}
