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
	return c.send(ctx, http.MethodPost, nil, body)
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
	return c.send(ctx, http.MethodDelete, query, nil)
}

func (c *Client) send(ctx context.Context, method string, query url.Values, body []byte) error {
	at := c.base.JoinPath("api", "v1", "hold")
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("web: %s %s: %w", method, at.Redacted(), err)
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return fmt.Errorf("web: %w: see that the daemon runs there", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer))
	if answer.StatusCode == http.StatusOK && err == nil {
		return nil
	}
	var wrong struct{ Detail string }
	if json.Unmarshal(text, &wrong) != nil || wrong.Detail == "" {
		wrong.Detail = strings.TrimSpace(string(text[:min(len(text), 200)]))
	}
	return errors.Join(fmt.Errorf("web: %s %s: %s: %s", method, c.base.JoinPath("api", "v1", "hold").Redacted(), answer.Status, wrong.Detail), err)
}
