package config

import (
	"net"

	"go.yaml.in/yaml/v4"

	"blipd/daemon"
	"blipd/web"
)

const defaultListen = "127.0.0.1:9464"

// readWeb reads the section web: where pages are served, and to whom.
func readWeb(n node) web.Config {
	m := n.mapping()
	c := web.Config{Listen: readAddress(m.get("listen"), defaultListen)}
	file := m.get("config_file")
	readWebFile(&c, file, file.text(""))
	if debug := m.get("debug_listen"); debug.text("") != "" {
		c.DebugListen = readAddress(debug, "127.0.0.1:6060")
		if host, _, err := net.SplitHostPort(c.DebugListen); err == nil && !web.Loopback(host) {
			debug.fault("%s is not on this machine alone, and profiles show what is in memory; write 127.0.0.1:PORT, or \"\" for off", debug.shownText(c.DebugListen))
		}
	}
	m.done()
	return c
}

// readWebFile checks a web configuration file and notes what it has.
func readWebFile(c *web.Config, n node, path string) {
	if path == "" {
		return
	}
	if n.r.readFile == nil {
		n.fault("files cannot be read here; remove the key")
		return
	}
	data, err := n.r.readFile(path)
	if err != nil {
		n.fault("%s: %v; create the file, name another, or \"\" for none", n.shownText(path), reason(err))
		return
	}
	if err := web.CheckFile(path); err != nil {
		n.fault("%s: %v", n.shownText(path), err)
		return
	}
	var has struct {
		TLS   map[string]any `yaml:"tls_server_config"`
		Users map[string]any `yaml:"basic_auth_users"`
	}
	if err := yaml.Unmarshal(data, &has); err != nil {
		n.fault("%s: it is read as YAML 1.1 and not as YAML 1.2; write it so that both read the same", n.shownText(path))
	}
	c.File, c.Users = path, len(has.Users) > 0
	c.TLS = has.TLS["cert"] != nil || has.TLS["cert_file"] != nil
}

// WebFile makes the web configuration file of a configuration another one, as
// a flag does. The error is a *Faults.
func WebFile(c *daemon.Config, path string, readFile func(string) ([]byte, error)) error {
	r := &reader{readFile: readFile}
	c.Web.File, c.Web.TLS, c.Web.Users = "", false, false
	readWebFile(&c.Web, node{r: r}, path)
	if len(r.faults) > 0 {
		return &Faults{Name: "--web.config.file", List: r.faults}
	}
	return nil
}
