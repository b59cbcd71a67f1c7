package kafka

import (
	"strings"
	"testing"
	"time"
)

func TestNewListsEveryFault(t *testing.T) {
	_, err := New(Config{
		Brokers: []string{"nohost"}, Group: "g", Partitions: []int{1, 1, -2},
		MaxWait: time.Hour, MaxBytes: -1,
		TLS:  &TLS{CA: "missing.pem", Cert: "only.pem"},
		SASL: &SASL{Mechanism: "gssapi", User: "u", Password: NewSecret("p")},
	})
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		`"nohost" is not host:port`, "topic: empty", "both set", "1 is negative or named twice", "-2 is negative",
		"max wait: 1h0m0s", "max bytes: -1", "missing.pem", "give both or neither", `"gssapi" is unknown`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func TestNewDialsNothing(t *testing.T) {
	c, err := New(Config{Brokers: []string{"192.0.2.1:9092"}, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	if c.config.MaxWait != time.Second || c.config.MaxBytes != 1<<20 {
		t.Errorf("defaults are %v and %d", c.config.MaxWait, c.config.MaxBytes)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestBackoffDoubles(t *testing.T) {
	var b backoff
	want := []time.Duration{250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000}
	for i, ms := range want {
		b.fail(250 * time.Millisecond)
		if pause := time.Until(b.until).Round(50 * time.Millisecond); pause != ms*time.Millisecond {
			t.Errorf("pause %d is %v, want %v", i, pause, ms*time.Millisecond)
		}
	}
}
