package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	defaultMaxWait  = time.Second
	maxMaxWait      = time.Minute
	defaultMaxBytes = 1 << 20
	maxMaxBytes     = 64 << 20
)

// Config says which cluster and topic, and how to read it. The zero value is
// unusable: Brokers and Topic are required.
type Config struct {
	// Brokers are host:port addresses to ask first; the cluster names the others.
	Brokers []string

	// Topic is the topic that is read.
	Topic string

	// Group is the consumer group to join. Empty with Partitions.
	Group string

	// Partitions, when not empty, are read without a group.
	Partitions []int

	// ReadCommitted leaves out aborted transactions and waits for open ones.
	ReadCommitted bool

	// TLS is nil for connections in the clear.
	TLS *TLS

	// SASL is nil for connections without authentication.
	SASL *SASL

	// MaxWait is how long a broker may hold an answer while there is nothing new,
	// up to a minute. 0 means 1s. The deadline of the connection is another one,
	// so a small value cannot cut a slow answer off.
	MaxWait time.Duration

	// MaxBytes is how much of one partition one answer may carry, up to 64 MiB.
	// 0 means 1 MiB. A single larger batch arrives all the same.
	MaxBytes int

	// Dial, unless nil, replaces the TCP dialer, for a broker in memory. TLS and SASL
	// come on top of it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Changed, unless nil, is told of the first trouble in reaching what Fetch and
	// Join need, and with nil when all of it is over. A single failure that the
	// next try mends is not told. It is called from inside the package, one call
	// at a time: it must not block and must not call the Client.
	Changed func(error)
}

// TLS names the files of a TLS connection. The zero value trusts the system's
// authorities and shows no certificate.
type TLS struct {
	// CA is a PEM file of authorities to trust instead of the system's.
	CA string

	// Cert and Key are PEM files of the certificate to show; both or neither.
	Cert, Key string

	// ServerName replaces the broker's host name when its certificate is checked.
	ServerName string
}

// SASL is a user, a password and how they are shown.
type SASL struct {
	// Mechanism is plain, scram-sha-256 or scram-sha-512.
	Mechanism string

	User     string
	Password Secret
}

// validated returns the configuration with its defaults, or every fault in it.
func (c Config) validated() (Config, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }

	if len(c.Brokers) == 0 {
		fault("brokers: none; give at least one host:port")
	}
	for _, broker := range c.Brokers {
		if _, _, err := net.SplitHostPort(broker); err != nil {
			fault("brokers: %q is not host:port: %w", broker, err)
		}
	}
	if c.Topic == "" {
		fault("topic: empty; name the topic to read")
	}
	if c.Group != "" && len(c.Partitions) > 0 {
		fault("group %q and partitions %v: both set; keep one", c.Group, c.Partitions)
	}
	seen := map[int]bool{}
	for _, partition := range c.Partitions {
		if partition < 0 || seen[partition] {
			fault("partitions: %d is negative or named twice", partition)
		}
		seen[partition] = true
	}
	if c.MaxWait == 0 {
		c.MaxWait = defaultMaxWait
	}
	if c.MaxWait < time.Millisecond || c.MaxWait > maxMaxWait {
		fault("max wait: %v is not within 1ms and %v", c.MaxWait, maxMaxWait)
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.MaxBytes < 1 || c.MaxBytes > maxMaxBytes {
		fault("max bytes: %d is not within 1 and %d", c.MaxBytes, maxMaxBytes)
	}
	return c, errors.Join(faults...)
}
