package kafka

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	franzsasl "github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanism returns how to authenticate; nil means not at all.
func (s *SASL) mechanism() (sasl.Mechanism, error) {
	if s == nil {
		return nil, nil
	}
	if s.User == "" || s.Password.reveal() == "" {
		return nil, fmt.Errorf("sasl %s: user or password is empty", s.Mechanism)
	}
	auth := scram.Auth{User: s.User, Pass: s.Password.reveal()}
	switch s.Mechanism {
	case "plain":
		return plain.Mechanism{Username: s.User, Password: s.Password.reveal()}, nil
	case "scram-sha-256":
		return scramMechanism{auth.AsSha256Mechanism()}, nil
	case "scram-sha-512":
		return scramMechanism{auth.AsSha512Mechanism()}, nil
	default:
		return nil, fmt.Errorf("sasl mechanism %q is unknown; use plain, scram-sha-256 or scram-sha-512", s.Mechanism)
	}
}

// scramMechanism shows franz-go's SCRAM to kafka-go, whose own needs one more module.
type scramMechanism struct{ franzsasl.Mechanism }

func (m scramMechanism) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	session, first, err := m.Authenticate(ctx, "")
	return scramSession{session}, first, err
}

type scramSession struct{ franzsasl.Session }

func (s scramSession) Next(_ context.Context, challenge []byte) (bool, []byte, error) {
	return s.Challenge(challenge)
}
