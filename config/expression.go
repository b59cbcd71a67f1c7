package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"blipd/estimators"
	"blipd/event"
)

// kind is what an expression gives, or shall give.
type kind string

const (
	anyValue  kind = "a number, a text, true or false"
	aNumber   kind = "a number (true and false count as 1 and 0)"
	anInteger kind = "an integer"
	aText     kind = "a text"
	aBool     kind = "true or false"
)

// vocabulary is what the expressions of one experiment are compiled with.
type vocabulary struct {
	text     int // bytes of a text; a longer one is missing
	outcomes []event.OutcomeRule
}

// longestExpression bounds the bytes of an expression, and so its depth.
const longestExpression = 4096

// expression compiles what stands at a node; ok is false after a fault.
func (v vocabulary) expression(n node, want kind) (x estimators.Expression, ok bool) {
	s, ok := n.scalar("an expression")
	if !ok {
		return x, false
	}
	x, err := v.compile(s.text, want)
	switch {
	case err == nil:
		return x, true
	case s.hidden:
		n.fault("the expression (not shown) does not compile; print it where ${...} leads, and check it")
	default:
		n.fault("%q: %v", shorten(x.Text), err)
	}
	return x, false
}

// compile compiles an expression. Any member that is absent, wherever the
// expression mentions it, makes the whole missing, before anything is
// evaluated: ?? and ?. and a branch not taken do not hide it. So does an
// error, and a value of the wrong type.
//
// Eval is safe for concurrent use and never panics.
func (v vocabulary) compile(text string, want kind) (estimators.Expression, error) {
	x := estimators.Expression{Text: strings.TrimSpace(text)}
	switch {
	case x.Text == "":
		return x, errors.New("is empty; write an expression, such as action.tool")
	case len(x.Text) > longestExpression:
		return x, fmt.Errorf("has %d bytes, and an expression may have %d; shorten it", len(x.Text), longestExpression)
	}
	tree, err := parser.Parse(x.Text)
	if err != nil {
		return x, refused(err)
	}
	s := syntax{outcomes: v.outcomes}
	s.check(tree.Node)
	if s.err != nil {
		return x, s.err
	}
	for _, r := range s.reads {
		x.PerCall = x.PerCall || r.call
	}
	if r, ok := bare(tree.Node, s.reads); ok {
		x.Eval = v.direct(r, want)
		return x, fits(r.typed, want)
	}
	program, err := expr.Compile(x.Text, options(s.reads)...)
	if err != nil {
		return x, refused(err)
	}
	gives, err := result(program.Node())
	if err != nil {
		return x, err
	}
	x.Eval = v.machine(program, s.reads, gives, want)
	return x, fits(gives, want)
}

// options are the compiler's: an environment of exactly what is read, and
// operators that check types. The optimizer stays off: it rewrites `in` over
// lists of integers so that a number that arrives as a double is in none.
func options(reads []read) []expr.Option {
	env := types.Map{}
	for _, r := range reads {
		switch r.typed {
		case aText:
			env[r.name] = types.String
		case aNumber:
			env[r.name] = types.Float64
		case anInteger:
			env[r.name] = types.Int
		default:
			env[r.name] = types.Any
		}
	}
	all := []expr.Option{expr.Env(env), expr.Optimize(false), expr.Patch(namesReads{}), expr.Patch(checksTypes{})}
	return append(all, operators...)
}

// refused is a parser's or compiler's error in one line.
func refused(err error) error {
	if at, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Errorf("at character %d: %s", at.Column+1, strings.Join(strings.Fields(at.Message), " "))
	}
	return fmt.Errorf("does not compile: %s", strings.Join(strings.Fields(err.Error()), " "))
}

// bare is the one thing that an expression reads and gives as it is.
func bare(n ast.Node, reads []read) (read, bool) {
	switch unchained(n).(type) {
	case *ast.MemberNode, *ast.IdentifierNode:
		if member, ok := unchained(n).(*ast.MemberNode); ok {
			if _, rooted := rootOf(member); !rooted {
				return read{}, false
			}
		}
		return reads[0], true
	}
	return read{}, false
}

// result is what a checked tree gives, as far as it is known.
func result(n ast.Node) (kind, error) {
	switch k := typeOf(n); k {
	case reflect.Interface:
		return anyValue, nil
	case reflect.Bool:
		return aBool, nil
	case reflect.Int, reflect.Float64:
		return aNumber, nil
	case reflect.String:
		return aText, nil
	default:
		return anyValue, fmt.Errorf("gives a list; write an expression that gives %s", anyValue)
	}
}

// fits tells whether what an expression is known to give is what is wanted.
func fits(gives, want kind) error {
	wrong := false
	switch want {
	case aNumber:
		wrong = gives == aText
	case aBool:
		wrong = gives != aBool && gives != anyValue
	}
	if wrong {
		return fmt.Errorf("gives %s; write an expression that gives %s", gives, want)
	}
	return nil
}
