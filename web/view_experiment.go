package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"blipd/estimators"
)

// experimentView is what the template sees of one experiment.
type experimentView struct {
	ID        string // of its section, for links
	Name      string
	Arms      string // the interventions and the control, in words
	Simulated bool
	Waiting   bool // for the first refit
	Tiles     []tile
	Clock     []string           // how current all this is, in words
	Broken    []estimators.Check // the checks that do not hold
	Holding   []estimators.Check // the others
	Failing   []string           // the names of those that do not hold, in words
	Panels    []*panel

	NotComputed   []string
	Support       []string // of policies, in words
	SetAside      []tally
	NotRandomized []tally
	Missing       []tally
	URL           string // of the same as JSON
	Hash          string
	Epoch         int
	Since         string // the moment from which it counts, "" before any
}

// tally is a name and how often.
type tally struct {
	Name string
	N    int64
}

func newExperimentView(source Source, live *Live, clock []string, place int, e Experiment) experimentView {
	v := experimentView{
		ID:        fmt.Sprintf("experiment-%d", place+1),
		Name:      visible(e.Name),
		Arms:      armsInWords(&e),
		Simulated: len(e.Truth) > 0,
		Clock:     clock,
		URL:       "/api/v1/effects?experiment=" + url.QueryEscape(e.Name),
	}
	report := source.Report(e.Name, estimators.Closed)
	if report == nil {
		v.Waiting = true
		v.Tiles = waitingTiles(live, place, &e)
		return v
	}
	v.Tiles = reportTiles(report)
	for _, c := range report.Health {
		if c.OK {
			v.Holding = append(v.Holding, c)
			continue
		}
		v.Broken = append(v.Broken, c)
		v.Failing = append(v.Failing, plainWords(c.Name))
	}
	v.Panels = newPanels(report, &e, v.ID)
	v.NotComputed = report.NotComputed
	for i := range report.Support {
		v.Support = append(v.Support, supportWords(&report.Support[i], report.Since))
	}
	v.SetAside = tallies(report.Rejected)
	v.NotRandomized = tallies(report.NotRandomized)
	v.Missing = tallies(report.Missing)
	v.Hash, v.Epoch, v.Since = report.ConfigHash, report.Epoch, momentWords(report.Since)
	return v
}

// armsInWords is "review or direct", the control last.
func armsInWords(e *Experiment) string {
	text := ""
	for _, arm := range e.Interventions {
		text += visible(arm) + ", "
	}
	if len(e.Interventions) > 0 {
		text = text[:len(text)-len(", ")]
	}
	return text + " or " + visible(e.Control)
}

func reportTiles(r *estimators.Report) []tile {
	open := tile{Name: "Still open", Value: count(r.Open), Note: "trajectories"}
	if r.Open > 0 {
		open.Note = fmt.Sprintf("%.3g %% of those started", 100*r.OpenShare)
	}
	closed := tile{Name: "Trajectories", Value: count(r.Trajectories), Note: "closed with outcomes"}
	if r.Censored > 0 {
		closed.Note += ", " + count(r.Censored) + " without"
	}
	if r.Excluded > 0 {
		closed.Note += ", " + count(r.Excluded) + " excluded"
	}
	return []tile{
		closed,
		{Name: "Decisions", Value: count(r.Decisions), Note: "randomized, in closed trajectories"},
		open,
		momentTile("As of", r.AsOf, "no event time counted"),
		momentTile("Complete to", r.CompleteTo, "no start period is complete"),
	}
}

// waitingTiles count what has come in before there is anything to show.
func waitingTiles(live *Live, place int, e *Experiment) []tile {
	sum := sumExperiment(live, place, e)
	var closed, drawn int64
	for _, n := range sum.Closed {
		closed += n
	}
	for _, n := range sum.Assigned {
		drawn += n
	}
	return []tile{
		{Name: "Trajectories", Value: count(closed), Note: "closed"},
		{Name: "Decisions", Value: count(drawn), Note: "randomized"},
		{Name: "Still open", Value: count(sum.Open), Note: "trajectories"},
	}
}

// tallies are the counts above zero, the largest first.
func tallies(counts map[string]int64) []tally {
	var list []tally
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			list = append(list, tally{plainWords(name), counts[name]})
		}
	}
	slices.SortStableFunc(list, func(a, b tally) int { return cmp.Compare(b.N, a.N) })
	return list
}
