package event

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The kinds of nodes, as jsontext names them.
const (
	kindNull   = jsontext.Kind('n')
	kindFalse  = jsontext.Kind('f')
	kindTrue   = jsontext.Kind('t')
	kindText   = jsontext.Kind('"')
	kindNumber = jsontext.Kind('0')
	kindObject = jsontext.Kind('{')
	kindList   = jsontext.Kind('[')
)

// node is one JSON value. It shares no memory with the bytes it was read from.
type node struct {
	kind    jsontext.Kind
	text    string   // the text itself, or a number as it was written
	members []member // of an object, in the order of the document
	items   []node   // of a list
}

// member is one name in an object and what stands under it.
type member struct {
	name string
	node node
}

const byteOrderMark = "\xef\xbb\xbf"

// parse reads a value that must be exactly one JSON object, after a byte order
// mark or not, with white space around it and nothing else. jsontext refuses
// duplicate names and invalid UTF-8 at any depth, and nesting beyond 10 000.
func (w *walk) parse(value []byte) node {
	if w.fault != nil {
		return node{}
	}
	text := bytes.TrimPrefix(value, []byte(byteOrderMark))
	skipped := int64(len(value) - len(text))
	root, offset, err := parse(text)
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		w.refuse(Malformed, "the value is empty; send one JSON object")
	case err == errTrailing:
		w.refuse(Malformed, "byte %d: something stands behind the object; send one JSON object a record", skipped+offset)
	case errors.As(err, &syntax):
		w.refuseSyntax(text, skipped, syntax)
	case err != nil:
		w.refuse(Malformed, "%v; send one JSON object", err)
	case root.kind != kindObject:
		w.refuse(Malformed, "the value is %s; send one JSON object a record", root.describe())
	}
	return root
}

var errTrailing = errors.New("trailing bytes")

// parse also gives the offset behind the first value.
func parse(text []byte, options ...jsontext.Options) (node, int64, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), options...)
	root, err := readNode(dec)
	end := dec.InputOffset()
	if err != nil {
		return node{}, end, err
	}
	switch _, err := dec.ReadToken(); err {
	case io.EOF:
		return root, end, nil
	default: // another value, or what is none
		return root, end, errTrailing
	}
}

func readNode(dec *jsontext.Decoder) (node, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: token.Kind()}
	switch n.kind {
	case kindText, kindNumber:
		n.text = token.String()
	case kindObject:
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return node{}, err
			}
			m := member{name: name.String()}
			if m.node, err = readNode(dec); err != nil {
				return node{}, err
			}
			n.members = append(n.members, m)
		}
		_, err = dec.ReadToken()
	case kindList:
		for dec.PeekKind() != ']' {
			item, err := readNode(dec)
			if err != nil {
				return node{}, err
			}
			n.items = append(n.items, item)
		}
		_, err = dec.ReadToken()
	}
	return n, err
}

// refuseSyntax puts an error of jsontext among the reasons. It has no name for
// invalid UTF-8 and lone surrogates; they are those errors that go away, or
// give way to a later one, when they are allowed.
func (w *walk) refuseSyntax(text []byte, skipped int64, err *jsontext.SyntacticError) {
	where := dotted(err.JSONPointer)
	at := skipped + err.ByteOffset
	if err.Err == jsontext.ErrDuplicateName {
		w.refuse(DuplicateMember, "%s stands twice in one object; send it once", where)
		return
	}
	_, _, lax := parse(text, jsontext.AllowInvalidUTF8(true))
	var still *jsontext.SyntacticError
	if !errors.As(lax, &still) || still.ByteOffset != err.ByteOffset {
		w.refuse(InvalidUTF8, "byte %d, %s: bytes that are no UTF-8, or half of a surrogate pair; send UTF-8", at, where)
		return
	}
	w.refuse(Malformed, "byte %d, %s: %v; send one JSON object", at, where, err.Err)
}

// dotted is a JSON pointer as faults name members: action.calls.0.tool.
func dotted(p jsontext.Pointer) string {
	if p == "" {
		return "at the top"
	}
	var parts []string
	for name := range p.Tokens() {
		if len(parts) == maxShownDepth {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, plain(name))
	}
	return strings.Join(parts, ".")
}

// maxShownDepth bounds the path in a fault; the deepest known member has four.
const maxShownDepth = 8
