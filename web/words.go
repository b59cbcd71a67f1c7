package web

import (
	"fmt"
	"strings"
	"unicode"

	"blipd/estimators"
	"blipd/event"
)

// sequenceFrom is the number of trajectories from which on the page shows the
// confidence sequence: it is asymptotic, and below that a promise too many.
const sequenceFrom = 50

// statusFrom is the number of trajectories below which there is no estimate.
const statusFrom = 10

// verdict is what a confidence sequence says, in a word and a class of the
// style sheet.
type verdict struct{ Word, Class, Mark string }

var (
	helps     = verdict{"helps", "good", "▲"}
	harms     = verdict{"harms", "bad", "▼"}
	raises    = verdict{"raises it", "plain", "→"}
	lowers    = verdict{"lowers it", "plain", "←"}
	undecided = verdict{"no difference seen yet", "open", ""}
	level     = verdict{"", "plain", ""}
	tooEarly  = verdict{"too early to say", "early", ""}
)

// judge reads the sequence and nothing else, turned by which end of the
// outcome is better.
func judge(x *estimators.Estimate, better string) verdict {
	up, down := x.SequenceLow > 0, x.SequenceUp < 0
	switch {
	case !hasSequence(x):
		return tooEarly
	case x.Estimand == estimators.ArmLevel:
		return level
	case !up && !down:
		return undecided
	case better == "higher" && up, better == "lower" && down:
		return helps
	case better == "higher", better == "lower":
		return harms
	case up:
		return raises
	}
	return lowers
}

// hasSequence tells whether the page shows the sequence of an estimate.
func hasSequence(x *estimators.Estimate) bool {
	return hasValue(x) && x.Trajectories >= sequenceFrom
}

// statusWords says why an estimate is not shown in full. control is the name of
// the control as it is shown.
func statusWords(x *estimators.Estimate, control string) string {
	switch {
	case hasValue(x):
		return fmt.Sprintf("sequence from %d trajectories", sequenceFrom)
	case x.Reason == estimators.FewTrajectories && x.Trajectories < statusFrom:
		return fmt.Sprintf("not enough trajectories yet: %d of %d", x.Trajectories, statusFrom)
	case x.Reason == estimators.FewTrajectories:
		return "not enough independent trajectories yet"
	case x.Reason == estimators.ArmAbsent:
		return fmt.Sprintf("%s or %s was never drawn here", visible(x.Arm), control)
	case x.Reason == estimators.NoVariation:
		return "no variation to learn from"
	case x.Reason == estimators.OneBucket:
		return "all of it hangs on too few trajectories"
	case x.Reason == estimators.IllConditioned && len(x.Columns) > 0:
		return "the blip model cannot tell apart: " + visible(strings.Join(x.Columns, ", "))
	case x.Reason != "":
		return plainWords(string(x.Reason))
	case x.Status != estimators.OK:
		return plainWords(string(x.Status))
	}
	return "no value"
}

// modelWords says what the over-identification test thinks of a blip model.
func modelWords(m *estimators.FittedModel) string {
	words := testWords(m)
	for _, c := range m.Comparisons {
		if c.Check != estimators.CheckPass {
			words += fmt.Sprintf("; along %s the effects of %s with randomized continuation are not what it says (p = %.2g)", visible(c.Dimension), visible(c.Arm), c.P)
		}
	}
	return words
}

func testWords(m *estimators.FittedModel) string {
	switch m.Check {
	case estimators.CheckPass:
		return fmt.Sprintf("the over-identification test finds nothing against the blip model (p = %.2g)", m.P)
	case estimators.CheckWarn:
		return fmt.Sprintf("the over-identification test doubts the blip model (p = %.2g)", m.P)
	case estimators.CheckFail:
		return fmt.Sprintf("the over-identification test refuses the blip model (p = %.2g): these numbers are projections, not effects", m.P)
	}
	return "the blip model is not tested"
}

// supportWords says how much of what was seen a policy could have done itself.
// A policy that came later counts from another moment than the report.
func supportWords(s *estimators.PolicySupport, since event.Time) string {
	name := "Policy " + visible(s.Policy)
	if s.Policy == "" {
		name = "Never intervening"
	}
	words := fmt.Sprintf("%s, on %s: %.3g %% of trajectories agree with it throughout, effective sample size %.0f, it differs in %.3g %% of decisions.",
		name, visible(s.Outcome), 100*s.Agreement, s.Effective, 100*s.Differing)
	if s.Since != since {
		words += " It came later, and counts from " + momentWords(s.Since) + "."
	}
	if s.Leverage > 0 {
		words += fmt.Sprintf(" One of 64 parts of the data carries %.2g %% of the gain's variance (even: 1.6 %%).", 100*s.Leverage)
	}
	if s.Importance != nil {
		words += fmt.Sprintf(" Its gain by importance sampling: %.4f ± %.4f; doubly robust: %.4f ± %.4f (standard errors).",
			s.Importance.Gain, s.Importance.StdError, s.Robust.Gain, s.Robust.StdError)
	}
	return words
}

// rests tells whether an estimand rests on the blip model.
func rests(estimand string) bool {
	return estimand == estimators.NoTreatmentContinuation || estimand == estimators.PolicyGain
}

// heading is where the page puts an estimate: a dimension and a group of it.
func heading(x *estimators.Estimate) (dimension, group string) {
	switch x.Estimand {
	case estimators.PolicyGain:
		return "policy", x.Policy
	case estimators.ModeratedEffect:
		return "moderator", x.Term
	case estimators.ContrastOf:
		return plainWords(x.Continuation), x.Of + " against " + x.To
	}
	return x.Dimension, x.Group
}

// continuation says what an estimand assumes of the later calls.
func continuation(estimand string) string {
	switch estimand {
	case estimators.RandomizedContinuation:
		return "later calls randomized as usual"
	case estimators.NoTreatmentContinuation:
		return "later calls never intervened on, by the blip model"
	case estimators.PolicyGain:
		return "every call by the policy, against never intervening, by the blip model"
	case estimators.ArmLevel:
		return "later calls randomized as usual, the outcome itself under this arm"
	case estimators.ModeratedEffect:
		return "later calls randomized as usual, how the effect depends on each moderator"
	case estimators.ContrastOf:
		return "difference between the effects in two groups, by what it assumes of later calls"
	}
	return plainWords(estimand)
}

// plainWords is an identifier as words.
func plainWords(identifier string) string { return strings.ReplaceAll(visible(identifier), "_", " ") }

// visible is a name with everything shown that a reader would not see, or that
// would move the text around it: control characters as their pictures, other
// invisible ones by number.
func visible(name string) string {
	if name == "" {
		return "“” (empty)"
	}
	plain := func(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	if !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) || r == unicode.ReplacementChar }) {
		return name
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(name, "\uFFFD") {
		switch {
		case plain(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune(0x2400 + r) // the picture of that control character
		case r == 0x7f:
			b.WriteRune('␡')
		case r == 0x200d || r == 0xfe0f:
			b.WriteRune(r) // joins emoji
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// groupNote explains the reserved names of groups.
func groupNote(group string) string {
	switch group {
	case estimators.MissingLevel:
		return "decisions without a value here"
	case estimators.OtherLevel:
		return "all groups beyond the limit"
	case estimators.PooledLevel:
		return "all groups too small to stand alone"
	}
	return ""
}
