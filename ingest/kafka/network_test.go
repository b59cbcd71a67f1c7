package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// certificate makes an authority that is its own server, for one host name.
func certificate(t *testing.T, host string) (server tls.Certificate, ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, ca
}

func TestTLSAndSASL(t *testing.T) {
	server, ca := certificate(t, "kafka.example")
	for method, mechanism := range map[string]string{
		"PLAIN": "plain", "SCRAM-SHA-256": "scram-sha-256", "SCRAM-SHA-512": "scram-sha-512",
	} {
		t.Run(mechanism, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser(method, "blip", "secret"),
				kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server}}))
			secure := func(c *Config) {
				c.Group = "readers"
				c.TLS = &TLS{CA: ca, ServerName: "kafka.example"}
				c.SASL = &SASL{Mechanism: mechanism, User: "blip", Password: NewSecret("secret")}
			}
			c := client(t, broker, secure)
			if err := c.Produce(t.Context(), topic, []Message{{Value: []byte("v")}}); err != nil {
				t.Fatal(err)
			}
			s, _ := fetch(t, c, map[int]int64{0: 0})
			reaches(t, s, 0, 1)
			m := join(t, client(t, broker, secure), 1)
			owning(t, "the group is joined", 1, m)

			var told changes
			wrong := client(t, broker, secure, func(c *Config) { c.SASL.Password, c.Changed = NewSecret("wrong"), told.add })
			fetch(t, wrong, map[int]int64{0: 0})
			eventually(t, "the wrong password is told", func() bool { return len(told.all()) == 1 })
			if text := told.all()[0].Error(); !strings.Contains(text, "check sasl user and password") {
				t.Errorf("told %q", text)
			}
		})
	}
}

func TestTLSFaults(t *testing.T) {
	server, ca := certificate(t, "kafka.example")
	broker := cluster(t, kfake.SeedTopics(1, topic), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server}}))
	for name, test := range map[string]struct {
		tls  *TLS
		says string
	}{
		"unknown authority": {&TLS{ServerName: "kafka.example"}, "check tls ca"},
		"other name":        {&TLS{CA: ca, ServerName: "other.example"}, "check tls server_name"},
		"in the clear":      {nil, "whether it expects tls"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client(t, broker, func(c *Config) { c.TLS = test.tls }).Partitions(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("partitions returned %v", err)
			}
		})
	}
}

// talker is a peer that says one thing to everybody and then nothing.
func talker(t *testing.T, says string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				io.WriteString(conn, says)
				io.Copy(io.Discard, conn)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); conns.Wait() })
	return listener.Addr().String()
}

// TestNoBroker: lengths that kafka-go would panic on, or reserve, end the connection.
func TestNoBroker(t *testing.T) {
	for name, says := range map[string]string{
		"http": "HTTP/1.1 400 Bad Request\r\n\r\n", "tls": "\x15\x03\x01\x00\x02\x02\x46", "negative": "\xff\xff\xff\xff", "small": "\x00\x00\x00\x03abc",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(Config{Brokers: []string{talker(t, says)}, Topic: topic})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Partitions(t.Context())
			if err == nil || !strings.Contains(err.Error(), "no kafka broker") && !strings.Contains(err.Error(), "configure tls") {
				t.Errorf("partitions returned %v", err)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	stream := []byte("\x00\x00\x00\x05hello\x00\x00\x00\x04four\x00\x00\x01\x00" + strings.Repeat("x", 256))
	for size := 1; size < len(stream); size++ {
		f := &frameConn{}
		for at := 0; at < len(stream); at += size {
			if err := f.follow(stream[at:min(at+size, len(stream))]); err != nil {
				t.Fatalf("pieces of %d: %v", size, err)
			}
		}
		if f.left != 0 || f.have != 0 {
			t.Fatalf("pieces of %d: %d bytes left, %d of a length", size, f.left, f.have)
		}
	}
}

// unreachable is a client of a port where nobody listens.
func unreachable(t *testing.T, change ...func(*Config)) *Client {
	t.Helper()
	broker := cluster(t)
	c := client(t, broker, change...)
	broker.Close()
	return c
}

func TestFetchUnreachable(t *testing.T) {
	var told changes
	_, stop := fetch(t, unreachable(t, func(c *Config) { c.Changed = told.add }), map[int]int64{0: 0})
	eventually(t, "it is told", func() bool { return len(told.all()) > 0 })
	time.Sleep(100 * time.Millisecond)
	stop()
	if all := told.all(); len(all) != 1 || all[0] == nil {
		t.Errorf("told %v", all)
	}
}

// TestCloseCutsOff: a broker that holds an answer for ever keeps nobody.
func TestCloseCutsOff(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	held := make(chan struct{})
	broker.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		select {
		case <-held:
		default:
			close(held)
		}
		return nil, nil, true // no answer
	})
	c := client(t, broker)
	_, stop := fetch(t, c, map[int]int64{0: 0})
	<-held
	began := time.Now()
	stop()
	c.Close()
	if took := time.Since(began); took > time.Second {
		t.Errorf("stopping took %v", took)
	}
	if _, err := c.Partitions(t.Context()); err == nil {
		t.Error("a closed client answered")
	}
}
