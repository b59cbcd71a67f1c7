package web

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// healthy answers 200 as long as the daemon's loops move, else 503 and what hangs: a
// daemon that waits for something moves. Whoever gets another answer, or none, may
// end the process.
func healthy(source Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		words := "blipd is alive\n"
		stalled := source.Stalled()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if len(stalled) > 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			words = "blipd hangs: " + strings.Join(stalled, "; ") + "\n"
		}
		_, _ = io.WriteString(w, words) // an error means that the client is gone
	})
}

// ready answers 200 when the daemon does its work, else 503; the body says
// what is missing.
func ready(source Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := source.Readiness()
		for _, h := range source.Held() {
			answer.Held = append(answer.Held, h.Experiment)
		}
		w.Header().Set("Content-Type", "application/json")
		if !answer.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(answer) // an error means that the client is gone
	})
}
