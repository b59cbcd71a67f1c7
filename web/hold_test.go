package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"blipd/state"
)

// book is a source of two experiments that keeps its own book.
func book() (*fake, http.Handler) {
	f, actions := bookActions()
	return f, Handler(Config{Users: true}, f, nil, actions...)
}

func bookActions() (*fake, []Action) {
	f := world()
	second := retail()
	second.Name = "airline"
	f.experiments = append(f.experiments, second)
	set := func(_ context.Context, entries []state.Hold) error {
		if f.broken != nil {
			return f.broken
		}
		for _, h := range entries {
			h.At = noon
			f.book = append(f.book, h)
			f.held = slices.DeleteFunc(f.held, func(old state.Hold) bool { return old.Experiment == h.Experiment })
			if h.Held {
				f.held = append(f.held, h)
			}
		}
		return nil
	}
	return f, HoldActions(f, set)
}

// tell sends an order: JSON to POST, a query to DELETE.
func tell(h http.Handler, method, order string) *httptest.ResponseRecorder {
	target, body := "/api/v1/hold", order
	if method == http.MethodDelete {
		target, body = target+"?"+order, ""
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestHoldAndRelease is the story of two experiments, one order after another.
func TestHoldAndRelease(t *testing.T) {
	f, h := book()
	for _, c := range []struct {
		method, order string
		status        int
		held          string // afterwards
		answer        string // a part of it
	}{
		{"POST", `{"reason":"odd","by":"anna"}`, 400, "", "name one of retail, airline"},
		{"POST", `{"experiment":"retial","reason":"odd","by":"anna"}`, 404, "", `no experiment \"retial\"`},
		{"POST", `{"experiment":"retail","all":true,"reason":"odd","by":"anna"}`, 400, "", "one of them"},
		{"POST", `{"experiment":"retail","by":"anna"}`, 400, "", "no reason"},
		{"POST", `{"experiment":"retail","reason":" ","by":"anna"}`, 400, "", "no reason"},
		{"POST", `{"experiment":"retail","reason":"odd"}`, 400, "", "no by"},
		{"POST", `{"experiment":"retail","reason":"a\nlevel=ERROR","by":"anna"}`, 400, "", "one line"},
		{"POST", `{"experiment":"retail","reason":"` + strings.Repeat("x", 501) + `","by":"anna"}`, 400, "", "the most is 500"},
		{"POST", `{"experiment":"retail","reason":"odd","who":"anna"}`, 400, "", "who"},
		{"POST", ``, 400, "", "no body"},
		{"DELETE", `experiment=retail&reason=fine&by=anna`, 409, "", "nothing is held"},
		{"DELETE", `all=true&reason=fine&by=anna`, 409, "", "nothing is held"},

		{"POST", `{"experiment":"retail","reason":"odd","by":"anna"}`, 200, "retail", `"experiment":"retail","held":true,"reason":"odd","by":"anna"`},
		{"POST", `{"all":true,"reason":"odder","by":"otto"}`, 200, "retail airline", "odder"},
		{"DELETE", `experiment=airline&reason=fine`, 400, "retail airline", "no by"},
		{"DELETE", `experiment=airline&by=anna`, 400, "retail airline", "no reason"},
		{"DELETE", `experiment=airline&all=yes&by=anna`, 400, "retail airline", "send true"},
		{"DELETE", `experiment=airline&experiment=retail&by=anna`, 400, "retail airline", "2 times"},
		{"DELETE", `experiment=airline&reason=fine&who=anna`, 400, "retail airline", "who"},
		{"DELETE", `experiment=airline&reason=fine&by=anna`, 200, "retail", "odder"},
		{"DELETE", `experiment=airline&reason=fine&by=anna`, 409, "retail", "nothing is held"},
		{"DELETE", `all=true&reason=fine&by=anna`, 200, "", `"held":[]`},
	} {
		w := tell(h, c.method, c.order)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.method, c.order, w.Code, w.Body, c.status, c.answer)
		}
		var names []string
		for _, e := range f.held {
			names = append(names, e.Experiment)
		}
		if got := strings.Join(names, " "); got != c.held {
			t.Errorf("%s %s: held %q, want %q", c.method, c.order, got, c.held)
		}
	}
	var answer holdBook
	w := tell(h, "GET", "")
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Book) != 5 || len(answer.Held) != 0 || answer.Book[3].Held || answer.Book[3].Remote == "" {
		t.Errorf("%v, the book is %s", err, w.Body)
	}
	f.broken = errors.New("the disk is full")
	for method, order := range map[string]string{"GET": "", "POST": `{"all":true,"reason":"odd","by":"anna"}`} {
		if w := tell(h, method, order); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%s while the book cannot be used: %d %s", method, w.Code, w.Body)
		}
	}
}

// TestHoldByUser: who was asked for a password need not name themselves.
func TestHoldByUser(t *testing.T) {
	f, h := book()
	r := httptest.NewRequest("POST", "/api/v1/hold", strings.NewReader(`{"experiment":"retail","reason":"odd"}`))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth("anna", "secret")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 || len(f.held) != 1 || f.held[0].By != "anna" || f.held[0].User != "anna" {
		t.Errorf("%d %s, held %+v", w.Code, w.Body, f.held)
	}
}

// TestReleaseOfWhatIsGone: an experiment that is no longer configured can be released.
func TestReleaseOfWhatIsGone(t *testing.T) {
	for _, order := range []string{"experiment=former&reason=gone&by=anna", "all=true&reason=gone&by=anna"} {
		f, h := book()
		f.held = []state.Hold{{Experiment: "former", Held: true}}
		if w := tell(h, "DELETE", order); w.Code != 200 || len(f.held) != 0 {
			t.Errorf("%s: %d %s", order, w.Code, w.Body)
		}
	}
}

// TestHoldIsShown: on the page, in metrics, beside the effects, and with readiness.
func TestHoldIsShown(t *testing.T) {
	f := world()
	before := render(t, f)
	if v, ok := value(t, scrape(t, f), "blipd_hold_active", "experiment", "retail"); !ok || v != 0 {
		t.Errorf("nothing is held: %v %v", v, ok)
	}
	f.held = []state.Hold{{At: noon.Add(-time.Hour), Experiment: "retail", Held: true, Reason: "<b>odd</b> refunds", By: "anna"}}
	mustNotSay(t, wordsOf(before), "is held:")
	mustSay(t, wordsOf(render(t, f)), "retail is held: do not decide by its effects. <b>odd</b> refunds (anna, since 29 Nov 2026 11:00 UTC )")
	if v, ok := value(t, scrape(t, f), "blipd_hold_active", "experiment", "retail"); !ok || v != 1 {
		t.Errorf("retail is held: %v %v", v, ok)
	}
	if body, response := get(t, f, "/-/ready"); response.StatusCode != 200 || body != `{"ready":true,"held":["retail"]}`+"\n" {
		t.Errorf("ready: %d %s", response.StatusCode, body)
	}
	for _, target := range []string{"/api/v1/effects", "/api/v1/effects?scope=complete"} {
		body, response := get(t, f, target)
		var answer struct {
			Experiment string
			Estimates  []any
			Hold       *state.Hold
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || response.StatusCode != 200 || answer.Hold == nil || answer.Hold.By != "anna" || len(answer.Estimates) == 0 {
			t.Errorf("%s: %v, %+v", target, err, answer)
		}
	}
	f.held[0].Experiment = "another"
	if body, _ := get(t, f, "/api/v1/effects"); strings.Contains(body, `"hold"`) {
		t.Error("another experiment's hold is shown")
	}
}

// TestReleaseQueries: what cannot be understood is answered by a problem.
func TestReleaseQueries(t *testing.T) {
	_, h := book()
	for _, query := range []string{"", "%zz", "all", "experiment", url.Values{"experiment": {"\xff"}}.Encode()} {
		if w := tell(h, "DELETE", query); w.Code < 400 || w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
		}
	}
}
