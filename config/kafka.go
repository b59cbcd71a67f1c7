package config

import (
	"math"
	"net"
	"slices"

	"blipd/daemon"
	"blipd/ingest/kafka"
)

const (
	defaultBroker = "localhost:9092"
	defaultTopic  = "blipd.events"
	defaultGroup  = "blipd"
)

// readKafka reads the section kafka: which cluster and topic, and how.
func readKafka(n node) kafka.Config {
	m := n.mapping()
	c := kafka.Config{
		Brokers:       readBrokers(m.get("brokers")),
		Topic:         needText(m.get("topic"), defaultTopic, "the topic to read"),
		Partitions:    readPartitions(m.get("partitions")),
		ReadCommitted: m.get("isolation").oneOf("read_committed", "read_committed", "read_uncommitted") == "read_committed",
		TLS:           readTLS(m.get("tls")),
		SASL:          readSASL(m.get("sasl")),
	}
	group := m.get("group")
	switch {
	case len(c.Partitions) == 0:
		c.Group = needText(group, defaultGroup, "the consumer group to join")
	case group.given():
		if group.text("") != "" {
			group.fault("given beside partitions; keep group to join a group, or partitions to read without one")
		}
	}
	m.done()
	return c
}

// needText is a text that may be left out, but not be empty.
func needText(n node, usual, what string) string {
	text := n.text(usual)
	if text == "" {
		n.fault("empty; write %s, or remove the key for %s", what, usual)
	}
	return text
}

func readBrokers(n node) []string {
	if !n.given() || n.null() {
		return []string{defaultBroker}
	}
	items := n.list()
	if len(items) == 0 && n.value.Kind == seq {
		n.fault("no brokers; write at least one host:port")
	}
	var brokers []string
	for _, item := range items {
		brokers = append(brokers, readAddress(item, defaultBroker))
	}
	return brokers
}

// readAddress is a host:port; usual is one for when there is none.
func readAddress(n node, usual string) string {
	s, ok := n.scalar("host:port")
	if !ok {
		return usual
	}
	if _, port, err := net.SplitHostPort(s.text); err != nil || port == "" {
		n.fault("%s is not host:port; write one such as %s", s.shown(), usual)
		return usual
	}
	return s.text
}

func readPartitions(n node) []int {
	var partitions []int
	seen := map[int]bool{}
	for _, item := range n.list() {
		p := item.whole(-1, 0, math.MaxInt32)
		if p >= 0 && seen[p] {
			item.fault("%s is named twice; keep one", item.shownNumber(float64(p)))
		}
		seen[p] = true
		partitions = append(partitions, p)
	}
	return partitions
}

func readTLS(n node) *kafka.TLS {
	if n.null() {
		n.fault("empty, and a section that is there turns TLS on; write {} to trust the system's authorities, or remove the key")
	}
	m := n.mapping()
	t := &kafka.TLS{
		CA:         m.get("ca").text(""),
		Cert:       m.get("cert").text(""),
		Key:        m.get("key").text(""),
		ServerName: m.get("server_name").text(""),
	}
	if (t.Cert == "") != (t.Key == "") {
		n.fault("cert and key: one without the other; give both, or neither")
	}
	m.done()
	if !n.given() {
		return nil
	}
	return t
}

func readSASL(n node) *kafka.SASL {
	if n.null() {
		n.fault("empty, and a section that is there turns SASL on; give user and password, or remove the key")
	}
	m := n.mapping()
	password := m.get("password")
	password.secret = true
	secret := password.text("")
	s := &kafka.SASL{
		Mechanism: m.get("mechanism").oneOf("scram-sha-512", "plain", "scram-sha-256", "scram-sha-512"),
		User:      m.get("user").text(""),
		Password:  kafka.NewSecret(secret),
	}
	m.done()
	if !n.given() {
		return nil
	}
	if !n.null() && !m.broken {
		m.lacks("user", s.User)
		m.lacks("password", secret)
	}
	return s
}

// lacks notes that what stands under a key is missing or empty, unless another
// fault was told of it.
func (m *mapping) lacks(key, value string) {
	place := m.at(join(m.path, key), m.values[key])
	told := slices.ContainsFunc(m.r.faults, func(f Fault) bool { return f.Path == place.path })
	switch {
	case value != "" || told:
	case place.given():
		place.fault("empty; write it, or remove the section %s", m.path)
	default:
		place.fault("missing; write it, or remove the section %s", m.path)
	}
}

// readOutputs reads the topics that are written. asked names those that the
// file asks for by a name of its own and that this version does not write.
func readOutputs(n node, input string) (out daemon.Outputs, asked []string) {
	m := n.mapping()
	topics := map[string]string{} // topic to key
	topic := func(key, usual string) string {
		place := m.get(key)
		name := place.text(usual)
		switch other, twice := topics[name]; {
		case name == "":
		case name == input:
			place.fault("the topic that kafka.topic reads: what is written would be read again; name another, or \"\" for off")
		case twice:
			place.fault("the same topic as %s; name another, or \"\" for off", other)
		}
		topics[name] = key
		if name != "" && name != usual && key != "dead_letters" {
			asked = append(asked, "outputs."+key+": only dead letters are written by this version")
		}
		return name
	}
	out = daemon.Outputs{
		Effects:     topic("effects", "blipd.effects"),
		Alerts:      topic("alerts", "blipd.alerts"),
		Router:      topic("router", "blipd.router"),
		Impact:      topic("impact", ""),
		DeadLetters: topic("dead_letters", "blipd.rejected"),
	}
	m.done()
	return out, asked
}
