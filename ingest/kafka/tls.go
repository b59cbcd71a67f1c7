package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// The first bytes of a TLS alert: what a TLS listener says to a client without.
const (
	tlsAlert = 0x15
	tlsMajor = 0x03
)

// load reads the files; nil means no TLS.
func (t *TLS) load() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	var faults []error
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		config.RootCAs = x509.NewCertPool()
		if err != nil {
			faults = append(faults, fmt.Errorf("tls ca: %w", err))
		} else if !config.RootCAs.AppendCertsFromPEM(pem) {
			faults = append(faults, fmt.Errorf("tls ca: %s holds no PEM certificate", t.CA))
		}
	}
	switch {
	case (t.Cert == "") != (t.Key == ""):
		faults = append(faults, fmt.Errorf("tls cert %q and key %q: give both or neither", t.Cert, t.Key))
	case t.Cert != "":
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			faults = append(faults, fmt.Errorf("tls cert %s, key %s: %w", t.Cert, t.Key, err))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, errors.Join(faults...)
}

// secure shakes hands; the name to check is the one that was dialled unless
// another is configured.
func (n *network) secure(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	config := n.tls
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			conn.Close()
			return nil, fmt.Errorf("tls with %s: %w", address, err)
		}
		config = config.Clone()
		config.ServerName = host
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("tls with %s: %w", address, advised(err))
	}
	return secured, nil
}
