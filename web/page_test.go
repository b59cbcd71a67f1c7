package web

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"blipd/estimators"
	"blipd/event"
)

// render is the page as it is sent; it must nest, and no id may come twice.
func render(t *testing.T, source Source) string {
	t.Helper()
	body, response := get(t, source, "/")
	if response.StatusCode != 200 {
		t.Fatalf("page: %d %s", response.StatusCode, body)
	}
	ids := map[string]bool{}
	decoder := xml.NewDecoder(strings.NewReader(body))
	decoder.Entity = xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("page does not nest: %v", err)
		}
		start, _ := token.(xml.StartElement)
		for _, a := range start.Attr {
			if a.Name.Local == "id" && ids[a.Value] {
				t.Errorf("id %q twice", a.Value)
			}
			ids[a.Value] = ids[a.Value] || a.Name.Local == "id"
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("attribute %s is against the policy", a.Name.Local)
			}
		}
	}
	return body
}

var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// words of a page, without tags, with single spaces.
func wordsOf(body string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
}

func mustSay(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func mustNotSay(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, word := range unwanted {
		if strings.Contains(text, word) {
			t.Errorf("the page says %q", word)
		}
	}
}

func TestPageShowsWhatIsKnown(t *testing.T) {
	f := world()
	f.reports["retail/closed"].Estimates[1].Value = 0.1234
	body := render(t, f)
	mustSay(t, wordsOf(body),
		"Where does intervening change the outcome, and where not?", "simulated world, its truth is known",
		"12,840", "88,213", "214", "1.64 % of those started", "last refit 3 s ago", "stream time 12:00:00 UTC", "lag unknown",
		"assignment: holds", "Effect of review vs direct on success", "later calls randomized as usual", "randomized_continuation",
		"later calls never intervened on, by the blip model", "Gain of policies that draw review", "By policy", "writes",
		"difference between the effects in two groups", "tool=search against rest of all", "carries 25 % of the gain", "along stage the effects of review",
		"refuses the blip model", "Policy writes, on success: 0.4 % of trajectories agree",
		"higher is better", "lower is better", "sequences hold the planted truth", "planted truth",
		"+0.123", "not enough trajectories yet: 7 of 10", "review or direct was never drawn here", "no variation to learn from",
		"sequence from 50 trajectories", "helps", "harms", "no difference seen yet", "too early to say",
		"By tool", "By stage", "Only for one look", "as often as you like",
		"outputs.effects: only dead letters are written by this version", "forced 41", "malformed 3", "configuration 9f2c41d07a3e")
	mustSay(t, body, `datetime="2026-11-29T10:00:00Z"`, `role="img"`, `title="escalate_to_a_human_colleague_of_the_second_level"`,
		`<noscript><meta http-equiv="refresh"`, `lang="en"`, `name="viewport"`, `class="truth"`)
	mustNotSay(t, body, "NaN", "Inf", "<no value>", "ZgotmplZ", "late</dt>")
	if svgs, labels := strings.Count(body, `role="img"`), strings.Count(body, `role="img" aria-label="`); svgs == 0 || svgs != labels {
		t.Errorf("%d drawings, %d labels", svgs, labels)
	}
}

func TestDrawingSaysItInWords(t *testing.T) {
	f := world()
	f.experiments[0].Truth = []Truth{{estimators.RandomizedContinuation, "success", "review", "tool", "refund", 0.15}}
	f.reports["retail/closed"] = reportOf(effect("success", "tool", "refund", 300, 0.2, 0.02))
	mustSay(t, html.UnescapeString(render(t, f)), `aria-label="refund, effect of review vs direct on success: +0.200, `+
		`95 % sequence +0.140 to +0.260, interval for one look +0.160 to +0.240; planted truth +0.150; helps"`,
		"1 of 1 sequences hold the planted truth")
}

func TestOrderOfPanelsAndRows(t *testing.T) {
	f := world()
	f.reports["retail/closed"] = reportOf(
		effect("violation", "stage", "small", 60, 0, 1), effect("violation", "stage", "big", 600, 0, 1),
		effect("violation", "all", "all", 700, 0, 1), effect("violation", "tool", "zeta", 80, 0, 1), effect("violation", "tool", "beta", 80, 0, 1),
		effect("success", "all", "all", 700, 0, 1), effect("unconfigured", "all", "all", 700, 0, 1))
	text, last := wordsOf(render(t, f)), -1
	for _, word := range []string{"on success", "on violation", "All decisions 700", "By tool", "beta 80", "zeta 80", "By stage",
		"big 600", "small 60", "on unconfigured"} {
		place := strings.Index(text[last+1:], word)
		if place < 0 {
			t.Fatalf("%q is missing or out of order", word)
		}
		last += 1 + place
	}
}

func TestPageBeforeTheFirstRefit(t *testing.T) {
	f := waiting()
	f.live.Paused["dead_letters"] = true
	body := render(t, f)
	mustSay(t, wordsOf(body), "Waiting for the first refit.", "Not ready:", "no refit has succeeded yet", "Last refit none yet",
		"Trajectories 12,871", "Decisions 88,213", "Reading is held up: dead letters", "Records read 101,100")
	mustNotSay(t, body, "<table", "NaN")
}

func TestPageOfNothing(t *testing.T) {
	mustSay(t, wordsOf(render(t, &fake{})), "No experiment is configured.", "owns no partition", "Lag unknown", "Not ready:")
	f := world()
	f.reports["retail/closed"] = &estimators.Report{Experiment: "retail", AsOf: event.NoTime, CompleteTo: event.NoTime}
	f.live.Now = time.Time{} // a clock that stepped back
	mustSay(t, wordsOf(render(t, f)), "no event time counted", "no start period is complete", "just now")
}

func TestAFailingCheckIsSaidFirst(t *testing.T) {
	f := world()
	report := f.reports["retail/closed"]
	report.Health = append(report.Health, estimators.Check{Name: "index_gaps", Detail: "12 gaps"})
	text := wordsOf(render(t, f))
	mustSay(t, text, "Do not trust these effects yet.", "fails a check: index gaps", "index gaps: fails 12 gaps", "assignment: holds")
	if strings.Index(text, "Do not trust") > strings.Index(text, "Effect of review") {
		t.Error("the warning comes after the effects")
	}
}

func TestTwoHundredGroups(t *testing.T) {
	f := world()
	all := []estimators.Estimate{effect("success", "all", "all", 9000, 0.1, 0.01)}
	for i := range 200 {
		all = append(all, effect("success", "tool", fmt.Sprintf("tool%03d", i), int64(1000-i), 0.1, 0.01))
	}
	f.reports["retail/closed"] = reportOf(all...)
	body := render(t, f)
	mustSay(t, wordsOf(body), "175 smaller groups of tool", "tool000", "tool199")
	mustNotSay(t, wordsOf(body), "are in the JSON")
	for i := range 2000 {
		all = append(all, effect("success", "tool", fmt.Sprintf("more%04d", i), 60, 0.1, 0.01))
	}
	f.reports["retail/closed"] = reportOf(all...)
	body = render(t, f)
	mustSay(t, wordsOf(body), "1900 more groups of tool are in the JSON")
	if rows := strings.Count(body, `scope="row"`); rows != 1+rowsAtMost {
		t.Errorf("%d rows", rows)
	}
}

func TestHostileNamesSurviveThePage(t *testing.T) {
	f := hostileWorld()
	f.experiments[0].Name = hostile[12]
	report := f.reports["retail/closed"]
	f.reports = map[string]*estimators.Report{hostile[12] + "/closed": report}
	f.experiments[0].Truth = []Truth{{estimators.RandomizedContinuation, "success", "review", "tool", hostile[10], 0.1}}
	report.NotComputed = hostile
	body := render(t, f)
	mustNotSay(t, body, "<script>alert", "{{.}}\x00", "</table><!--", "\x00", "\x1f", "\u202e", "\u200b")
	mustSay(t, html.UnescapeString(body), "a␀b␁␟␡", "line␊break␍␊␉tab", `quote"d \ back\\slash\`, "⟨U+202E⟩right to left", "zero⟨U+200B⟩width",
		"🦊👩‍👩‍👧", strings.Repeat("é", 128), "“” (empty)", "all groups beyond the limit")
}

func TestUndefinedAndExtremeNumbers(t *testing.T) {
	f := world()
	f.experiments[0].Truth = append(f.experiments[0].Truth,
		Truth{estimators.RandomizedContinuation, "success", "review", "tool", "huge", 1e305},
		Truth{estimators.RandomizedContinuation, "success", "review", "tool", "none", math.NaN()})
	broken := effect("success", "tool", "broken", 500, math.NaN(), 0.1)
	f.reports["retail/closed"] = reportOf(broken,
		effect("success", "tool", "huge", 500, 1e305, 1e304), effect("success", "tool", "tiny", 500, 1e-310, 1e-312),
		effect("success", "tool", "million", 500, 2.5e6, 1e5), effect("success", "tool", "early", 20, 0, 1e-9), effect("violation", "tool", "tiny", 500, 1e-310, 1e-312),
		without("success", "tool", "none", 500, estimators.InsufficientData, estimators.FewTrajectories))
	body := render(t, f)
	mustNotSay(t, body, "NaN", "Inf")
	mustSay(t, wordsOf(body), "no value", "not enough independent trajectories yet", "+1e+305")
}
