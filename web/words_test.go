package web

import (
	"testing"
	"time"

	"blipd/estimators"
)

func TestVerdictsComeFromTheSequence(t *testing.T) {
	for _, c := range []struct {
		low, up float64
		better  string
		n       int64
		want    string
	}{
		{0.01, 0.05, "higher", 50, "helps"},
		{0.01, 0.05, "lower", 50, "harms"},
		{-0.05, -0.01, "higher", 50, "harms"},
		{-0.05, -0.01, "lower", 50, "helps"},
		{-0.05, 0.01, "higher", 50, "no difference seen yet"},
		{0, 0.05, "higher", 50, "no difference seen yet"},
		{-0.05, 0, "lower", 50, "no difference seen yet"},
		{0.01, 0.05, "higher", 49, "too early to say"},
		{0.01, 0.05, "", 50, "raises it"},
		{-0.05, -0.01, "", 50, "lowers it"},
	} {
		// The fixed interval says the opposite everywhere, and must not matter.
		x := estimators.Estimate{Status: estimators.OK, Value: 0.03, StdError: 1, Low: -c.up, Up: -c.low,
			SequenceLow: c.low, SequenceUp: c.up, Trajectories: c.n}
		if got := judge(&x, c.better); got.Word != c.want {
			t.Errorf("[%v, %v], %q is better, n %d: %s, want %s", c.low, c.up, c.better, c.n, got.Word, c.want)
		}
	}
	none := without("success", "tool", "x", 500, estimators.NotIdentified, estimators.ArmAbsent)
	if got := judge(&none, "higher"); got != tooEarly {
		t.Errorf("without a value: %s", got.Word)
	}
}

func TestStatusInWords(t *testing.T) {
	for _, c := range []struct {
		x    estimators.Estimate
		want string
	}{
		{effect("success", "tool", "x", 20, 1, 1), "sequence from 50 trajectories"},
		{without("success", "tool", "x", 7, estimators.InsufficientData, estimators.FewTrajectories), "not enough trajectories yet: 7 of 10"},
		{without("success", "tool", "x", 12, estimators.InsufficientData, estimators.FewTrajectories), "not enough independent trajectories yet"},
		{without("success", "tool", "x", 12, estimators.NotIdentified, estimators.ArmAbsent), "review or direct was never drawn here"},
		{without("success", "tool", "x", 12, estimators.NotIdentified, estimators.IllConditioned), "ill conditioned"},
		{without("success", "tool", "x", 12, estimators.NotIdentified, estimators.OneBucket), "all of it hangs on too few trajectories"},
		{without("success", "tool", "x", 12, estimators.NotIdentified, ""), "not identified"},
	} {
		if got := statusWords(&c.x, "direct"); got != c.want {
			t.Errorf("%s %s of %d: %q, want %q", c.x.Status, c.x.Reason, c.x.Trajectories, got, c.want)
		}
	}
	if got := continuation("some_estimand"); got != "some estimand" {
		t.Errorf("an estimand of a later version: %q", got)
	}
}

func TestVisible(t *testing.T) {
	for name, want := range map[string]string{
		"cancel_order": "cancel_order", "a b": "a b", "": "“” (empty)", "a\nb": "a␊b", "\x7f": "␡", "\u00a0": "⟨U+00A0⟩", "a\u2028b": "a⟨U+2028⟩b",
		"\u202e": "⟨U+202E⟩", "\ufeff": "⟨U+FEFF⟩", "é漢🦊": "é漢🦊", "\xff": "\uFFFD", "👩‍👧": "👩‍👧", "\x9f": "⟨U+FFFD⟩",
	} {
		if name == "\x9f" {
			name, want = "\u009f", "⟨U+009F⟩"
		}
		got := visible(name)
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if again := visible(got); again != got {
			t.Errorf("%q: %q when made visible twice", name, again)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 0: "just now", 900 * time.Millisecond: "just now", 3 * time.Second: "3 s ago", 61 * time.Second: "1 min ago",
		65 * time.Minute: "1 h 5 min ago", 72 * time.Hour: "3 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
