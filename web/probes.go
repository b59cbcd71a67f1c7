package web

import (
	"encoding/json"
	"io"
	"net/http"
)

// healthy answers as long as the process can.
func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "blipd is alive\n") // an error means that the client is gone
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
