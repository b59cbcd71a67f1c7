package event

import "strings"

// attributes are the headers that are part of an event, as far as the pass reads
// them; nil is one that is not there.
type attributes struct{ content, version, typ, time, dataContent []byte }

// maxAttributes bounds the headers that may be part of an event.
const maxAttributes = 16

// readAttributes is not ok when a header is there twice, or has a name that is
// no ASCII, or when there are too many: then the Decoder looks at them.
func readAttributes(headers []Header) (a attributes, ok bool) {
	var names [maxAttributes]string
	count := 0
	for i := range headers {
		name := headers[i].Key
		const prefix = "ce_"
		content := strings.EqualFold(name, "content-type")
		if !content && (len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix)) {
			continue
		}
		if count == len(names) || strings.ContainsFunc(name, func(c rune) bool { return c >= 0x80 }) {
			return a, false
		}
		for _, before := range names[:count] {
			if strings.EqualFold(before, name) {
				return a, false
			}
		}
		names[count] = name
		count++
		value := headers[i].Value
		if value == nil {
			value = []byte{}
		}
		switch {
		case content:
			a.content = value
		case strings.EqualFold(name, "ce_specversion"):
			a.version = value
		case strings.EqualFold(name, "ce_type"):
			a.typ = value
		case strings.EqualFold(name, "ce_time"):
			a.time = value
		case strings.EqualFold(name, "ce_datacontenttype"):
			a.dataContent = value
		}
	}
	return a, true
}

// envelope reads the whole value, which begins at i, in any of the three forms.
func (r *Reader) envelope(a *attributes, i int, e *Event) int {
	switch {
	case a.content != nil && mediaType(alias(a.content)) == "application/cloudevents+json": // compared, not kept
		return r.structured(i, e)
	case a.version != nil:
		if e.Type = r.typeOf(a.typ, cloudTypes); string(a.version) != "1.0" || e.Type == 0 ||
			!r.jsonContent(a.content) || !r.jsonContent(a.dataContent) {
			return nowhere
		}
		i = r.body(&r.words.data[e.Type], i, e)
		return r.attributeTime(a.time, i, e)
	}
	var structured bool
	if e.Type, structured = r.form(i); structured {
		return r.structured(i, e)
	}
	if e.Type == 0 {
		return nowhere
	}
	return r.body(&r.words.bare[e.Type], i, e)
}

// form looks ahead for the first member that tells the form: specversion, or a
// type, which is one of a bare event or else of a structured one. The type comes
// first in most events.
func (r *Reader) form(i int) (t Type, structured bool) {
	b := r.value
	i, more := enter(b, i, '{', '}')
	for more {
		end := quoted(b, i)
		if end < 0 {
			break
		}
		name := b[i+1 : end-1]
		i = colon(b, end)
		switch string(name) {
		case "specversion":
			return 0, true
		case "type":
			if end = quoted(b, i); end < 0 {
				return 0, false
			}
			t = r.typeOf(b[i+1:end-1], bareTypes)
			return t, t == 0
		}
		i = r.skip(i, 0)
		i, more = after(b, i, '}')
	}
	return 0, false
}

// typeOf is the type among names, or 0.
func (r *Reader) typeOf(text []byte, names []string) Type {
	for i, name := range names {
		if string(text) == name && len(text) <= r.limits.Text {
			return typeAt(i)
		}
	}
	return 0
}

// jsonContent tells whether a content type is that of JSON, or none.
func (r *Reader) jsonContent(content []byte) bool {
	if len(content) == 0 {
		return true
	}
	_, subtype, _ := strings.Cut(mediaType(alias(content)), "/") // looked at, not kept
	return len(content) <= r.limits.Text && (subtype == "json" || strings.HasSuffix(subtype, "+json"))
}

// The places in structuredNames.
const (
	envelopeVersion = iota
	envelopeType
	envelopeTime
	envelopeContent
	envelopeData
)

// structured reads a CloudEvent. Its data may come before the type; then it is
// read when all else is.
func (r *Reader) structured(i int, e *Event) int {
	b := r.value
	data, time := nowhere, nowhere
	c := r.open()
	i, more := enter(b, i, '{', '}')
	for more {
		var place int
		place, i = r.name(&r.words.envelope, &c, i)
		switch place {
		case envelopeVersion:
			if !at(b, i, `"1.0"`) {
				return nowhere
			}
			i += len(`"1.0"`)
		case envelopeType, envelopeContent:
			i = r.envelopeText(place, i, e)
		case envelopeTime:
			time = i
			i = r.skip(i, 0)
		case envelopeData:
			if e.Type != 0 {
				i = r.body(&r.words.data[e.Type], i, e)
			} else {
				data = i
				i = r.skip(i, 0)
			}
		case stray:
			i = r.skip(i, 0)
		default:
			return nowhere
		}
		i, more = after(b, i, '}')
	}
	r.leave(&c)
	if i < 0 || !c.has(envelopeVersion) || e.Type == 0 || !c.has(envelopeData) {
		return nowhere
	}
	if data >= 0 && r.body(&r.words.data[e.Type], data, e) < 0 {
		return nowhere
	}
	if end := quoted(b, time); end >= 0 {
		return r.attributeTime(b[time+1:end-1], i, e)
	}
	return i
}

// envelopeText reads the type or the content type.
func (r *Reader) envelopeText(place, i int, e *Event) int {
	end := quoted(r.value, i)
	if end < 0 {
		return nowhere
	}
	text := r.value[i+1 : end-1]
	if place == envelopeContent {
		if !r.jsonContent(text) {
			return nowhere
		}
		return end
	}
	if e.Type = r.typeOf(text, cloudTypes); e.Type == 0 {
		return nowhere
	}
	return end
}

// attributeTime takes the time of the envelope where the members have none; an
// intervention has none at all. i is the position behind the event.
func (r *Reader) attributeTime(text []byte, i int, e *Event) int {
	if text == nil || e.Type == TypeIntervention || r.draft.has(memberTime) {
		return i
	}
	t, end := instant(text, 0)
	if end != len(text) || end > r.limits.Text {
		return nowhere
	}
	e.Time = t
	return i
}
