package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Problem is an error as RFC 9457 has it: one that whoever asked can mend.
type Problem struct {
	Type       string // the last part of the type's URI: stable, for programs
	Status     int
	Detail     string        // for people: what is wrong, and what to send instead
	Known      []string      // the names that would have been understood, if that is what is wrong
	RetryAfter time.Duration // when to ask again; 0 says nothing
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// write answers with the problem.
func (p Problem) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(p.RetryAfter.Seconds())))
	}
	w.WriteHeader(p.Status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// An error here means that the client is gone.
	_ = encoder.Encode(struct {
		Type   string   `json:"type"`
		Title  string   `json:"title"`
		Status int      `json:"status"`
		Detail string   `json:"detail"`
		Known  []string `json:"known,omitempty"`
	}{"urn:blipd:problem:" + p.Type, http.StatusText(p.Status), p.Status, p.Detail, p.Known})
}
