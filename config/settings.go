package config

import (
	"math"
	"time"

	"blipd/daemon"
	"blipd/event"
	"blipd/state"
)

const (
	defaultShutdown = 30 * time.Second
	shortest        = time.Millisecond // of spans that may not be zero
)

// readState reads the section state: where state lives and how it is kept.
func readState(n node) state.Config {
	m := n.mapping()
	c := state.Config{
		Dir:        needText(m.get("dir"), "./data", "a directory of its own"),
		SyncWrites: m.get("sync_writes").flag(true),
		KeepClosed: m.get("keep_closed").duration(720*time.Hour, 0),
		Memory:     m.get("memory").bytes(2<<30, 1<<50),
		MinFree:    m.get("min_free").bytes(state.DefaultMinFree, 1<<50),
	}
	c.StopOnDamage = m.get("on_damage").oneOf("set_aside", "set_aside", "stop") == "stop"
	m.done()
	return c
}

// readRefit reads the section refit.
func readRefit(n node) time.Duration {
	m := n.mapping()
	interval := m.get("interval").duration(10*time.Second, shortest)
	m.done()
	return interval
}

// readMetrics reads the section metrics.
func readMetrics(n node) int {
	m := n.mapping()
	groups := m.get("groups_per_dimension").whole(50, 1, math.MaxInt32)
	m.done()
	return groups
}

// limits are the section limits: a daemon's, and what goes into each Spec.
type limits struct {
	daemon.Limits
	groups   int // of one dimension
	levels   int // groups with a column of their own in a blip model
	clusters int // whose sums are kept apart
}

// readLimits reads the section limits.
func readLimits(n node) limits {
	m := n.mapping()
	whole := func(key string, usual int) int { return m.get(key).whole(usual, 1, math.MaxInt32) }
	l := limits{
		Limits: daemon.Limits{
			Event: event.Limits{
				Event: int(m.get("event").bytes(event.DefaultEvent, 1<<30)),
				Text:  whole("text", event.DefaultText),
			},
			State: state.Limits{
				OpenTrajectories:       whole("open_trajectories", 2_000_000),
				DecisionsPerTrajectory: whole("decisions_per_trajectory", 1000),
			},
		},
		groups:   whole("groups_per_dimension", 2000),
		levels:   whole("blip_levels", 64),
		clusters: whole("clusters", 10_000),
	}
	m.done()
	return l
}
