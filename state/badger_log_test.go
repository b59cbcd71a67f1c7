package state

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestBadgerLogTellsNoKeys: numbers, words and errors are passed on, and nothing that may
// hold keys or values, of which Badger says some whole.
func TestBadgerLogTellsNoKeys(t *testing.T) {
	var out bytes.Buffer
	b := badgerLog{slog.New(slog.NewTextHandler(&out, nil))}
	id := []byte("marker")
	b.Errorf("Unable to read: Key: %v, Version : %v, meta: %v", id, uint64(7), byte(1))
	b.Warningf("While reading key: %x, got error: %v", id, errors.New("no space"))
	b.Warningf("LOG Compact FAILED: %+v", struct{ Left []byte }{id})
	for _, form := range []string{"marker", "6d61726b6572", "109 97 114"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the log tells a key:\n%s", &out)
		}
	}
	for _, want := range []string{"Version : 7, meta: 1", "no space", "Key: …"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &out)
		}
	}
}
