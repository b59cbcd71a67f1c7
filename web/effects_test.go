package web

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"blipd/estimators"
)

// two is world with a second experiment and an epoch that has ended.
func two() *fake {
	f := world()
	second := retail()
	second.Name = "air line"
	f.experiments = append(f.experiments, second)
	report := reportOf()
	report.Experiment, report.Epoch = "air line", 4
	f.reports["air line/closed"], f.reports["air line/complete"] = report, report
	f.earlier = map[string]*estimators.Report{"air line/3": {Experiment: "air line", Epoch: 3, Scope: estimators.Closed}}
	return f
}

func TestEffectsOfOneAndOfSeveral(t *testing.T) {
	body, _ := get(t, world(), "/api/v1/effects")
	named, _ := get(t, two(), "/api/v1/effects?experiment=retail")
	if body != named || body[0] != '{' {
		t.Errorf("one experiment, unnamed and named: %.80s and %.80s", body, named)
	}
	body, _ = get(t, two(), "/api/v1/effects")
	var several []estimators.Report
	if err := json.Unmarshal([]byte(body), &several); err != nil || len(several) != 2 || several[1].Experiment != "air line" {
		t.Errorf("several: %v, %.80s", err, body)
	}
	for query, want := range map[string]string{
		"experiment=retail&scope=complete":             `"scope":"complete"`,
		"experiment=retail&scope=closed":               `"scope":"closed"`,
		"experiment=" + url.QueryEscape("air line"):    `"epoch":4`,
		"experiment=air+line&epoch=4":                  `"epoch":4`,
		"experiment=air+line&epoch=3":                  `"epoch":3`,
		"experiment=air+line&epoch=4&scope=complete":   `"epoch":4`,
		"experiment=air+line&epoch=3&scope=closed":     `"estimates":[],"health":[],"rejected":{},"not_randomized":{}`,
		"scope=complete&epoch=4&experiment=air%20line": `"experiment":"air line"`,
	} {
		if body, response := get(t, two(), "/api/v1/effects?"+query); response.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d without %s: %.300s", query, response.StatusCode, want, body)
		}
	}
}

func TestEffectsHaveTheNamesOfTheContract(t *testing.T) {
	f := world()
	body, _ := get(t, f, "/api/v1/effects")
	if strings.Contains(body, "NaN") || strings.Contains(body, "Inf") || strings.Contains(body, "null") {
		t.Errorf("not finite or null in %s", body)
	}
	var answer struct {
		Estimates []map[string]any
		AsOf      string `json:"as_of"`
		Health    []map[string]any
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.AsOf != "2026-11-29T12:00:00Z" || answer.Health[0]["check"] != "assignment" {
		t.Errorf("as_of %q, health %v", answer.AsOf, answer.Health)
	}
	for i, x := range f.reports["retail/closed"].Estimates {
		got := answer.Estimates[i]
		if x.Status != estimators.OK {
			if _, has := got["estimate"]; has || got["reason"] != string(x.Reason) || got["trajectories"] != float64(x.Trajectories) {
				t.Errorf("undefined %s: %v", x.Group, got)
			}
			continue
		}
		if got["estimate"] != x.Value || got["sequence_low"] != x.SequenceLow || got["ci_high"] != x.Up {
			t.Errorf("%s: %v", x.Group, got)
		}
	}
}

func TestEffectsRefuse(t *testing.T) {
	for _, c := range []struct {
		source Source
		query  string
		status int
		kind   string
		says   string
	}{
		{two(), "experiment=retial", 404, "unknown-experiment", "retail, air line"},
		{two(), "experiment=", 404, "unknown-experiment", "retail"},
		{two(), "experiment=retail&scope=open", 400, "bad-query", "closed or complete"},
		{two(), "experiment=retail&experiment=retail", 400, "bad-query", "2 times"},
		{two(), "experiments=retail", 400, "bad-query", "experiment, scope and epoch"},
		{two(), "experiment=retail&epoch=x", 400, "bad-query", "whole number"},
		{two(), "experiment=retail&epoch=-1", 400, "bad-query", "whole number"},
		{two(), "experiment=%zz", 400, "bad-query", "query"},
		{two(), "epoch=1", 400, "bad-query", "name one of"},
		{two(), "experiment=retail&epoch=9", 404, "unknown-epoch", "current epoch is 1"},
		{two(), "experiment=air+line&epoch=3&scope=complete", 400, "bad-query", "closed only"},
		{waiting(), "", 503, "no-report-yet", "first refit"},
		{waiting(), "experiment=retail&epoch=1", 503, "no-report-yet", "first refit"},
	} {
		body, response := get(t, c.source, "/api/v1/effects?"+c.query)
		var p struct {
			Type, Title, Detail string
			Status              int
			Known               []string
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Errorf("%s: %v in %s", c.query, err, body)
			continue
		}
		if response.StatusCode != c.status || p.Status != c.status || p.Type != "urn:blipd:problem:"+c.kind ||
			!strings.Contains(p.Detail, c.says) || p.Title != http.StatusText(c.status) ||
			response.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", c.query, response.StatusCode, body)
		}
		if c.kind == "unknown-experiment" && len(p.Known) != 2 {
			t.Errorf("%s: known %q", c.query, p.Known)
		}
		if after, err := strconv.Atoi(response.Header.Get("Retry-After")); c.status == 503 && (err != nil || after < 1) {
			t.Errorf("%s: Retry-After %q", c.query, response.Header.Get("Retry-After"))
		}
	}
}

func TestEffectsHaveATag(t *testing.T) {
	_, response := get(t, world(), "/api/v1/effects")
	tag := response.Header.Get("ETag")
	if again := do(t, world(), "GET", "/api/v1/effects", "If-None-Match", tag); tag == "" || again.StatusCode != 304 {
		t.Errorf("tag %q: %d", tag, again.StatusCode)
	}
	f := world()
	f.reports["retail/closed"] = reportOf()
	if other := do(t, f, "GET", "/api/v1/effects", "If-None-Match", tag); other.StatusCode != 200 {
		t.Errorf("another report under an old tag: %d", other.StatusCode)
	}
}

func TestEffectsThatAreNoJSONAreAnError(t *testing.T) {
	f := world()
	f.reports["retail/closed"] = reportOf(effect("success", "all", "all", 100, math.NaN(), 1))
	if body, response := get(t, f, "/api/v1/effects"); response.StatusCode != 500 || strings.Contains(body, "NaN") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}
