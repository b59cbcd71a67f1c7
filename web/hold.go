package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blipd/estimators"
	"blipd/state"
)

// holds serves what is held now, and the book of who held and released what.
type holds struct {
	source Source
	log    *slog.Logger
}

// holdBook is the answer. Empty lists are not null.
type holdBook struct {
	Held []state.Hold `json:"held"` // by experiment
	Book []state.Hold `json:"book"` // the oldest first
}

func (h *holds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	book, err := h.source.HoldBook()
	if err != nil {
		h.log.Error("the book of holds cannot be read", "err", err)
		Problem{Type: "internal", Status: http.StatusInternalServerError, Detail: "the book of holds cannot be read, the log says why"}.write(w)
		return
	}
	serve := effects{source: h.source, log: h.log}
	serve.answer(w, r, holdBook{Held: append([]state.Hold{}, h.source.Held()...), Book: append([]state.Hold{}, book...)})
}

// heldReport is a report with the hold of its experiment.
type heldReport struct {
	*estimators.Report
	Hold *state.Hold `json:"hold,omitempty"`
}

// withHold puts the hold of its experiment to a report.
func withHold(report *estimators.Report, held []state.Hold) heldReport {
	for i := range held {
		if held[i].Experiment == report.Experiment {
			return heldReport{report, &held[i]}
		}
	}
	return heldReport{report, nil}
}

// Bounds of what people write into the book, in bytes.
const (
	longestReason = 500
	longestBy     = 100
)

// holdOrder is what is sent to hold or to release.
type holdOrder struct {
	Experiment string `json:"experiment"`
	All        bool   `json:"all"`
	Reason     string `json:"reason"`
	By         string `json:"by"`
}

// HoldActions are the actions by which experiments are held and released:
//
//	POST /api/v1/hold {"experiment": NAME, "reason": TEXT, "by": TEXT}
//	DELETE /api/v1/hold?experiment=NAME&reason=TEXT&by=TEXT
//
// all (true) in the place of an experiment is every one of them. An experiment
// need not be named when there is one, by not where a password or certificate tells
// it. set is asked to write the entries, all of one kind, without their time.
func HoldActions(source Source, set func(context.Context, []state.Hold) error) []Action {
	of := func(name, method string, held bool, read func(*Order, *holdOrder) error) Action {
		return Action{Name: name, Path: "/api/v1/hold", Methods: []string{method}, Do: func(ctx context.Context, o *Order) (any, error) {
			var asked holdOrder
			if err := read(o, &asked); err != nil {
				return nil, err
			}
			entries, err := asked.entries(source, o, held)
			if err != nil {
				return nil, err
			}
			if err := set(ctx, entries); err != nil {
				return nil, err
			}
			return struct {
				Held []state.Hold `json:"held"`
			}{append([]state.Hold{}, source.Held()...)}, nil
		}}
	}
	return []Action{
		of("hold", http.MethodPost, true, func(o *Order, to *holdOrder) error { return o.Decode(to, false) }),
		of("release", http.MethodDelete, false, readRelease),
	}
}

// readRelease reads what a request without a body says.
func readRelease(o *Order, to *holdOrder) error {
	for name, values := range o.Query {
		if len(values) != 1 {
			return refuse("parameter %q is given %d times, send it once", name, len(values))
		}
		switch value := values[0]; name {
		case "experiment":
			to.Experiment = value
		case "all":
			if value != "true" {
				return refuse("parameter \"all\" is %q, send true or leave it out", value)
			}
			to.All = true
		case "reason":
			to.Reason = value
		case "by":
			to.By = value
		default:
			return refuse("no parameter %q, known are experiment, all, reason and by", name)
		}
	}
	return nil
}

// entries checks an order and makes entries of it, one an experiment.
func (a *holdOrder) entries(source Source, o *Order, held bool) ([]state.Hold, error) {
	var known, chosen []string
	for _, e := range source.Experiments() {
		known = append(known, e.Name)
	}
	isHeld := func(name string) bool {
		return slices.ContainsFunc(source.Held(), func(h state.Hold) bool { return h.Experiment == name })
	}
	switch {
	case a.All && a.Experiment != "":
		return nil, refuse("both an experiment and all: send one of them")
	case a.All:
		chosen = known
		if !held { // what is no longer configured too
			chosen = nil
			for _, h := range source.Held() {
				chosen = append(chosen, h.Experiment)
			}
		}
	case a.Experiment == "" && len(known) != 1:
		return nil, refuse("no experiment: name one of %s, or send all (true)", strings.Join(known, ", "))
	case a.Experiment == "":
		chosen = known
	case !slices.Contains(known, a.Experiment) && (held || !isHeld(a.Experiment)):
		return nil, &Problem{Type: "unknown-experiment", Status: http.StatusNotFound, Known: known,
			Detail: fmt.Sprintf("no experiment %q, known are: %s", a.Experiment, strings.Join(known, ", "))}
	default:
		chosen = []string{a.Experiment}
	}
	if !held && (len(chosen) == 0 || !a.All && !isHeld(chosen[0])) {
		return nil, &Problem{Type: "not-held", Status: http.StatusConflict, Detail: "nothing is held that could be released"}
	}
	if a.By == "" {
		a.By = o.User
	}
	for _, said := range []struct {
		what, text string
		longest    int
	}{{"reason", a.Reason, longestReason}, {"by", a.By, longestBy}} {
		if err := sayable(said.what, said.text, said.longest); err != nil {
			return nil, err
		}
	}
	var entries []state.Hold
	for _, name := range chosen {
		entries = append(entries, state.Hold{Experiment: name, Held: held, Reason: a.Reason, By: a.By, User: o.User, Remote: o.Remote})
	}
	return entries, nil
}

// sayable checks a text of people: one line that is not empty.
func sayable(what, text string, longest int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return refuse("no %s: whoever reads the book wants to know it", what)
	case len(text) > longest:
		return refuse("%s has %d bytes, the most is %d", what, len(text), longest)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return refuse("%s has characters that are no text, or more than one line", what)
	}
	return nil
}
