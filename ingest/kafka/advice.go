package kafka

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/segmentio/kafka-go"
)

// advised adds what an operator can do about an error, where that is known.
func advised(err error) error {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.Is(err, kafka.SASLAuthenticationFailed):
		return fmt.Errorf("%w; check sasl user and password", err)
	case errors.Is(err, kafka.UnsupportedSASLMechanism):
		return fmt.Errorf("%w; the broker offers another sasl mechanism", err)
	case errors.Is(err, kafka.TopicAuthorizationFailed), errors.Is(err, kafka.GroupAuthorizationFailed):
		return fmt.Errorf("%w; grant the user access", err)
	case errors.As(err, &authority):
		return fmt.Errorf("%w; check tls ca", err)
	case errors.As(err, &host):
		return fmt.Errorf("%w; check tls server_name", err)
	}
	return err
}

// advised does the same with what the configuration tells: a broker that expects
// tls or sasl, or dislikes a password, may close the connection without a word.
func (c *Client) advised(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
		return advised(err)
	}
	hint := "see whether it expects sasl"
	if c.config.SASL != nil {
		hint = "check sasl user and password"
	}
	if c.config.TLS == nil {
		hint += " and whether it expects tls"
	}
	return fmt.Errorf("%w: the broker closed the connection; if that lasts, %s", err, hint)
}
