package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// reader is one reading of one file: where ${...} leads, and what was found.
type reader struct {
	env      func(string) (string, bool)
	readFile func(string) ([]byte, error)
	faults   []Fault
	hidden   []string        // values that stand in no message
	known    map[string]bool // the keys that were asked for, with [] for every item of a list
}

// node is one place of the file. Where the file has nothing there, value is nil
// and the place is that of the nearest thing around it.
type node struct {
	r            *reader
	value        *yaml.Node
	path         string
	line, column int
	secret       bool // its value stands in no message, wherever it came from
}

// fault notes what is wrong here.
func (n node) fault(format string, args ...any) {
	n.r.faults = append(n.r.faults, Fault{Line: n.line, Column: n.column, Path: n.path, Message: fmt.Sprintf(format, args...)})
}

// given tells whether the file says anything here, be it null.
func (n node) given() bool { return n.value != nil }

// null tells whether the file says null here, or nothing after the colon.
func (n node) null() bool { return n.given() && n.value.ShortTag() == "!!null" }

// at is the place of a child; an alias stands for what it points to.
func (n node) at(path string, value *yaml.Node) node {
	child := node{r: n.r, path: path, line: n.line, column: n.column}
	if value == nil {
		return child
	}
	child.line, child.column = value.Line, value.Column
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	child.value = value
	return child
}

// kind says in words what stands here.
func (n node) kind() string {
	switch n.value.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.value.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "a truth value"
	case "!!int", "!!float":
		return "a number"
	case "!!str":
		return "a text"
	}
	return "a value of another kind"
}

// mapping reads a mapping key by key. What was asked for is known; done refuses
// the rest.
type mapping struct {
	node
	values map[string]*yaml.Node
	keys   []*yaml.Node // in the order of the file
	asked  []string
	broken bool // it is no mapping: that was said, and what it lacks is not
}

// mapping reads the node as a mapping; null and nothing are an empty one.
func (n node) mapping() *mapping {
	m := &mapping{node: n, values: map[string]*yaml.Node{}}
	if !n.given() || n.null() {
		return m
	}
	if n.value.Kind != yaml.MappingNode {
		n.fault("%s; write a mapping, key: value", n.kind())
		m.broken = true
		return m
	}
	for i := 0; i+1 < len(n.value.Content); i += 2 {
		key, value := n.value.Content[i], n.value.Content[i+1]
		place := n.at(n.path, key)
		switch _, twice := m.values[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			place.fault("a key that is no text; write key: value")
		case key.ShortTag() == "!!merge":
			place.fault("merge keys (<<) are not read; write the keys out, or use an alias for a whole value")
		case twice:
			place.path = join(n.path, key.Value)
			place.fault("given twice, first in line %d; keep one", m.line1(key.Value))
		default:
			m.values[key.Value] = value
			m.keys = append(m.keys, key)
		}
	}
	return m
}

// line1 is the line in which a key stands first.
func (m *mapping) line1(name string) int {
	for _, key := range m.keys {
		if key.Value == name {
			return key.Line
		}
	}
	return m.line
}

// plainKey is a key that can stand in a path as it is.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func join(path, key string) string {
	if !plainKey.MatchString(key) {
		key = strconv.Quote(shorten(key))
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// get is what stands under a key, which from now on is known.
func (m *mapping) get(key string) node {
	m.asked = append(m.asked, key)
	path := join(m.path, key)
	m.r.known[anyItem(path)] = true
	return m.at(path, m.values[key])
}

// need is what stands under a key that has no default.
func (m *mapping) need(key, write string) node {
	n := m.get(key)
	if !n.given() && !m.broken {
		n.fault("missing; write %s", write)
	}
	return n
}

// done refuses the keys that nobody asked for.
func (m *mapping) done() {
	for _, key := range m.keys {
		known := false
		for _, asked := range m.asked {
			known = known || asked == key.Value
		}
		if !known {
			m.at(join(m.path, key.Value), key).fault("unknown key; %s", suggest(key.Value, m.asked))
		}
	}
}

// list is the items of a list; null and nothing are an empty one.
func (n node) list() []node {
	if !n.given() || n.null() {
		return nil
	}
	if n.value.Kind != yaml.SequenceNode {
		n.fault("%s; write a list, [a, b] or one - a line", n.kind())
		return nil
	}
	items := make([]node, len(n.value.Content))
	for i, item := range n.value.Content {
		items[i] = n.at(fmt.Sprintf("%s[%d]", n.path, i), item)
	}
	return items
}

// anyItem is a path with [] in place of each [i].
func anyItem(path string) string {
	var b strings.Builder
	inside := false
	for _, c := range path {
		inside = inside && c != ']'
		if !inside {
			b.WriteRune(c)
		}
		inside = inside || c == '['
	}
	return b.String()
}
