package event_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blipd/event"
	"blipd/sim"
)

func benchmarkRead(b *testing.B, d event.Decoder, records ...event.Record) {
	r := event.NewReader(d)
	var e event.Event
	bytes := 0
	for range 3 { // it learns
		for _, rec := range records {
			bytes += len(rec.Value)
			if fault := r.Read(rec, &e); fault != nil {
				b.Fatal(fault)
			}
		}
	}
	b.SetBytes(int64(bytes / 3 / len(records)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if fault := r.Read(records[i], &e); fault != nil {
			b.Fatal(fault)
		}
		if i++; i == len(records) {
			i = 0
		}
	}
}

// contractDecision is the decision that the contract shows, as in BenchmarkDecode.
const contractDecision = `{"type":"decision","experiment":"retail","trajectory_id":"conv_5j66","decision_id":"call_ms7u","index":7,` +
	`"time":"2026-11-29T10:00:07Z","agent":{"name":"retail","version":"1.4"},"action":{"tool":"cancel_order","capability":"order_write"},` +
	`"state":{"prior_failures":1,"progress":0.85},"assignment":{"arm":"review","probabilities":{"direct":0.35,"review":0.65},` +
	`"policy":"router@31"},"scores":{"judge":0.72}}`

// wideDecision has a state of twelve numbers.
const wideDecision = `{"type":"decision","trajectory_id":"conv_5j66","index":7,"time":"2026-11-29T10:00:07.258Z","agent":{"name":"retail"},` +
	`"action":{"tool":"cancel_order","capability":"order_write"},"state":{"prior_failures":1,"progress":0.85,"context_chars":2144,` +
	`"n_prior_errors":0,"n_prior_writes":3,"repeated_call":0,"n_user_msgs":3,"risk":0.0371,"cost":12.25,"latency":1.884,"depth":4,"score":-0.309616},` +
	`"assignment":{"arm":"review","probabilities":{"direct":0.35,"review":0.65}}}`

// members are those of an object, with what stands under them.
func members(doc string) []string {
	var all []string
	for _, p := range places(doc, 0, "") {
		if !strings.Contains(p.path, ".") {
			all = append(all, doc[p.name:p.stop])
		}
	}
	return all
}

func shuffled(doc string, random *rand.Rand) string {
	all := members(doc)
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return "{" + strings.Join(all, ",") + "}"
}

func BenchmarkRead(b *testing.B) {
	keyed := func(value string) event.Record {
		return event.Record{Key: []byte("conv_5j66"), Value: []byte(value)}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var orders []event.Record
	for range 64 {
		orders = append(orders, keyed(shuffled(contractDecision, random)))
	}
	fleet := sim.NewFleet(1, ten)
	var records []event.Record
	for range 5000 {
		key, value := fleet.NextRecord()
		records = append(records, event.Record{Key: key, Value: value})
	}
	d := event.Decoder{Schema: logged}
	records = slices.DeleteFunc(records, func(rec event.Record) bool {
		_, fault := d.Decode(rec)
		return fault != nil
	})
	b.Run("fleet", func(b *testing.B) { benchmarkRead(b, d, records...) })
	for _, c := range []struct {
		name    string
		records []event.Record
	}{
		{"decision", []event.Record{keyed(contractDecision)}},
		{"state of twelve", []event.Record{keyed(wideDecision)}},
		{"one other order", orders[:1]},
		{"any order", orders},
		{"outcome", []event.Record{keyed(`{"type":"outcome","trajectory_id":"conv_5j66","time":"2026-11-29T10:04:00Z","outcomes":{"success":1,"minutes":4}}`)}},
		{"intervention", []event.Record{keyed(`{"type":"intervention","trajectory_id":"conv_5j66","index":7,"delivered":true,"verdict":"approve","cost":{"seconds":12.5}}`)}},
		{"structured", []event.Record{keyed(structured("blipd.decision.v1", `,"data":`+contractDecision))}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkRead(b, event.Decoder{Schema: door}, c.records...) })
	}
}
