package cli

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"blipd/estimators"
)

// truth is what a simulated world knows of an effect; nil where none does.
type truth func(e *estimators.Estimate) (value float64, known bool)

// writeTable prints one report for people.
func writeTable(out io.Writer, r *estimators.Report, planted truth) {
	fmt.Fprintf(out, "%s: %d trajectories, %d decisions, %d open, %d censored, from %s to %s\n",
		r.Experiment, r.Trajectories, r.Decisions, r.Open, r.Censored, r.Since, r.AsOf)
	if r.Excluded > 0 {
		fmt.Fprintf(out, "%d trajectories were excluded\n", r.Excluded)
	}
	fmt.Fprintf(out, "sequence: holds however often one looks\n")
	for _, s := range sections {
		if of := ofEstimand(r.Estimates, s.estimand); len(of) > 0 {
			fmt.Fprintf(out, "%s (%s)\n", s.words, s.estimand)
			writeSection(out, of, planted)
		}
	}
	for _, s := range r.Support {
		name := "policy " + printable(s.Policy)
		if s.Policy == "" {
			name = "never intervening"
		}
		fmt.Fprintf(out, "support of %s, %s: %.2g %% of trajectories agree with it throughout, effective sample size %.0f, differs in %.2g %% of decisions",
			name, s.Outcome, 100*s.Agreement, s.Effective, 100*s.Differing)
		if s.Leverage > 0 {
			fmt.Fprintf(out, ", largest leverage of 64 buckets %.2g %%", 100*s.Leverage)
		}
		if s.Importance != nil {
			fmt.Fprintf(out, "; gain by importance sampling %s ± %s, doubly robust %s ± %s",
				rounded(s.Importance.Gain), rounded(s.Importance.StdError), rounded(s.Robust.Gain), rounded(s.Robust.StdError))
		}
		fmt.Fprintln(out)
	}
	for _, m := range r.Ranking {
		if m.Loss != nil {
			fmt.Fprintf(out, "blip model %d of %s: groups %s, moderators %s; held-out loss %.6g (says nothing of no-treatment continuation or gains)\n",
				m.Rank, m.Outcome, m.Groups, strings.Join(m.Moderators, ", "), *m.Loss)
		}
	}
	for _, m := range r.Models {
		fmt.Fprintf(out, "blip model of %s: over-identification test %s (p = %.3g, %d instruments)", m.Outcome, m.Check, m.P, m.Instruments)
		if len(m.Pooled) > 0 {
			fmt.Fprintf(out, "; levels too small to stand alone: %d", len(m.Pooled))
		}
		for _, c := range m.Comparisons {
			fmt.Fprintf(out, "; against estimand 1 along %s, %s: %s (p = %.3g)", c.Dimension, c.Arm, c.Check, c.P)
		}
		fmt.Fprintln(out)
	}
}

// sections are the tables of one report, each labelled with its continuation.
var sections = []struct{ estimand, words string }{
	{estimators.RandomizedContinuation, "effect of the arm against the control, later calls randomized as usual"},
	{estimators.NoTreatmentContinuation, "effect of the arm against the control, later calls never intervened on, by the blip model"},
	{estimators.PolicyGain, "gain of the policy over never intervening, by the blip model"},
	{estimators.ArmLevel, "outcome under the arm, later calls randomized as usual"},
	{estimators.ContrastOf, "difference between the effects in two groups, by what it assumes of later calls"},
	{estimators.ModeratedEffect, "how the effect depends on each moderator, later calls randomized as usual"},
}

func ofEstimand(all []estimators.Estimate, estimand string) []estimators.Estimate {
	return slices.DeleteFunc(slices.Clone(all), func(e estimators.Estimate) bool { return e.Estimand != estimand })
}

// heading is where a table puts an estimate: a dimension and a group of it.
func heading(e *estimators.Estimate) (dimension, group string) {
	switch e.Estimand {
	case estimators.PolicyGain:
		return "policy", e.Policy
	case estimators.ModeratedEffect:
		return "moderator", e.Term
	case estimators.ContrastOf:
		return e.Continuation, e.Of + " against " + e.To
	}
	return e.Dimension, e.Group
}

func writeSection(out io.Writer, estimates []estimators.Estimate, planted truth) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	header := table.Row{"outcome", "arm", "dimension", "group", "decisions", "trajectories", "estimate", "std. error", "95 % interval", "95 % sequence"}
	if planted != nil {
		header = append(header, "planted")
	}
	t.AppendHeader(header)
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "group", WidthMax: 60, WidthMaxEnforcer: text.Trim},
		{Name: "decisions", Align: text.AlignRight}, {Name: "trajectories", Align: text.AlignRight},
		{Name: "estimate", Align: text.AlignRight}, {Name: "std. error", Align: text.AlignRight}, {Name: "planted", Align: text.AlignRight},
	})
	for _, e := range bySize(estimates) {
		dimension, group := heading(e)
		row := table.Row{e.Outcome, e.Arm, dimension, printable(group), e.Decisions, e.Trajectories}
		if e.Status == estimators.OK {
			row = append(row, rounded(e.Value), rounded(e.StdError),
				"["+rounded(e.Low)+", "+rounded(e.Up)+"]", "["+rounded(e.SequenceLow)+", "+rounded(e.SequenceUp)+"]")
		} else {
			row = append(row, "", "", fmt.Sprintf("%s: %s", e.Status, e.Reason), "")
		}
		if planted != nil {
			if value, known := planted(e); known {
				row = append(row, rounded(value))
			}
		}
		t.AppendRow(row)
	}
	fmt.Fprintln(out, t.Render())
}

// bySize orders estimates for people: as they came by outcome, arm and
// dimension, within these the largest group first.
func bySize(all []estimators.Estimate) []*estimators.Estimate {
	sorted := make([]*estimators.Estimate, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to].Outcome == sorted[from].Outcome && sorted[to].Arm == sorted[from].Arm && sorted[to].Dimension == sorted[from].Dimension {
			to++
		}
		slices.SortStableFunc(sorted[from:to], func(a, b *estimators.Estimate) int {
			return cmp.Or(cmp.Compare(b.Decisions, a.Decisions), cmp.Compare(a.Group, b.Group))
		})
		from = to
	}
	return sorted
}

func rounded(x float64) string { return fmt.Sprintf("%.4f", x) }

// printable keeps control characters of a name from a terminal.
func printable(name string) string {
	quoted := strconv.Quote(name)
	if quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

// writeCSV prints all reports with all digits.
func writeCSV(out io.Writer, reports []*estimators.Report) error {
	w := csv.NewWriter(out)
	header := []string{"experiment", "estimand", "outcome", "arm", "dimension", "group", "status", "reason", "estimate", "std_error",
		"ci_low", "ci_high", "df", "sequence_low", "sequence_high", "decisions", "trajectories", "effective_trajectories", "policy", "term", "model", "support", "of", "to", "continuation"}
	if err := w.Write(header); err != nil {
		return err
	}
	for _, r := range reports {
		for _, e := range r.Estimates {
			row := []string{r.Experiment, e.Estimand, e.Outcome, e.Arm, e.Dimension, e.Group, string(e.Status), string(e.Reason)}
			for _, x := range []float64{e.Value, e.StdError, e.Low, e.Up, e.DF, e.SequenceLow, e.SequenceUp} {
				if e.Status == estimators.OK {
					row = append(row, digits(x))
				} else {
					row = append(row, "")
				}
			}
			row = append(row, strconv.FormatInt(e.Decisions, 10), strconv.FormatInt(e.Trajectories, 10), digits(e.EffectiveTrajectories), e.Policy, e.Term, e.Model, e.Support, e.Of, e.To, e.Continuation)
			if err := w.Write(row); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// digits is the number with the fewest digits that read back exactly.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
