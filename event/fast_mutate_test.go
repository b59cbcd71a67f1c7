package event_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blipd/event"
)

// reordered shuffles the members of a document and of the objects in it.
func reordered(doc string, random *rand.Rand) string {
	all := members(doc)
	for i, m := range all {
		if name, value, ok := strings.Cut(m, `":{`); ok {
			all[i] = name + `":` + reordered("{"+value, random)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return "{" + strings.Join(all, ",") + "}"
}

// pieces are put into documents: numbers, texts, names and structure, right and
// wrong ones.
var pieces = []string{
	"0", "-0", "-0.0", "0.1", "1", "-1", "2", "1.0", "1e0", "1E+2", "1e-7", "1e22", "1e23", "1e-22", "1e-23", "9007199254740991", "9007199254740993",
	"0.30000000000000004", "123456789012345678901234567890", "0.000000000000000000000000000000001", "1.7976931348623157e308", "1.8e308", "5e-324", "1e-999", "1e999",
	"2.2250738585072011e-308", "1000000000", "1000000001", "00", "01", "-01", "1.", ".5", "1e", "--1", "+1", "NaN", "true", "false", "null", "tru", "nulll",
	`""`, `"x"`, `"1.0"`, `"é"`, `"日本語"`, "\"\xff\"", "\"\xed\xa0\x80\"", `"\n"`, `"\u0041"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\x01\"", "\"\x7f\"", `"review"`, `"direct"`,
	`"2026-11-29T10:00:07Z"`, `"2026-11-29T10:00:07.5+05:30"`, `"2024-02-29T23:59:59.999999999-00:00"`, `"2023-02-29T00:00:00Z"`, `"2026-11-29T10:00:60Z"`, `"2026-11-29t10:00:07z"`,
	`"1678-01-01T00:00:00Z"`, `"1679-01-01T00:00:00+23:59"`, `"2261-12-31T23:59:59-23:59"`, `"2262-01-01T00:00:00Z"`, `"2026-13-01T00:00:00Z"`,
	`{}`, `[]`, `{"a":1}`, `{"a":1,"a":2}`, `[1,[2,{"b":null}]]`, `[{}]`, `{"\u0061":1}`, `{"A":1}`,
	`"a":1,`, `"A":1,`, `"type":"end",`, `"Type":1,`, `"specversion":"1.0",`, `"time":5,`, `"State":{},`, `"eligible":false,`, `"treatment":1,`, `"probability":0.5,`, `"x":{"y":[1,2]},`,
	`"tool":"t",`, `"calls":[{"tool":"t"}],`, `"draw":0.5,`, `"draw":1,`, `"forced":true,`, `"kind":"k",`, `"data_base64":"",`, `"datacontenttype":"text/json",`,
	",", ":", "{", "}", "[", "]", `"`, `\`, " ", "\n", "\t", "\x00", "\xef\xbb\xbf", "'", "/**/",
}

// mutated changes a document in one place, or in two.
func mutated(doc string, random *rand.Rand) string {
	for range 1 + random.IntN(5)/4 {
		if len(doc) == 0 {
			break
		}
		i := random.IntN(len(doc))
		j := min(len(doc), i+1+random.IntN(6))
		piece := pieces[random.IntN(len(pieces))]
		switch random.IntN(8) {
		case 0: // one byte
			b := []byte(doc)
			b[i] ^= 1 << random.IntN(8)
			doc = string(b)
		case 1: // without a few
			doc = doc[:i] + doc[j:]
		case 2: // a few twice
			doc = doc[:j] + doc[i:]
		case 3:
			doc = doc[:i] + piece + doc[i:]
		case 4:
			doc = doc[:i] + piece + doc[j:]
		case 5: // cut off
			if random.IntN(4) == 0 {
				doc = doc[:i]
			}
		default:
			doc = changed(doc, piece, random)
		}
	}
	return doc
}

// changed changes one member of a document that is one: its value, its name, or
// whether and how often it is there.
func changed(doc, piece string, random *rand.Rand) (after string) {
	after = doc
	defer func() { _ = recover() }() // places takes only what is JSON; the rest stays as it is
	all := places(doc, 0, "")
	p := all[random.IntN(len(all))]
	q := all[random.IntN(len(all))]
	value := doc[p.value:p.stop]
	switch random.IntN(8) {
	case 0:
		return doc[:p.stop] + "," + doc[p.name:p.stop] + doc[p.stop:]
	case 1:
		return doc[:p.name] + strings.TrimPrefix(doc[p.stop:], ",")
	case 2:
		return doc[:p.name] + strings.ToUpper(doc[p.name:p.value]) + doc[p.value:]
	case 3:
		return doc[:p.value] + doc[q.value:q.stop] + doc[p.stop:]
	case 4:
		return doc[:p.name] + doc[q.name:q.stop] + "," + doc[p.name:]
	case 5:
		return doc[:p.name] + `"` + strings.Trim(piece, `"`) + `":` + value + doc[p.stop:]
	}
	return doc[:p.value] + piece + doc[p.stop:]
}

// valid are the accepted records of the tables and others of the same kinds.
func valid() []message {
	all := []message{{value: contractDecision}, {value: wideDecision}, {value: outcome(`,"experiment":"retail","outcomes":{"success":1},"x":{"y":1}`)}}
	for _, c := range accepted() {
		if len(c.in.value) < 2000 {
			all = append(all, c.in)
		}
	}
	return all
}

// TestReadMutated reads accepted events with small changes, and what is refused
// and what is accepted must be the same, to the bit and to the letter.
func TestReadMutated(t *testing.T) {
	seed := uint64(1)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds := 600
	if testing.Short() {
		rounds = 60
	}
	inputs := valid()
	for _, schema := range []*event.Schema{door, several} {
		d := event.Decoder{Schema: schema, Keyless: true}
		r := event.NewReader(d)
		taken, read := 0, 0
		for range rounds {
			for _, in := range inputs {
				rec := in.record()
				doc := in.value
				if random.IntN(4) == 0 && !slices.Contains([]byte(doc), '[') && doc[0] == '{' {
					doc = reordered(doc, random)
				}
				rec.Key, rec.Value = nil, []byte(mutated(doc, random))
				if agree(t, &d, r, rec) {
					taken++
				}
				read++
			}
		}
		t.Logf("of %d records %d are accepted, and %d were given to the decoder", read, taken, r.Given())
	}
}
