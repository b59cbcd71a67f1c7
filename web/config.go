package web

// Config says where the pages are served and how much of them. A zero field
// takes its default.
type Config struct {
	Listen             string // host:port. Default 127.0.0.1:9464
	GroupsPerDimension int    // groups of one dimension that metrics carry, the largest first. Default 50
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
