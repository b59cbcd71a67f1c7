package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"blipd/estimators"
)

// untilRefit is when to ask again for a report that does not exist yet.
const untilRefit = 5 * time.Second

// effects serves reports as JSON: one object for one experiment, an array when
// several are configured and none is named.
type effects struct {
	source Source
	log    *slog.Logger
}

// question is a checked query.
type question struct {
	experiment string // "" when none was named
	scope      string
	epoch      int // earlier or current; -1 when none was named
}

func (h *effects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	names := make([]string, 0, 1)
	for _, e := range h.source.Experiments() {
		names = append(names, e.Name)
	}
	q, wrong := ask(r.URL.RawQuery, names)
	if wrong != nil {
		wrong.write(w)
		return
	}
	if q.experiment != "" {
		names = []string{q.experiment}
	}
	reports, held := make([]heldReport, 0, len(names)), h.source.Held()
	for _, name := range names {
		report, wrong := h.find(name, q)
		if wrong != nil {
			wrong.write(w)
			return
		}
		reports = append(reports, withHold(filled(report), held))
	}
	var answer any = reports
	if len(reports) == 1 {
		answer = reports[0]
	}
	h.answer(w, r, answer)
}

// ask reads a query. It refuses what it does not know: a misspelt parameter
// would otherwise answer another question.
func ask(raw string, names []string) (question, *Problem) {
	q := question{scope: estimators.Closed, epoch: -1}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, refuse("unreadable query: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if len(value) != 1 {
			return q, refuse("parameter %q is given %d times, send it once", name, len(value))
		}
		switch name {
		case "experiment":
			if !slices.Contains(names, value[0]) {
				return q, &Problem{Type: "unknown-experiment", Status: http.StatusNotFound, Known: names,
					Detail: fmt.Sprintf("no experiment %q, known are: %s", value[0], strings.Join(names, ", "))}
			}
			q.experiment = value[0]
		case "scope":
			if value[0] != estimators.Closed && value[0] != estimators.Complete {
				return q, refuse("no scope %q, send %s or %s", value[0], estimators.Closed, estimators.Complete)
			}
			q.scope = value[0]
		case "epoch":
			if q.epoch, err = strconv.Atoi(value[0]); err != nil || q.epoch < 0 {
				return q, refuse("epoch %q is not a whole number from 0", value[0])
			}
		default:
			return q, refuse("no parameter %q, known are experiment, scope and epoch", name)
		}
	}
	if q.epoch >= 0 && q.experiment == "" && len(names) != 1 {
		return q, refuse("epochs are counted by experiment, name one of: %s", strings.Join(names, ", "))
	}
	return q, nil
}

func refuse(format string, args ...any) *Problem {
	return &Problem{Type: "bad-query", Status: http.StatusBadRequest, Detail: fmt.Sprintf(format, args...)}
}

// find is the report that q asks for, or why there is none.
func (h *effects) find(experiment string, q question) (*estimators.Report, *Problem) {
	report := h.source.Report(experiment, q.scope)
	if report != nil && (q.epoch < 0 || q.epoch == report.Epoch) {
		return report, nil
	}
	if q.epoch >= 0 {
		earlier := h.source.EarlierReport(experiment, q.epoch)
		switch {
		case earlier != nil && q.scope == estimators.Closed:
			return earlier, nil
		case earlier != nil:
			return nil, refuse("epoch %d has ended and is kept in the scope %s only", q.epoch, estimators.Closed)
		case report != nil:
			return nil, &Problem{Type: "unknown-epoch", Status: http.StatusNotFound,
				Detail: fmt.Sprintf("no report of epoch %d of %s, the current epoch is %d", q.epoch, experiment, report.Epoch)}
		}
	}
	return nil, &Problem{Type: "no-report-yet", Status: http.StatusServiceUnavailable, RetryAfter: untilRefit,
		Detail: fmt.Sprintf("%s has no report before its first refit", experiment)}
}

// filled is a copy of a report in which empty lists and maps are not null.
func filled(report *estimators.Report) *estimators.Report {
	r := *report
	if r.Estimates == nil {
		r.Estimates = []estimators.Estimate{}
	}
	if r.Health == nil {
		r.Health = []estimators.Check{}
	}
	for _, counts := range []*map[string]int64{&r.Rejected, &r.NotRandomized, &r.Missing, &r.OutOfBounds} {
		if *counts == nil {
			*counts = map[string]int64{}
		}
	}
	return &r
}

// answer writes JSON with a tag, so that asking again is cheap for the client.
func (h *effects) answer(w http.ResponseWriter, r *http.Request, what any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(what); err != nil {
		h.log.Error("effects cannot be written as JSON", "path", r.URL.Path, "err", err)
		Problem{Type: "internal", Status: http.StatusInternalServerError,
			Detail: "the report cannot be written as JSON, the log says why"}.write(w)
		return
	}
	sum := sha256.Sum256(body.Bytes())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body.Bytes()))
}
