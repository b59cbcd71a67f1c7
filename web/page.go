package web

import (
	"bytes"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"blipd/state"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"asset": assetURL, "count": count, "visible": visible, "words": plainWords,
		"sequenceFrom": func() int { return sequenceFrom }}).
	ParseFS(templateFiles, "templates/*.html"))

// refreshEvery is how often an open page asks again.
const refreshEvery = 5 * time.Second

// pages serves the page for people.
type pages struct {
	source Source
	log    *slog.Logger
}

func (h *pages) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	// Rendered whole before the first byte leaves: an error is a 500, never half a page.
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, "page.html", newPage(h.source)); err != nil {
		h.log.Error("the page cannot be shown", "err", err)
		Problem{Type: "internal", Status: http.StatusInternalServerError,
			Detail: "the page cannot be rendered, the log says why"}.write(w)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // an error means that the client is gone
}

// page is what the template of the page sees.
type page struct {
	Refresh     int // seconds
	Version     string
	Readiness   Readiness
	Paused      []string // the reasons for which intake is held up
	Bars        []bar    // what is under way
	Held        []state.Hold
	Intake      intake
	Experiments []experimentView
}

func newPage(source Source) page {
	live := source.Live()
	p := page{
		Refresh:   int(refreshEvery.Seconds()),
		Version:   live.Version,
		Readiness: source.Readiness(),
		Intake:    newIntake(&live),
		Paused:    pausedReasons(live.Paused),
		Held:      source.Held(),
	}
	p.Bars = bars(&live)
	for i, e := range live.Experiments {
		p.Experiments = append(p.Experiments, newExperimentView(source, &live, p.Intake.clock(), i, e))
	}
	return p
}
