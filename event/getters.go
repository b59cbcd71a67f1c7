package event

import (
	"fmt"
	"strconv"
	"strings"
)

// The getters of one member each. asText and the like read what stands under a
// name that is given; the others look it up, and give zero where it is left out.

// needText is a required text, not empty.
func (o object) needText(name, send string) string {
	n := o.need(name, send)
	if n == nil {
		return ""
	}
	s := o.asText(name, n)
	if s == "" {
		o.refuse(MissingMember, "%s is empty; send %s", o.at(name), send)
	}
	return s
}

// text is an optional text; left out and empty are the same.
func (o object) text(name string) string {
	if n := o.get(name); n != nil {
		return o.asText(name, n)
	}
	return ""
}

func (o object) asText(name string, n *node) string {
	switch n.kind {
	case kindText:
		return o.fitting(name, n.text)
	case kindNumber:
		o.wrong(name, n, "a text", "send it in quotes, "+quote(n.text))
	default:
		o.wrong(name, n, "a text", "send a text")
	}
	return ""
}

// fitting is a text within the limit.
func (o object) fitting(name, s string) string {
	if len(s) <= o.limits.Text {
		return s
	}
	o.refuse(TooLarge, "%s is a text of %d bytes (%s), and limits.text allows %d; send a shorter one",
		o.at(name), len(s), quote(s), o.limits.Text)
	return ""
}

// fits refuses an object that has a name above the limit for texts; it is for
// objects whose names the producer chooses.
func (o object) fits(name string) bool {
	if len(name) > o.limits.Text {
		o.refuse(TooLarge, "%s is a name of %d bytes, and limits.text allows %d; send a shorter one",
			o.at(name), len(name), o.limits.Text)
	}
	return o.fault == nil
}

// amount is an optional finite number.
func (o object) amount(name string) Amount {
	n := o.get(name)
	if n == nil {
		return Amount{}
	}
	x, ok := o.asNumber(name, n)
	if !ok {
		return Amount{}
	}
	return Amount{Given: true, N: x}
}

func (o object) asNumber(name string, n *node) (float64, bool) {
	switch n.kind {
	case kindNumber:
		x, err := strconv.ParseFloat(n.text, 64)
		if x == 0 {
			return 0, true // -0 too, so that equal events have equal bytes
		}
		if err == nil {
			return x, true
		}
		o.refuse(BadNumber, "%s is the number %s, larger than any double; send a finite number", o.at(name), shorten(n.text))
	case kindTrue:
		o.wrong(name, n, "a number", "send 1")
	case kindFalse:
		o.wrong(name, n, "a number", "send 0")
	case kindText:
		if numeral(n.text) {
			o.wrong(name, n, "a number", "send "+shorten(n.text)+" without quotes")
		}
		o.wrong(name, n, "a number", "send a finite number")
	default:
		o.wrong(name, n, "a number", "send a finite number")
	}
	return 0, false
}

// numeral tells whether a text would be a finite JSON number without its quotes.
func numeral(s string) bool {
	n, _, err := parse([]byte(s))
	if err != nil || n.kind != kindNumber || n.text != s {
		return false
	}
	_, err = strconv.ParseFloat(s, 64)
	return err == nil
}

// whole is an optional integer in [low, high], written as one.
func (o object) whole(name string, low, high int) (int, bool) {
	n := o.get(name)
	if n == nil {
		return 0, false
	}
	i, err := strconv.Atoi(n.text)
	if n.kind == kindNumber && err == nil && low <= i && i <= high {
		return i, true
	}
	hint := fmt.Sprintf("send an integer from %d to %d", low, high)
	switch {
	case n.kind == kindText && numeral(n.text):
		o.wrong(name, n, "an integer", "send "+shorten(n.text)+" without quotes")
	case n.kind != kindNumber:
		o.wrong(name, n, "an integer", hint)
	default:
		o.refuse(BadNumber, "%s is the number %s; %s, without fraction or exponent", o.at(name), shorten(n.text), hint)
	}
	return 0, false
}

// maxWhole bounds what counts decisions and revisions.
const maxWhole = 1_000_000_000

// flag is an optional truth value.
func (o object) flag(name string) Flag {
	n := o.get(name)
	if n == nil {
		return Unset
	}
	switch {
	case n.kind == kindTrue:
		return True
	case n.kind == kindFalse:
		return False
	case n.kind == kindText && strings.EqualFold(n.text, "true"):
		o.wrong(name, n, "true or false", "send true without quotes")
	case n.kind == kindText && strings.EqualFold(n.text, "false"):
		o.wrong(name, n, "true or false", "send false without quotes")
	case n.text == "1":
		o.wrong(name, n, "true or false", "send true")
	case n.text == "0":
		o.wrong(name, n, "true or false", "send false")
	default:
		o.wrong(name, n, "true or false", "send true or false")
	}
	return Unset
}
