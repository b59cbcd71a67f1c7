package config

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"
)

// reference is what may stand in a scalar value: $${ for a plain ${, and the
// two references. A third form, any other ${, is a fault.
var reference = regexp.MustCompile(`\$\$\{|\$\{env:([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}|\$\{file:([^}]+)\}|\$\{`)

// maxReferenced bounds the bytes of a file that ${file:path} puts into a value.
const maxReferenced = 64 << 10

// expand replaces the references in a scalar. hidden says that there was one:
// the text then stands in no message. ok is false when one leads nowhere.
func (n node) expand(raw string) (text string, hidden, ok bool) {
	if !strings.Contains(raw, "${") {
		return raw, false, true
	}
	ok = true
	text = reference.ReplaceAllStringFunc(raw, func(match string) string {
		part := reference.FindStringSubmatch(match)
		switch {
		case match == "$${":
			return "${"
		case part[1] != "":
			hidden = true
			value, set := n.lookup(part[1])
			n.r.hidden = append(n.r.hidden, value)
			if part[2] != "" && value == "" {
				return part[3]
			}
			if !set {
				n.fault("the environment has no %s; set it, or give a default, ${env:%s:-default}", part[1], part[1])
				ok = false
			}
			return value
		case part[4] != "":
			hidden = true
			value, fine := n.file(part[4])
			n.r.hidden = append(n.r.hidden, value)
			ok = ok && fine
			return value
		}
		n.fault("an unknown ${ reference; write ${env:NAME}, ${env:NAME:-default} or ${file:path}, or $${ for a plain ${")
		ok = false
		return ""
	})
	if ok && !utf8.ValidString(text) {
		n.fault("what ${...} leads to is not UTF-8; give a text")
		ok = false
	}
	return text, hidden, ok
}

func (n node) lookup(name string) (string, bool) {
	if n.r.env == nil {
		return "", false
	}
	return n.r.env(name)
}

// file is the text of a file without its last line break.
func (n node) file(path string) (string, bool) {
	if n.r.readFile == nil {
		n.fault("${file:%s}: files cannot be read here; write the value", path)
		return "", false
	}
	data, err := n.r.readFile(path)
	if err == nil && len(data) > maxReferenced {
		n.fault("${file:%s} has %d bytes, and at most %d fit into a value; name a smaller file", path, len(data), maxReferenced)
		return "", false
	}
	if err != nil {
		n.fault("${file:%s}: %v; create the file, or name another", path, reason(err))
		return "", false
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), true
}

// reason is an error of a file without the path, which stands beside it.
func reason(err error) error {
	if on, ok := errors.AsType[*fs.PathError](err); ok {
		return on.Err
	}
	return err
}
