package config

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blipd/web"
)

// TestWebFile: what a web configuration file has is known beside its path.
func TestWebFile(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Close()
	shown := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(shown.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("server.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: shown.Certificate[0]}))
	write("server.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	const tls = "tls_server_config: {cert_file: server.crt, key_file: server.key}\n"
	const users = "basic_auth_users: {anna: $2y$10$jo/X2V13TXCC/f3bltt4buBjvj2pSuyWAsU.Sc5d1SLS8ZkTfapEC}\n"
	for _, c := range []struct {
		text       string
		tls, users bool
	}{
		{"", false, false},
		{tls, true, false},
		{users, false, true},
		{tls + users, true, true},
		{"tls_server_config: {min_version: TLS13}\nbasic_auth_users: {}\n", false, false},
	} {
		path := write("web.yaml", []byte(c.text))
		want := web.Config{Listen: defaultListen, GroupsPerDimension: 50, File: path, TLS: c.tls, Users: c.users}
		config, err := Parse("f", []byte("web: {config_file: "+path+"}\n"+minimal), nil, os.ReadFile)
		if err != nil || config.Web != want {
			t.Errorf("%q: %+v, %v", c.text, config, err)
			continue
		}
		config.Web = web.Config{Listen: defaultListen, File: "another", TLS: true, Users: true}
		want.GroupsPerDimension = 0
		if err := WebFile(config, path, os.ReadFile); err != nil || config.Web != want {
			t.Errorf("%q by a flag: %+v, %v", c.text, config.Web, err)
		}
		if want = (web.Config{Listen: defaultListen}); WebFile(config, "", os.ReadFile) != nil || config.Web != want {
			t.Errorf("none by a flag: %+v", config.Web)
		}
	}
	wrong := write("wrong.yaml", []byte(strings.Replace(users, "$2y$", "hunter2", 1)))
	_, err = Parse("f", []byte("web: {config_file: "+wrong+"}\n"+minimal), nil, os.ReadFile)
	if err == nil || !strings.Contains(err.Error(), "web.config_file") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a password that is not hashed: %v", err)
	}
}
