package config

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
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
