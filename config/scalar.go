package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// scalar is one value as the file writes it, with its references replaced.
type scalar struct {
	text   string
	raw    string // as it stands in the file
	hidden bool   // it stands in no message
	tag    string // what the file says it is; "" when it came through a reference
	plain  bool   // without quotes, or through a reference
}

// scalar reads a single value. ok is false when there is none, which was said
// unless the file has nothing here at all.
func (n node) scalar(write string) (s scalar, ok bool) {
	switch {
	case !n.given():
		return s, false
	case n.null():
		n.fault("empty; write %s, or remove the key", write)
		return s, false
	case n.value.Kind != yaml.ScalarNode:
		n.fault("%s; write %s", n.kind(), write)
		return s, false
	}
	text, hidden, ok := n.expand(n.value.Value)
	s = scalar{text: text, raw: n.value.Value, hidden: hidden || n.secret, tag: n.value.ShortTag()}
	s.plain = n.value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if hidden {
		s.text, s.tag, s.plain = strings.TrimSpace(text), "", true
		if n.secret {
			s.text = text
		}
	}
	if s.hidden {
		n.r.hidden = append(n.r.hidden, s.text)
	}
	return s, ok
}

// shown is the value for a message: the value itself, or why it is not there.
func (s scalar) shown() string {
	if s.hidden {
		return "the value (not shown)"
	}
	if len(s.text) > 80 || !s.plain || s.tag == "!!str" {
		return strconv.Quote(shorten(s.text))
	}
	return s.text
}

func shorten(text string) string {
	if len(text) <= 80 {
		return text
	}
	return strings.ToValidUTF8(text[:77], "") + "..."
}

// text is a text; usual stands for one that is not given.
func (n node) text(usual string) string {
	s, ok := n.scalar("a text")
	switch {
	case !ok:
		return usual
	case s.tag != "" && s.tag != "!!str":
		n.fault("%s is %s; write it in quotes to make it a text", s.shown(), n.kind())
		return usual
	}
	return s.text
}

// name is a text that is not empty; fits bounds its bytes.
func (n node) name(most int) string {
	before := len(n.r.faults)
	name := n.text("")
	switch {
	case !n.given() || len(n.r.faults) > before:
	case name == "":
		n.fault("empty; write a name")
	case len(name) > most:
		n.fault("a name of %d bytes, and limits.text allows %d; shorten it", len(name), most)
	}
	return name
}

// oneOf is one of a few words.
func (n node) oneOf(usual string, words ...string) string {
	s, ok := n.scalar("one of " + listed(words))
	if !ok {
		return usual
	}
	if slices.Contains(words, s.text) {
		return s.text
	}
	if s.hidden {
		n.fault("%s is not known; write one of %s", s.shown(), listed(words))
	} else {
		n.fault("%s is not known; %s", s.shown(), suggest(s.text, words))
	}
	return usual
}

// flag is true or false.
func (n node) flag(usual bool) bool {
	s, ok := n.scalar("true or false")
	if !ok {
		return usual
	}
	if s.plain && (s.text == "true" || s.text == "false") {
		return s.text == "true"
	}
	n.fault("%s is no truth value; write true or false", s.shown())
	return usual
}

// whole is an integer in [low, high].
func (n node) whole(usual, low, high int) int {
	s, ok := n.scalar("an integer")
	if !ok {
		return usual
	}
	i, err := strconv.Atoi(strings.ReplaceAll(s.text, "_", ""))
	switch {
	case !s.plain || err != nil:
		n.fault("%s is no integer; write one from %d to %d", s.shown(), low, high)
	case i < low || i > high:
		n.fault("%s is outside %d..%d; write an integer within", s.shown(), low, high)
	default:
		return i
	}
	return usual
}

// number is a finite number; ok is false when there is none.
func (n node) number() (x float64, ok bool) {
	s, ok := n.scalar("a number")
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s.text, "_", ""), 64)
	if !s.plain || err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		n.fault("%s is no finite number; write one", s.shown())
		return 0, false
	}
	return x, true
}

// show is a number as messages have it.
func show(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// shownNumber is a number that the file gives, unless it is hidden.
func (n node) shownNumber(x float64) string { return n.shownText(show(x)) }

// shownText is a text that the file gives, unless it is hidden.
func (n node) shownText(text string) string {
	if n.secret || n.given() && strings.Contains(n.value.Value, "${") {
		return "the value (not shown)"
	}
	return text
}
