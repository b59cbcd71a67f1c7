package event

import (
	"slices"
	"strconv"
)

// walk reads one record. The first fault stands: after it every getter answers
// with a zero value, so that the order of the getters is the order of checks.
type walk struct {
	limits Limits
	fault  *Fault

	said    map[string]bool // places whose fault was found before; see Explain
	unknown []string        // members that are ignored, where they are asked for
}

func (w *walk) refuse(r Reason, format string, args ...any) {
	if w.fault != nil {
		return
	}
	f := Faultf(r, format, args...)
	if w.said == nil || !w.said[f.place()] {
		w.fault = f
	}
}

// object is a JSON object on the walk, and the path to it.
type object struct {
	*walk
	path    string // "" or ends in a dot
	known   []string
	members []member
}

// open looks at an object whose known members are these. A name that differs
// from one of them only in case is refused: it is meant, and would be ignored.
func (w *walk) open(path string, members []member, known []string) object {
	o := object{walk: w, path: path, known: known, members: members}
	for i := range members {
		if w.fault != nil {
			break
		}
		if name, ok := differsInCase(members[i].name, known); ok {
			w.refuse(MisspeltMember, "%s differs only in case from %s; send %s", o.at(members[i].name), o.at(name), plain(name))
		}
	}
	return o
}

// list notes the members of an event that are ignored; see Explain.
func (o object) list() object {
	for i := range o.members {
		name := o.members[i].name
		if _, meant := differsInCase(name, o.known); o.said != nil && !meant && !slices.Contains(o.known, name) {
			o.unknown = append(o.unknown, o.at(name))
		}
	}
	return o
}

// at is the path of a member.
func (o object) at(name string) string { return o.path + plain(name) }

// find is what stands under a name, or nil.
func (o object) find(name string) *node {
	for i := range o.members {
		if o.members[i].name == name {
			return &o.members[i].node
		}
	}
	return nil
}

// get is what stands under a known name, or nil. null is no way to leave a
// known member out.
func (o object) get(name string) *node {
	if o.fault != nil {
		return nil
	}
	n := o.find(name)
	if n != nil && n.kind == kindNull {
		o.refuse(WrongType, "%s is null; send a value, or leave the member out", o.at(name))
		return nil
	}
	return n
}

// need refuses an event that leaves a required member out, and says what to
// send there. A typing error in the name is shown where there is one.
func (o object) need(name, send string) *node {
	n := o.find(name)
	switch {
	case o.fault != nil:
		return nil
	case n != nil && n.kind == kindNull:
		o.refuse(WrongType, "%s is null; send %s", o.at(name), send)
		return nil
	case n != nil:
		return n
	}
	var unknown []string
	for i := range o.members {
		if len(unknown) < maxSearched && !slices.Contains(o.known, o.members[i].name) {
			unknown = append(unknown, shorten(o.members[i].name))
		}
	}
	if near, ok := nearest(name, unknown); ok {
		o.refuse(MissingMember, "%s is missing, and %s is not a known member; send %s", o.at(name), o.at(near), send)
	}
	o.refuse(MissingMember, "%s is missing; send %s", o.at(name), send)
	return nil
}

// maxSearched bounds the unknown names in which a typing error is looked for.
const maxSearched = 50

// object is an optional object with these known members; without any, its
// names are the producer's. One that is left out has no members.
func (o object) object(name string, known ...string) object {
	return o.asObject(name, o.get(name), known)
}

func (o object) asObject(name string, n *node, known []string) object {
	switch {
	case n == nil:
		return object{walk: o.walk}
	case n.kind != kindObject && len(known) > 0:
		o.wrong(name, n, "an object", "send {"+strconv.Quote(known[0])+": …}")
		return object{walk: o.walk}
	case n.kind != kindObject:
		o.wrong(name, n, "an object", "send {name: value, …}")
		return object{walk: o.walk}
	}
	in := o.open(o.at(name)+".", n.members, known)
	if len(known) > 0 {
		in.list()
	}
	return in
}

func (o object) wrong(name string, n *node, want, hint string) {
	o.refuse(WrongType, "%s is %s, not %s; %s", o.at(name), n.describe(), want, hint)
}
