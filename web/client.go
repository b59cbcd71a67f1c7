package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	common "github.com/prometheus/common/config"
)

// longestAnswer bounds what Client reads of an answer, in bytes, and slowestAnswer
// how long it waits for one.
const (
	longestAnswer = 1 << 20
	slowestAnswer = 30 * time.Second
)

// Client asks a running daemon.
type Client struct {
	base   *url.URL
	client *http.Client
}

// NewClient is a client of the daemon at base, such as http://127.0.0.1:9464. file
// is the path of an HTTP client configuration as promtool takes it, with a user and
// password, or certificates; "" is a client without.
func NewClient(base, file string) (*Client, error) {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		// What was given is not repeated: it may have a password in it.
		return nil, fmt.Errorf("web: not the address of a daemon: write one such as http://%s", DefaultListen)
	}
	c := &Client{base: at, client: &http.Client{Timeout: slowestAnswer}}
	if file == "" {
		return c, nil
	}
	cfg, _, err := common.LoadHTTPConfigFile(file)
	if err == nil {
		c.client, err = common.NewClientFromConfig(*cfg, "blipd")
	}
	if err != nil {
		return nil, fmt.Errorf("web: HTTP client configuration %s: %w", file, err)
	}
	c.client.Timeout = slowestAnswer
	return c, nil
}

// Hold holds an experiment, "" for the only one, or all of them.
func (c *Client) Hold(ctx context.Context, experiment string, all bool, reason, by string) error {
	body, err := json.Marshal(holdOrder{experiment, all, reason, by})
	if err != nil {
		return fmt.Errorf("web: hold: %w", err)
	}
	_, err = c.send(ctx, http.MethodPost, holdPath, nil, body)
	return err
}

// Release releases an experiment, "" for the only one, or all of them.
func (c *Client) Release(ctx context.Context, experiment string, all bool, reason, by string) error {
	query := url.Values{"reason": {reason}, "by": {by}}
	if experiment != "" {
		query.Set("experiment", experiment)
	}
	if all {
		query.Set("all", "true")
	}
	_, err := c.send(ctx, http.MethodDelete, holdPath, query, nil)
	return err
}

// Reload has the configuration read again; the answer says what was done, as JSON.
func (c *Client) Reload(ctx context.Context) (answer []byte, err error) {
	return c.send(ctx, http.MethodPost, "/-/reload", nil, nil)
}

// Rebuild has the state made anew, with partial also from a log that no longer has
// all that was counted.
func (c *Client) Rebuild(ctx context.Context, partial bool) error {
	body, err := json.Marshal(map[string]bool{"partial": partial})
	if err == nil {
		_, err = c.send(ctx, http.MethodPost, "/api/v1/rebuild", nil, body)
	}
	return err
}

// EndRebuild gives the rebuild under way up.
func (c *Client) EndRebuild(ctx context.Context) error {
	_, err := c.send(ctx, http.MethodDelete, "/api/v1/rebuild", nil, nil)
	return err
}

// Readiness is what the daemon says of itself, ready or not.
func (c *Client) Readiness(ctx context.Context) (r Readiness, err error) {
	answer, err := c.send(ctx, http.MethodGet, "/-/ready", nil, nil)
	if len(answer) > 0 && json.Unmarshal(answer, &r) == nil && (err == nil || len(r.Missing) > 0) {
		return r, nil
	}
	return r, err
}

const holdPath = "/api/v1/hold"

// send asks for a path. What came is there beside an error too.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body []byte) (text []byte, err error) {
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("web: %s %s: %w", method, at.Redacted(), err)
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("web: %w: see that the daemon runs there", err)
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(io.LimitReader(answer.Body, longestAnswer))
	if answer.StatusCode == http.StatusOK && err == nil {
		return text, nil
	}
	var wrong struct{ Detail string }
	if json.Unmarshal(text, &wrong) != nil || wrong.Detail == "" {
		wrong.Detail = strings.TrimSpace(string(text[:min(len(text), 200)]))
	}
	return text, errors.Join(fmt.Errorf("web: %s %s: %s: %s", method, c.base.JoinPath(path).Redacted(), answer.Status, wrong.Detail), err)
}
