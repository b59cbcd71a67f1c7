package kafka

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that is told to brokers and to nobody else: printed, logged or
// encoded it is the word (secret), however that is done. The text lies behind a
// pointer because fmt asks no method where a verb is wrong.
type Secret struct{ text *string }

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{&text} }

// reveal is the text.
func (s Secret) reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal tells whether two secrets are the same text.
func (s Secret) Equal(other Secret) bool { return s.reveal() == other.reveal() }

// redacted stands for every secret, an empty one too.
const redacted = "(secret)"

// Format prints no secret, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// String is not the secret.
func (Secret) String() string { return redacted }

// MarshalText does not write the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue does not log the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
