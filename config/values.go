package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"

	"blipd/event"
)

// errMixed makes an expression missing: what it compares or adds does not fit.
var errMixed = errors.New("values of different types")

// operators are the functions that replace operators, and those of the library
// whose answer would depend on the machine or differ from how groups are named.
// They are declared to give any value: of a call whose type it knows, the
// checker does not look at the arguments again, and loses faults in them.
var operators = []expr.Option{
	expr.Function(equalName, func(p ...any) (any, error) { return equal(p[0], p[1]) }, new(func(any, any) any)),
	expr.Function(inName, func(p ...any) (any, error) { return among(p[0], p[1]) }, new(func(any, []any) any)),
	expr.Function(numberName, func(p ...any) (any, error) { return number(p[0]), nil }, new(func(any) any)),
	expr.Function(truthName, func(p ...any) (any, error) {
		if b, ok := p[0].(bool); ok {
			return b, nil
		}
		return nil, errMixed
	}, new(func(any) any)),
	expr.Function("int", func(p ...any) (any, error) { return toInt(p[0]) }, new(func(any) any)),
	expr.Function("string", func(p ...any) (any, error) { return toText(p[0]) }, new(func(any) any)),
}

// number is 1 or 0 for a truth value, and anything else as it is.
func number(x any) any {
	if b, ok := x.(bool); ok {
		if b {
			return 1.0
		}
		return 0.0
	}
	return x
}

// equal compares numbers as numbers (true and false are 1 and 0 beside one),
// texts and truth values as themselves, and nothing with anything else.
func equal(a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	if p, ok := a.(bool); ok {
		if q, ok := b.(bool); ok {
			return p == q, nil
		}
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return s == t, nil
		}
		return false, errMixed
	}
	x, xOK := float(number(a))
	y, yOK := float(number(b))
	if !xOK || !yOK {
		return false, errMixed
	}
	return x == y, nil
}

// among tells whether a list has a value. One of no type in it is an error.
func among(x, list any) (bool, error) {
	fits := false
	items := reflect.ValueOf(list)
	if items.Kind() != reflect.Slice {
		return false, errMixed
	}
	for i := range items.Len() {
		same, err := equal(items.Index(i).Interface(), x)
		if same {
			return true, nil
		}
		fits = fits || err == nil
	}
	if !fits && items.Len() > 0 {
		return false, errMixed
	}
	return false, nil
}

func float(x any) (float64, bool) {
	switch x := x.(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	}
	return 0, false
}

// exact is the size up to which every integer is a double.
const exact = 1 << 53

// toInt is a number without its fraction, or a text read as an integer.
func toInt(x any) (int, error) {
	if s, ok := x.(string); ok {
		return strconv.Atoi(strings.TrimSpace(s))
	}
	f, ok := float(number(x))
	if !ok || !(math.Abs(f) <= exact) {
		return 0, fmt.Errorf("%v is no integer within 2^53", x)
	}
	return int(f), nil
}

// toText is a value as the name of a group would be.
func toText(x any) (string, error) {
	switch x := x.(type) {
	case string:
		return x, nil
	case bool:
		return strconv.FormatBool(x), nil
	}
	f, ok := float(x)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return "", errMixed
	}
	name, _ := event.NumberOf(f).Level()
	return name, nil
}
