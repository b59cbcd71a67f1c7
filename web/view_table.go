package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blipd/estimators"
)

// How many groups of one dimension a page shows: at once, and when asked.
const (
	rowsAtOnce = 25
	rowsAtMost = 300
)

// table is one dimension of a panel, the largest groups first.
type table struct {
	ID        string
	Dimension string // "" for the whole
	Head      bool   // the first of its panel carries the headings
	Rows      []row
	More      []row // shown when asked
	Beyond    int   // groups that only the API has
	Panel     *panel
}

// row is one group.
type row struct {
	Group                   string
	Note                    string // of a reserved name
	Trajectories, Decisions string
	Status                  string // why there is no sequence, "" when there is
	Estimate, StdError      string // "" where there is none
	Sequence                string
	Truth                   string
	Verdict                 verdict
	Plot                    plot
	Panel                   *panel
}

// newTables makes a table for the whole and one for each dimension, in the
// order of the configuration.
func newTables(estimates []*estimators.Estimate, e *Experiment, p *panel) []table {
	byDimension := map[string][]*estimators.Estimate{}
	var dimensions []string
	for _, x := range estimates {
		dimension, _ := heading(x)
		if byDimension[dimension] == nil {
			dimensions = append(dimensions, dimension)
		}
		byDimension[dimension] = append(byDimension[dimension], x)
	}
	place := func(dimension string) int {
		if dimension == estimators.All {
			return -1
		}
		return orLast(slices.Index(e.Dimensions, dimension))
	}
	slices.SortStableFunc(dimensions, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	tables := make([]table, 0, len(dimensions))
	for i, dimension := range dimensions {
		t := table{ID: fmt.Sprintf("%s-%d", p.ID, i+1), Head: i == 0, Panel: p}
		if dimension != estimators.All {
			t.Dimension = visible(dimension)
		}
		t.fill(byDimension[dimension])
		tables = append(tables, t)
	}
	return tables
}

// fill adds the groups, the largest first, equals by name.
func (t *table) fill(groups []*estimators.Estimate) {
	slices.SortFunc(groups, func(a, b *estimators.Estimate) int {
		return cmp.Or(cmp.Compare(b.Trajectories, a.Trajectories), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Term, b.Term),
			cmp.Compare(a.Of, b.Of), cmp.Compare(a.To, b.To))
	})
	t.Beyond = max(0, len(groups)-rowsAtMost)
	for i, x := range groups[:len(groups)-t.Beyond] {
		if i < rowsAtOnce {
			t.Rows = append(t.Rows, newRow(x, t.Panel))
		} else {
			t.More = append(t.More, newRow(x, t.Panel))
		}
	}
}

func newRow(x *estimators.Estimate, p *panel) row {
	_, group := heading(x)
	r := row{
		Group: visible(group), Note: groupNote(group),
		Trajectories: count(x.Trajectories), Decisions: count(x.Decisions),
		Verdict: judge(x, p.Better), Plot: p.Axis.draw(x), Panel: p,
	}
	if x.Dimension == estimators.All {
		r.Group = "All decisions"
	}
	if hasValue(x) {
		r.Estimate, r.StdError = signed(x.Value, p.decimals), unsigned(x.StdError, p.decimals)
	}
	if x.Support == estimators.SupportLow {
		r.Note = "hardly ever seen: rests on the blip model alone"
	}
	if hasSequence(x) {
		r.Sequence, r.Plot.Interval = span(x.SequenceLow, x.SequenceUp, p.decimals), span(x.Low, x.Up, p.decimals)
	} else {
		r.Status = statusWords(x, p.Control)
	}
	if value, known := p.truth[keyOf(x)]; known {
		r.Truth, r.Plot.TruthX = signed(value, p.decimals), p.Axis.place(value)
	}
	r.Plot.Label = r.inWords()
	return r
}

// inWords is the whole row for those who do not see the drawing.
func (r *row) inWords() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, effect of %s vs %s on %s: ", r.Group, r.Panel.Arm, r.Panel.Control, r.Panel.Outcome)
	if r.Plot.Drawn {
		fmt.Fprintf(&b, "%s, 95 %% sequence %s, interval for one look %s", r.Estimate, r.Sequence, r.Plot.Interval)
	} else {
		b.WriteString(r.Status)
	}
	if r.Truth != "" {
		fmt.Fprintf(&b, "; planted truth %s", r.Truth)
	}
	if r.Plot.Drawn {
		fmt.Fprintf(&b, "; %s", r.Verdict.Word)
	}
	return b.String()
}
