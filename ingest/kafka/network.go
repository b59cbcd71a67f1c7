package kafka

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"
)

// dialTimeout bounds a dial with its TLS handshake and authentication.
const dialTimeout = 10 * time.Second

// keepAlive finds peers that went away without a word while nothing is asked.
const keepAlive = 30 * time.Second

// maxFrame bounds one answer: a fetch of maxRequestBytes and one oversized batch.
const maxFrame = 256 << 20

// network dials, and can cut off everything it dialled. kafka-go leaves readers
// behind when a request is cancelled; closing their connections ends them.
type network struct {
	tls *tls.Config // nil: in the clear
	tcp func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex // guards the fields below
	conns  map[*frameConn]struct{}
	closed bool
}

func (c Config) network(secure *tls.Config) *network {
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: keepAlive}).DialContext
	}
	return &network{tls: secure, tcp: dial, conns: map[*frameConn]struct{}{}}
}

// dial connects to one broker, TLS handshake included.
func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	conn, err := n.tcp(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	if n.tls != nil {
		if conn, err = n.secure(ctx, conn, address); err != nil {
			return nil, err
		}
	}
	framed := &frameConn{Conn: conn, address: address, network: n}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		conn.Close()
		return nil, fmt.Errorf("dial %s: %w", address, net.ErrClosed)
	}
	n.conns[framed] = struct{}{}
	return framed, nil
}

// close cuts every connection off and refuses new ones.
func (n *network) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for conn := range n.conns {
		conn.Conn.Close()
	}
	clear(n.conns)
}

// frameConn checks the length in front of each answer before kafka-go sees it,
// which panics on a negative length and reserves what a large one claims. So a
// peer that is no broker, or one that expects TLS, is named as such.
type frameConn struct {
	net.Conn
	address string
	network *network

	// Invariant: bytes [0, have) of the next length are in head, and left bytes of
	// the current frame are still to come; one of have and left is 0.
	head [4]byte
	have int
	left int
	bad  error // sticky: kafka-go reads on to skip what is left of an answer
}

func (f *frameConn) Close() error {
	f.network.mu.Lock()
	delete(f.network.conns, f)
	f.network.mu.Unlock()
	return f.Conn.Close()
}

func (f *frameConn) Read(b []byte) (int, error) {
	if f.bad != nil {
		return 0, f.bad
	}
	n, err := f.Conn.Read(b)
	if f.bad = f.follow(b[:n]); f.bad != nil {
		return 0, f.bad
	}
	return n, err
}

// follow counts the bytes of a stream of frames and checks each length in it.
func (f *frameConn) follow(b []byte) error {
	for len(b) > 0 {
		if f.left > 0 {
			skip := min(f.left, len(b))
			f.left -= skip
			b = b[skip:]
			continue
		}
		f.head[f.have] = b[0]
		f.have++
		b = b[1:]
		if f.have < len(f.head) {
			continue
		}
		f.have = 0
		size := int32(f.head[0])<<24 | int32(f.head[1])<<16 | int32(f.head[2])<<8 | int32(f.head[3])
		if f.head[0] == tlsAlert && f.head[1] == tlsMajor {
			return fmt.Errorf("%s answered in tls; configure tls", f.address)
		}
		if size < 4 || size > maxFrame {
			return fmt.Errorf("%s sent a frame of %d bytes (% x), not within 4 and %d; it is no kafka broker",
				f.address, size, f.head, maxFrame)
		}
		f.left = int(size)
	}
	return nil
}
