package event

import "strings"

// envelope is what the three forms of an event have in common.
type envelope struct {
	typ  Type
	body object // the members of the event

	attributes object // where a form has a time beside the members
	time       string // its name there, or "" where the form has none
}

// The names that the forms read outside of an event's own members.
var (
	bareNames       = []string{"type", "specversion"}
	headerNames     = []string{"content-type", "ce_specversion", "ce_type", "ce_time", "ce_datacontenttype", "ce_id", "ce_source", "ce_subject"}
	structuredNames = []string{"specversion", "type", "time", "datacontenttype", "data", "data_base64"}
)

// knownNames are the members of the types. A name that is not here is ignored.
var knownNames = [...][]string{
	TypeDecision: {"trajectory_id", "time", "index", "decision_id", "experiment", "agent", "action", "state",
		"eligible", "assignment", "treatment", "probability", "scores"},
	TypeIntervention: {"trajectory_id", "decision_id", "index", "delivered", "verdict", "reviewer", "cost"},
	TypeOutcome:      {"trajectory_id", "time", "experiment", "outcomes", "revision", "final", "source"},
	TypeEnd:          {"trajectory_id", "time", "experiment", "decisions", "reason"},
	TypeExclude:      {"trajectory_id", "reason"},
}

// headers are the headers that may be part of an event, under their names in
// small letters. Others of the record are its producer's own. They are checked
// before the value, which need not be JSON where they say so.
func (w *walk) headers(headers []Header) object {
	o := object{walk: w, path: "header ", known: headerNames}
	seen := map[string]string{} // a record may have very many
	for _, h := range headers {
		name := strings.ToLower(h.Key)
		if name != "content-type" && !strings.HasPrefix(name, "ce_") {
			continue
		}
		value := string(h.Value)
		before, twice := seen[name]
		switch {
		case !twice:
			seen[name] = value
			o.members = append(o.members, member{name, node{kind: kindText, text: value}})
		case before != value:
			w.refuse(BadEnvelope, "%s is given twice, as %s and as %s; send it once", o.at(name), quote(before), quote(value))
		}
	}
	if !o.structured() && o.binary() {
		o.checkContent("content-type")
		o.checkContent("ce_datacontenttype")
	}
	return o
}

// structured and binary tell what the headers alone make of the record.
func (o object) structured() bool {
	n := o.find("content-type")
	return n != nil && mediaType(n.text) == "application/cloudevents+json"
}

func (o object) binary() bool { return o.find("ce_specversion") != nil }

// unwrap finds the form, the type and the members of the event.
func (w *walk) unwrap(headers object, root node) envelope {
	top := object{walk: w, members: root.members}
	switch {
	case w.fault != nil:
		return envelope{}
	case headers.structured() || !headers.binary() && top.find("specversion") != nil:
		return w.unwrapStructured(root)
	case headers.binary():
		return w.unwrapBinary(headers, root)
	}
	o := w.open("", root.members, bareNames)
	t := o.bareType()
	known := append([]string{"type"}, namesOf(t)...)
	return envelope{typ: t, body: w.open("", root.members, known).list()}
}

func (w *walk) unwrapStructured(root node) envelope {
	o := w.open("", root.members, structuredNames)
	o.checkVersion("specversion")
	o.checkContent("datacontenttype")
	if o.find("data_base64") != nil {
		o.refuse(BadEnvelope, "data_base64 is given; send the members as an object under data")
	}
	t := o.cloudType("type")
	data := o.need("data", "an object with the members of the event")
	return envelope{typ: t, body: o.asObject("data", data, namesOf(t)), attributes: o, time: "time"}
}

func (w *walk) unwrapBinary(headers object, root node) envelope {
	headers.checkVersion("ce_specversion")
	t := headers.cloudType("ce_type")
	return envelope{typ: t, body: w.open("", root.members, namesOf(t)).list(), attributes: headers, time: "ce_time"}
}

func namesOf(t Type) []string { return knownNames[t] }

// when is the time of the event, which a CloudEvents attribute may give where
// the members do not.
func (e *envelope) when() Time {
	if e.time != "" && e.body.find("time") == nil {
		if n := e.attributes.get(e.time); n != nil {
			return e.attributes.asTime(e.time, n)
		}
	}
	if n := e.body.need("time", "RFC 3339, for example "+exampleTime); n != nil {
		return e.body.asTime("time", n)
	}
	return NoTime
}

func (o object) checkVersion(name string) {
	switch n := o.find(name); {
	case n == nil:
		o.refuse(BadEnvelope, `%s is missing; send "1.0"`, o.at(name))
	case n.kind != kindText || n.text != "1.0":
		o.refuse(BadEnvelope, `%s is %s; send the text "1.0"`, o.at(name), n.describe())
	}
}

// checkContent refuses data that is not JSON. CloudEvents count as JSON what
// has the subtype json or a subtype that ends in +json; none given is JSON.
func (o object) checkContent(name string) {
	s := o.text(name)
	if s == "" {
		return
	}
	_, subtype, _ := strings.Cut(mediaType(s), "/")
	if subtype != "json" && !strings.HasSuffix(subtype, "+json") {
		o.refuse(BadEnvelope, "%s is %s; send application/json, and JSON under it", o.at(name), quote(s))
	}
}

// mediaType is a content type in small letters and without its parameters.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// The types as the forms name them.
const (
	cloudPrefix = "blipd."
	cloudSuffix = ".v1"
)

var (
	bareTypes  = typeNames[TypeDecision:]
	cloudTypes = cloudTypeNames()
)

func cloudTypeNames() []string {
	names := make([]string, len(bareTypes))
	for i, name := range bareTypes {
		names[i] = cloudPrefix + name + cloudSuffix
	}
	return names
}

// typeAt is the type at a place in the lists above.
func typeAt(i int) Type { return TypeDecision + Type(i) }

// typeText is the name of a type; what is no text gets the list of them.
func (o object) typeText(name string, types []string) string {
	send := "one of " + list(types)
	if n := o.need(name, send); n != nil && n.kind != kindText {
		o.wrong(name, n, "a text", "send "+send)
	}
	return o.needText(name, send)
}

func (o object) bareType() Type {
	s := o.typeText("type", bareTypes)
	for i, name := range bareTypes {
		switch s {
		case name:
			return typeAt(i)
		case cloudTypes[i]:
			o.refuse(UnknownType, `type is %s, a type of CloudEvents; send %s, or specversion "1.0" and the members under data`,
				quote(s), quote(name))
		}
	}
	o.refuse(UnknownType, "type is %s; %s", quote(s), instead(s, bareTypes))
	return 0
}

func (o object) cloudType(name string) Type {
	s := o.typeText(name, cloudTypes)
	for i, bare := range bareTypes {
		version, ok := strings.CutPrefix(s, cloudPrefix+bare+".")
		switch {
		case s == cloudTypes[i]:
			return typeAt(i)
		case s == bare:
			o.refuse(UnknownType, "%s is %s, a type for events without envelope; send %s", o.at(name), quote(s), quote(cloudTypes[i]))
		case ok:
			o.refuse(UnknownVersion, "%s is %s, and the version %s is not known; send %s", o.at(name), quote(s), quote(version), quote(cloudTypes[i]))
		}
	}
	o.refuse(UnknownType, "%s is %s; %s", o.at(name), quote(s), instead(s, cloudTypes))
	return 0
}
