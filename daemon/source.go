package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"blipd/estimators"
	"blipd/event"
	"blipd/web"
)

// The daemon answers what the pages ask.
var _ web.Source = (*Daemon)(nil)

// Experiments names the experiments in the order of the configuration.
func (d *Daemon) Experiments() []web.Experiment { return d.experiments(d.config.Load()) }

func (d *Daemon) experiments(cfg *Config) []web.Experiment {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []web.Experiment
	for _, e := range cfg.Experiments {
		x := &e.Rules.Experiment
		page := web.Experiment{Name: x.Name, Control: x.Control, Interventions: x.Interventions, Truth: d.truth[x.Name]}
		for i, o := range x.Outcomes {
			page.Outcomes = append(page.Outcomes, web.Outcome{Name: o.Name, Better: e.Better[i]})
		}
		for _, dimension := range e.Spec.Dimensions {
			page.Dimensions = append(page.Dimensions, dimension.Name)
		}
		all = append(all, page)
	}
	return all
}

// Tell tells the pages what a simulated world knows of an experiment's effects.
func (d *Daemon) Tell(experiment string, truth []web.Truth) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.truth == nil {
		d.truth = map[string][]web.Truth{}
	}
	d.truth[experiment] = truth
}

// Report is the last refit's report, or nil before the first.
func (d *Daemon) Report(experiment, scope string) *estimators.Report {
	reports := d.reports.Load()
	switch {
	case reports == nil:
		return nil
	case scope == estimators.Complete:
		return (*reports)[experiment].complete
	}
	return (*reports)[experiment].closed
}

// EarlierReport is the last report of an epoch that has ended, or nil.
func (d *Daemon) EarlierReport(experiment string, epoch int) *estimators.Report {
	d.shelf.RLock()
	bytes, err := d.store.Report(experiment, epoch)
	d.shelf.RUnlock()
	if err != nil || bytes == nil {
		if err != nil {
			d.log.Error("the report of an earlier epoch cannot be read", "experiment", experiment, "epoch", epoch, "err", err)
		}
		return nil
	}
	r := &estimators.Report{Since: event.NoTime, AsOf: event.NoTime, CompleteTo: event.NoTime}
	if err := json.Unmarshal(bytes, r); err != nil {
		d.log.Error("the report of an earlier epoch cannot be read", "experiment", experiment, "epoch", epoch, "err", err)
		return nil
	}
	return r
}

// Live are the counters as of now.
func (d *Daemon) Live() web.Live {
	live := web.Live{
		Now: time.Now(), Version: d.version, Paused: d.paused(), Reload: d.reloads.last(),
		Refits: d.refits.histogram(), Commits: d.commits.histogram(), DeadLettersDropped: d.dropped.Load(), WentBack: d.backs.Load(), SetAside: d.setAside.Load(),
	}
	if at := d.last.Load(); at != 0 {
		live.LastRefit = time.Unix(0, at)
	}
	live.Progress, _ = d.backfill.progress(d.config.Load().Kafka.Topic)
	live.Rebuild = d.rebuilds.last()
	i := &d.intake
	i.mu.Lock()
	defer i.mu.Unlock()
	cfg := d.config.Load() // that of the partitions, whose counters go by its order
	live.Topic, live.GroupsPerDimension, live.Experiments = cfg.Kafka.Topic, cfg.Web.GroupsPerDimension, d.experiments(cfg)
	for _, number := range slices.Sorted(maps.Keys(i.partitions)) {
		p := i.partitions[number]
		s := *p.Stats()
		s.Outbox = p.Waiting()
		page := web.Partition{Stats: s, Lag: -1, Stopped: i.failed[number].reason}
		if w := i.workers[number]; w != nil {
			page.Owned = true
			if w.Heard() {
				page.Lag, page.Named = w.Lag(), w.Named()
			}
		}
		live.Partitions = append(live.Partitions, page)
	}
	return live
}

// Readiness says whether the daemon does its work, and what is missing.
func (d *Daemon) Readiness() web.Readiness {
	d.lookBack(time.Now())
	last := d.rebuilds.last()
	now, level := d.backfill.progress(d.config.Load().Kafka.Topic)
	missing := d.Stalled()
	say := func(format string, args ...any) { missing = append(missing, fmt.Sprintf(format, args...)) }
	i := &d.intake
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.trouble != nil {
		say("kafka cannot be reached: %v", i.trouble)
	}
	switch {
	case i.changing != "":
		say("intake is stopped: %s", i.changing)
	case !i.joined:
		say("no partitions are assigned yet")
	}
	for _, number := range slices.Sorted(maps.Keys(i.failed)) {
		say("partition %d has stopped: %s", number, i.failed[number].words)
	}
	for _, number := range slices.Sorted(maps.Keys(i.workers)) {
		if i.failed[number].reason == "" && !i.workers[number].Heard() {
			say("partition %d: nothing was fetched yet", number)
		}
	}
	if words := d.space.words(); words != "" {
		say("the disk of %s is nearly full: %s", d.config.Load().State.Dir, words)
	}
	if i.blocked != nil {
		say("dead letters cannot be sent: %v", i.blocked)
	}
	if d.reports.Load() == nil {
		say("no refit yet")
	}
	if now != nil && !level {
		say("%s", catchingUp(now))
	}
	notes := append(i.notes(d.config.Load().State.Dir), d.reloads.notes()...)
	r := web.Readiness{Ready: len(missing) == 0, Missing: missing, Notes: notes, Rebuild: last}
	if now != nil {
		r.Progress = []web.Progress{*now}
	}
	return r
}
