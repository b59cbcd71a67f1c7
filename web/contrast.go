package web

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"blipd/estimators"
)

// contrast serves the difference between the effects in two groups, from the
// sums of the current report.
//
//	GET /api/v1/contrast?experiment=NAME&of=DIMENSION=GROUP&to=DIMENSION=GROUP
//
// A side may be all, and to may be the rest of either: "rest of all", which is
// what it is when it is left out, or "rest of DIMENSION=GROUP".
type contrast struct {
	source Source
	log    *slog.Logger
}

func (h *contrast) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		refuse("unreadable query: %v", err).write(w)
		return
	}
	for _, name := range []string{"of", "to"} {
		if len(values[name]) > 1 {
			refuse("parameter %q is given %d times, send it once", name, len(values[name])).write(w)
			return
		}
	}
	of, to := values.Get("of"), values.Get("to")
	values.Del("of")
	values.Del("to")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != "experiment" && name != "scope" && name != "epoch" {
			refuse("no parameter %q, known are experiment, scope, of and to", name).write(w)
			return
		}
	}
	serve := effects{source: h.source, log: h.log}
	report, experiment, wrong := serve.findOne(values.Encode())
	if wrong != nil {
		wrong.write(w)
		return
	}
	var all []estimators.Estimate
	asked, err := estimators.ParseContrast(of, to, experiment.Dimensions)
	if err == nil {
		all, err = report.Contrast(asked)
	}
	if err != nil {
		Problem{Type: "unknown-contrast", Status: http.StatusUnprocessableEntity, Detail: err.Error()}.write(w)
		return
	}
	serve.answer(w, r, all)
}
