package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"blipd/web"
)

// supervised is what systemd is told about.
type supervised interface {
	Stalled() []string
	Readiness() web.Readiness
	Live() web.Live
}

// supervisor tells systemd how the daemon is, where systemd has started it and asks
// to be told. Its methods may be called while it watches.
type supervisor struct {
	daemon supervised
	log    *slog.Logger
	tell   func(message string) (bool, error) // false without an error: nobody asks
	every  time.Duration                      // between two signs of life that are asked for; 0: none are
	failed atomic.Bool                        // telling did, and that was said
}

// statusEvery is how often the words that systemctl status shows are renewed at least.
const statusEvery = 5 * time.Second

// supervise begins to tell systemd about a daemon.
func supervise(d supervised, log *slog.Logger) *supervisor {
	s := &supervisor{daemon: d, log: log, tell: func(message string) (bool, error) { return systemd.SdNotify(false, message) }}
	var err error
	if s.every, err = systemd.SdWatchdogEnabled(false); err != nil {
		log.Warn("systemd asks for signs of life and does not say how often: it gets none", "err", err)
	}
	return s
}

// ready says that the daemon is at work: the store is open, pages are served, and a
// signal to reload is heard. Brokers that cannot be reached are not waited for: starting
// again would not bring them nearer.
func (s *supervisor) ready() { s.say(systemd.SdNotifyReady + "\nSTATUS=" + s.status()) }

// reloading says that the configuration is read again, until ready.
func (s *supervisor) reloading() {
	s.say(systemd.SdNotifyReloading + "\n" + systemd.SdNotifyMonotonicUsec() + "STATUS=reading the configuration again")
}

// stopping says that the end has begun.
func (s *supervisor) stopping() {
	s.say(systemd.SdNotifyStopping + "\nSTATUS=stopping: the batches in hand are finished and committed")
}

// watch gives signs of life until ctx ends, while no loop of the daemon hangs. It asks
// the daemon as /-/healthy does: where that would get no answer systemd gets no sign.
func (s *supervisor) watch(ctx context.Context) {
	every := statusEvery
	if s.every > 0 {
		every = min(every, s.every/2)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if !s.sign() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sign tells how the daemon is; false when nobody asks.
func (s *supervisor) sign() bool {
	if stalled := s.daemon.Stalled(); len(stalled) > 0 {
		return s.say("STATUS=hangs: " + oneLine(stalled))
	}
	message := "STATUS=" + s.status()
	if s.every > 0 {
		message = systemd.SdNotifyWatchdog + "\n" + message
	}
	return s.say(message)
}

// status is how the daemon is, in one line.
func (s *supervisor) status() string {
	ready := s.daemon.Readiness()
	if !ready.Ready {
		return "not ready: " + oneLine(ready.Missing)
	}
	live := s.daemon.Live()
	var open, behind int64
	for i := range live.Partitions {
		open += live.Partitions[i].Open
		behind += max(0, live.Partitions[i].Lag)
	}
	words := fmt.Sprintf("ready: %d partitions of %s, %d records behind, %d trajectories open", len(live.Partitions), live.Topic, behind, open)
	if len(ready.Notes) > 0 {
		words += "; " + oneLine(ready.Notes)
	}
	return words
}

// longestStatus is how much of it is told, in bytes.
const longestStatus = 500

// oneLine puts texts into one line that is not too long.
func oneLine(texts []string) string {
	words := strings.Join(strings.Fields(strings.Join(texts, "; ")), " ")
	if len(words) > longestStatus {
		words = strings.ToValidUTF8(words[:longestStatus], "") + " …"
	}
	return words
}

// say sends one message; false when nobody asks for any.
func (s *supervisor) say(message string) bool {
	asked, err := s.tell(message)
	if err != nil && !s.failed.Swap(true) {
		s.log.Warn("systemd cannot be told how blipd is, and may end it: see NotifyAccess in its unit", "err", err)
	}
	return asked || err != nil
}
