package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"

	"blipd/event"
)

// Values of state and scores have no type until they arrive. The operators of
// the library then compare a text with a number and find them unequal; here
// that is an error, so that the expression is missing. true and false count as
// 1 and 0 wherever numbers are asked for.
//
// The names of these functions are no identifiers: no expression can call them.
const (
	equalName  = "=="
	inName     = "in"
	numberName = "1/0" // a truth value as a number, all else as it is
	truthName  = "true/false"
)

var errMixed = errors.New("values of different types")

// namesReads puts one identifier, "state.errors", in place of each member.
type namesReads struct{}

func (namesReads) Visit(n *ast.Node) {
	member, ok := (*n).(*ast.MemberNode)
	if !ok {
		return
	}
	property, ok := member.Property.(*ast.StringNode)
	if root, rooted := rootOf(member); ok && rooted {
		ast.Patch(n, &ast.IdentifierNode{Value: root + "." + property.Value})
	}
}

// checksTypes replaces the operators whose operands are not known to fit.
type checksTypes struct{}

func (checksTypes) Visit(n *ast.Node) {
	switch op := (*n).(type) {
	case *ast.UnaryNode:
		if op.Operator == "-" || op.Operator == "+" {
			op.Node = wrapped(op.Node, numberName, reflect.Bool)
		}
	case *ast.BinaryNode:
		switch op.Operator {
		case "+", "-", "*", "/", "%", "^", "**", "<", "<=", ">", ">=":
			op.Left = wrapped(op.Left, numberName, reflect.Bool)
			op.Right = wrapped(op.Right, numberName, reflect.Bool)
		case "and", "&&", "or", "||":
			op.Left = wrapped(op.Left, truthName)
			op.Right = wrapped(op.Right, truthName)
		case "==", "!=":
			checkEqual(n, op)
		case "in":
			list := op.Right.(*ast.ArrayNode).Nodes
			if slices.ContainsFunc(append(slices.Clone(list), op.Left), func(n ast.Node) bool { return typeOf(n) == reflect.Interface }) {
				ast.Patch(n, call(inName, op.Left, op.Right))
			}
		}
	}
}

// checkEqual replaces == and != unless both sides are known to have one type;
// of those that are known to differ, only truth values and numbers compare.
func checkEqual(n *ast.Node, op *ast.BinaryNode) {
	left, right := op.Left.Type().Kind(), op.Right.Type().Kind() // Interface for every call
	unknown := left == reflect.Interface || right == reflect.Interface
	counted := left == reflect.Bool && isNumeric(right) || isNumeric(left) && right == reflect.Bool
	if !unknown && !counted {
		return
	}
	equal := call(equalName, op.Left, op.Right)
	if op.Operator == "!=" {
		not := &ast.UnaryNode{Operator: "!", Node: equal}
		equal.SetLocation((*n).Location())
		ast.Patch(n, not)
		return
	}
	ast.Patch(n, equal)
}

// wrapped is a call of a function on a node whose type is unknown, or among
// those named; other nodes stay.
func wrapped(n ast.Node, name string, also ...reflect.Kind) ast.Node {
	if t := typeOf(n); t != reflect.Interface && !slices.Contains(also, t) {
		return n
	}
	w := call(name, n)
	w.SetLocation(n.Location())
	return w
}

func call(name string, arguments ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

func isNumeric(k reflect.Kind) bool { return k == reflect.Int || k == reflect.Float64 }

// typeOf is the type of a node as far as it is known: Interface if it is not.
func typeOf(n ast.Node) reflect.Kind {
	if c, ok := n.(*ast.CallNode); ok {
		switch name, _ := c.Callee.(*ast.IdentifierNode); name.Value {
		case equalName, inName, truthName:
			return reflect.Bool
		case "int":
			return reflect.Int
		case "string":
			return reflect.String
		}
	}
	return n.Type().Kind()
}

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
