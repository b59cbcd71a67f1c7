package kafka

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestSecretIsNotTold: no way to print, log or encode a configuration tells the
// password in it.
func TestSecretIsNotTold(t *testing.T) {
	const password = "hunter2"
	c := Config{Brokers: []string{"b:1"}, Topic: "t", SASL: &SASL{Mechanism: "plain", User: "anna", Password: NewSecret(password)}}
	var told []string
	for _, what := range []any{c, &c, c.SASL, *c.SASL, c.SASL.Password, &c.SASL.Password, []any{c.SASL.Password}, map[string]Secret{"p": NewSecret(password)}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "% x", "%10s"} {
			told = append(told, fmt.Sprintf(verb, what))
		}
		b, err := json.Marshal(what)
		if err != nil && !errors.As(err, new(*json.UnsupportedTypeError)) { // Config has functions
			t.Fatal(err)
		}
		told = append(told, string(b), fmt.Sprint(what), fmt.Sprintln(what), fmt.Errorf("broken: %w, %v", errors.New("x"), what).Error())
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "what", what)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "what", what)
		told = append(told, log.String())
	}
	hex := fmt.Sprintf("%x", password)
	for _, text := range told {
		if low := strings.ToLower(text); strings.Contains(low, password) || strings.Contains(low, hex) {
			t.Errorf("told: %s", text)
		}
	}
	if b, err := json.Marshal(c.SASL); err != nil || !strings.Contains(string(b), redacted) {
		t.Errorf("%s, %v", b, err)
	}
	if !NewSecret("a").Equal(NewSecret("a")) || NewSecret("a").Equal(NewSecret("b")) || (Secret{}).Equal(NewSecret("b")) {
		t.Error("secrets are not compared by their text")
	}
	m, err := c.SASL.mechanism()
	if err != nil {
		t.Fatal(err)
	}
	if _, first, err := m.Start(t.Context()); err != nil || !bytes.Contains(first, []byte(password)) {
		t.Errorf("the broker is told %q, %v", first, err)
	}
}
