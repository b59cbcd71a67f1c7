package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// TestRemote: what the commands ask of a daemon, and what they say of its answers.
func TestRemote(t *testing.T) {
	const going = `503 {"ready":false,"missing":["no refit yet"],"rebuild":{"phase":"running","records_behind":900,"records_per_second":300,"seconds_left":3}}`
	for _, c := range []struct {
		args    string
		answers []string // status and body, in turn
		asked   string
		code    int
		out     string // a part of it
		words   string
	}{
		{"reload", []string{`200 {"applied":["refit.interval"],"intake_restarted":false}`}, "POST /-/reload", 0, `"refit.interval"`, ""},
		{"reload", []string{`422 {"detail":"line 3: no such key"}`}, "POST /-/reload", 1, "", "422 Unprocessable Entity: line 3: no such key"},
		{"reload", []string{`404 nothing here`}, "POST /-/reload", 1, "", "404 Not Found: nothing here"},
		{"rebuild", []string{`200 {}`}, `POST /api/v1/rebuild {"partial":false}`, 0, "being made anew", ""},
		{"rebuild --partial", []string{`200 {}`}, `POST /api/v1/rebuild {"partial":true}`, 0, "being made anew", ""},
		{"rebuild", []string{`409 {"detail":"a rebuild is under way"}`}, `POST /api/v1/rebuild {"partial":false}`, 1, "", "a rebuild is under way"},
		{"rebuild --cancel", []string{`200 {}`}, "DELETE /api/v1/rebuild", 0, "given up", ""},
		{"rebuild --wait", []string{`200 {}`, going, `200 {"ready":true,"rebuild":{"phase":"switched","detail":"the state before is kept in d"}}`},
			`POST /api/v1/rebuild {"partial":false}, GET /-/ready, GET /-/ready`, 0, "the rebuilt state is in use; the state before is kept in d", "900 records behind, 300 a second, level in about 3s"},
		{"rebuild --wait", []string{`200 {}`, `200 {"ready":true,"rebuild":{"phase":"given_up","detail":"partitions were assigned anew"}}`},
			`POST /api/v1/rebuild {"partial":false}, GET /-/ready`, 1, "", "given up: partitions were assigned anew"},
		{"rebuild --wait", []string{`200 {}`, `200 {"ready":true}`}, `POST /api/v1/rebuild {"partial":false}, GET /-/ready`, 1, "", "started again"},
		{"rebuild --wait", []string{`200 {}`, `500 broken`}, `POST /api/v1/rebuild {"partial":false}, GET /-/ready`, 1, "", "500 Internal Server Error: broken"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked = append(asked, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL, body)))
				status, answer, _ := strings.Cut(c.answers[len(asked)-1], " ")
				var code int
				_, _ = fmt.Sscan(status, &code)
				w.WriteHeader(code)
				_, _ = io.WriteString(w, answer)
			}))
			defer server.Close()
			var out, words strings.Builder
			code := Run(append(strings.Fields(c.args), "--url", server.URL), strings.NewReader(""), &out, &words)
			if got := strings.Join(asked, ", "); got != c.asked {
				t.Errorf("asked %s, want %s", got, c.asked)
			}
			if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(words.String(), c.words) {
				t.Errorf("exit code %d, said %q and %q; want %d, %q and %q", code, &out, &words, c.code, c.out, c.words)
			}
		})
	}
}

// TestHangup: each SIGHUP is heard.
func TestHangup(t *testing.T) {
	heard := make(chan bool)
	stop := onHangup(func() { heard <- true })
	for range 3 {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-heard
	}
	stop()
}
