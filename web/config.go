package web

// Config says where the pages are served, to whom, and how much of them. A zero
// field takes its default.
type Config struct {
	Listen             string // host:port. Default 127.0.0.1:9464
	GroupsPerDimension int    // groups of one dimension that metrics carry, the largest first. Default 50

	// File is the path of a web configuration file as Prometheus and its exporters
	// have it: TLS, who may ask, and how often. It is read again for each request and
	// connection. Default "": in the clear, for everyone who reaches Listen.
	File  string
	TLS   bool // File has a certificate
	Users bool // File has passwords

	// DebugListen is host:port of what pprof serves; the host is a loopback address
	// or localhost. Default "": nowhere.
	DebugListen string
}

// The defaults of Config.
const (
	DefaultListen             = "127.0.0.1:9464"
	DefaultGroupsPerDimension = 50
)

func (c Config) orDefaults() Config {
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.GroupsPerDimension <= 0 {
		c.GroupsPerDimension = DefaultGroupsPerDimension
	}
	return c
}

// Scheme is http or https.
func (c Config) Scheme() string {
	if c.TLS {
		return "https"
	}
	return "http"
}
