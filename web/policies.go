package web

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"blipd/estimators"
)

// policyValue serves the gain of a policy that was never registered: a mask
// over the levels of the blip model, from sums alone.
//
//	GET /api/v1/policies/value?experiment=NAME&arm=ARM&intervene=LEVEL=P&intervene=LEVEL
//
// A level without =P is always intervened on, one that is not named never.
type policyValue struct {
	source Source
	log    *slog.Logger
}

func (h *policyValue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mask, rest, wrong := askMask(r.URL.RawQuery)
	if wrong != nil {
		wrong.write(w)
		return
	}
	serve := effects{source: h.source, log: h.log}
	report, _, wrong := serve.findOne(rest)
	if wrong != nil {
		wrong.write(w)
		return
	}
	gains, err := report.MaskGain(mask)
	if err != nil {
		Problem{Type: "unknown-policy", Status: http.StatusUnprocessableEntity, Detail: err.Error()}.write(w)
		return
	}
	serve.answer(w, r, gains)
}

// findOne is the current report of the one experiment that a query asks for.
func (h *effects) findOne(query string) (*estimators.Report, *Experiment, *Problem) {
	experiments := h.source.Experiments()
	names := make([]string, 0, 1)
	for _, e := range experiments {
		names = append(names, e.Name)
	}
	q, wrong := ask(query, names)
	if wrong == nil && q.epoch >= 0 {
		wrong = refuse("no parameter \"epoch\": sums of epochs that ended are gone")
	}
	if wrong == nil && q.experiment == "" && len(names) != 1 {
		wrong = refuse("name one experiment of: %s", strings.Join(names, ", "))
	}
	if wrong != nil {
		return nil, nil, wrong
	}
	if q.experiment == "" {
		q.experiment = names[0]
	}
	report, wrong := h.find(q.experiment, q)
	return report, &experiments[slices.Index(names, q.experiment)], wrong
}

// askMask takes the mask out of a query, and gives back the rest of it.
func askMask(raw string) (mask estimators.Mask, rest string, wrong *Problem) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return mask, "", refuse("unreadable query: %v", err)
	}
	if len(values["arm"]) > 1 {
		return mask, "", refuse("parameter \"arm\" is given %d times, send it once", len(values["arm"]))
	}
	mask, err = estimators.ParseMask(values.Get("arm"), values["intervene"])
	if err != nil {
		return mask, "", &Problem{Type: "unknown-policy", Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	}
	delete(values, "arm")
	delete(values, "intervene")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains([]string{"experiment", "scope", "epoch"}, name) {
			return mask, "", &Problem{Type: "unknown-policy", Status: http.StatusUnprocessableEntity,
				Detail: fmt.Sprintf("no parameter %q, known are experiment, scope, arm and intervene=LEVEL=P; "+
					"a policy that is no mask over levels is registered under policies in the configuration", name)}
		}
	}
	return mask, values.Encode(), nil
}
