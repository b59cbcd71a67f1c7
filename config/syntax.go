package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"blipd/event"
)

// functions are those that expressions may call: pure, and with a result no
// larger than their arguments. There is no clock, no loop, nothing that
// repeats a text, so that an evaluation costs what its expression is long.
var functions = []string{"abs", "ceil", "floor", "round", "int", "float", "string", "len", "max", "min",
	"lower", "upper", "trim", "trimPrefix", "trimSuffix", "split", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf"}

// after are names of what is known only once the coin was drawn.
var after = []string{"assignment", "arm", "probabilities", "probability", "treatment", "draw", "policy",
	"intervention", "interventions", "delivered", "verdict", "reviewer", "cost", "outcome", "outcomes"}

// seen says what there is, for messages.
var seen = strings.Join(append(slices.Clone(roots), builtins...), ", ")

// syntax checks which names and forms an expression uses, and collects what it
// reads: every member it mentions anywhere, be it in a branch not taken.
type syntax struct {
	outcomes []event.OutcomeRule
	reads    []read
	err      error
}

func (s *syntax) refuse(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// check visits a tree from its root, for a root decides what its parts mean.
func (s *syntax) check(n ast.Node) {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
	case *ast.IdentifierNode:
		s.identifier(n.Value)
	case *ast.ChainNode:
		s.check(n.Node)
	case *ast.MemberNode:
		s.member(n)
	case *ast.UnaryNode:
		s.check(n.Node)
	case *ast.BinaryNode:
		s.binary(n)
	case *ast.ConditionalNode:
		s.all(n.Cond, n.Exp1, n.Exp2)
	case *ast.SliceNode:
		s.all(n.Node, n.From, n.To)
	case *ast.ArrayNode:
		s.all(n.Nodes...)
	case *ast.BuiltinNode:
		s.call(n.Name, n.Arguments)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			s.call(name.Value, n.Arguments)
			return
		}
		s.refuse("calls a method, and values have none; call one of %s", strings.Join(functions, ", "))
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		s.refuse("let and ; are not available in expressions; write one expression")
	default:
		s.refuse("maps, predicates and bytes are not available in expressions; use numbers, texts, true, false and lists of them")
	}
}

func (s *syntax) all(nodes ...ast.Node) {
	for _, n := range nodes {
		if n != nil {
			s.check(n)
		}
	}
}

func (s *syntax) identifier(name string) {
	if r, ok := readBuiltin(name); ok {
		s.add(r)
		return
	}
	switch {
	case slices.Contains(roots, name):
		s.refuse("reads %s as a whole; name a member, %s.NAME", name, name)
	case slices.Contains(after, name) || slices.ContainsFunc(s.outcomes, func(o event.OutcomeRule) bool { return o.Name == name }):
		s.refuse("reads %q, which is known only after the draw; use what stood before it: %s", name, seen)
	case slices.Contains(functions, name):
		s.refuse("%s is a function; call it, %s(...)", name, name)
	default:
		s.refuse("unknown name %q; %s", name, suggest(name, append(slices.Clone(roots), builtins...)))
	}
}

func (s *syntax) member(n *ast.MemberNode) {
	root, rooted := rootOf(n)
	property, literal := n.Property.(*ast.StringNode)
	switch {
	case rooted && literal:
		r, known := readMember(root, property.Value)
		if r.from == nil {
			s.refuse("unknown name \"%s.%s\"; %s", root, property.Value, suggest(property.Value, known))
			return
		}
		s.add(r)
	case rooted:
		s.refuse("reads a computed member of %s; name it, %s.NAME", root, root)
	case literal:
		s.all(n.Node)
		s.refuse("%q is asked of a value, and values are numbers, texts, true or false and have no members", property.Value)
	default:
		if inner, ok := unchained(n.Node).(*ast.MemberNode); ok {
			if root, ok := rootOf(inner); ok {
				s.all(n.Node)
				s.refuse("takes one letter out of a member of %s; write a slice, such as [0:1]", root)
			}
		}
		s.all(n.Node, n.Property)
	}
}

// rootOf is the root that a member is asked of.
func rootOf(n *ast.MemberNode) (string, bool) {
	name, ok := unchained(n.Node).(*ast.IdentifierNode)
	if !ok || !slices.Contains(roots, name.Value) {
		return "", false
	}
	return name.Value, true
}

func unchained(n ast.Node) ast.Node {
	for {
		chain, ok := n.(*ast.ChainNode)
		if !ok {
			return n
		}
		n = chain.Node
	}
}

func (s *syntax) binary(n *ast.BinaryNode) {
	s.all(n.Left, n.Right)
	switch n.Operator {
	case "..":
		s.refuse("ranges (..) are not available in expressions; compare with >= and <=")
	case "matches":
		if _, ok := n.Right.(*ast.StringNode); !ok {
			s.refuse("matches needs its pattern as a literal text; write it in quotes")
		}
	case "in":
		if _, ok := n.Right.(*ast.ArrayNode); !ok {
			s.refuse("in needs a list on its right; write [a, b], or contains for a part of a text")
		}
	}
}

func (s *syntax) call(name string, arguments []ast.Node) {
	switch {
	case name == "now":
		s.refuse("now() reads the clock, and an expression must give the same answer whenever it is asked; remove it")
	case !slices.Contains(functions, name):
		s.refuse("unknown function %q; %s", name, suggest(name, functions))
	}
	s.all(arguments...)
}

func (s *syntax) add(r read) {
	if !slices.ContainsFunc(s.reads, func(o read) bool { return o.name == r.name }) {
		s.reads = append(s.reads, r)
	}
}
