package web

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"blipd/event"
)

// tile is one headline number.
type tile struct {
	Name, Value string
	Note        string // "" when the number says it all
	Stamp       string // the value as RFC 3339, when it is a time
}

// intake is how reading goes, for all experiments together.
type intake struct {
	Nothing           bool // this process owns no partition
	Topic             string
	Partitions        int64
	Read, Aside       int64 // records, and those of them with a dead letter
	Outbox            int64
	Lag               int64
	LagKnown          bool       // of every partition
	Stream            event.Time // of the slowest partition that has one
	Refit, RefitStamp string     // when the last one was: how long ago, and RFC 3339
	RefitMean         float64    // seconds, 0 before the first
}

func newIntake(live *Live) intake {
	in := intake{
		Nothing: len(live.Partitions) == 0, Topic: visible(live.Topic), Partitions: int64(len(live.Partitions)),
		LagKnown: len(live.Partitions) > 0, Stream: event.NoTime, Refit: "none yet",
	}
	for i := range live.Partitions {
		p := &live.Partitions[i]
		in.Read, in.Outbox = in.Read+p.Records, in.Outbox+p.Outbox
		in.LagKnown, in.Lag = in.LagKnown && p.Lag >= 0, in.Lag+max(p.Lag, 0)
		if p.Stream != event.NoTime && (in.Stream == event.NoTime || p.Stream < in.Stream) {
			in.Stream = p.Stream
		}
		for _, r := range event.Reasons() {
			if r.DeadLetter() && int(r) < len(p.Rejected) {
				in.Aside += p.Rejected[r]
			}
		}
	}
	if !live.LastRefit.IsZero() {
		in.Refit, in.RefitStamp = ago(live.Now.Sub(live.LastRefit)), live.LastRefit.UTC().Format(time.RFC3339)
	}
	if live.Refits.Count > 0 {
		in.RefitMean = live.Refits.Sum / float64(live.Refits.Count)
	}
	return in
}

// Tiles are the headline numbers.
func (in intake) Tiles() []tile {
	lag := tile{Name: "Lag", Value: "unknown", Note: "behind the end of the log"}
	if in.LagKnown {
		lag = tile{Name: "Lag", Value: count(in.Lag), Note: "records not read yet"}
	}
	stream := momentTile("Stream time", in.Stream, "before two trajectories")
	if in.Stream != event.NoTime && in.Partitions > 1 {
		stream.Note += ", the slowest partition"
	}
	refit := tile{Name: "Last refit", Value: in.Refit, Stamp: in.RefitStamp}
	if in.RefitMean > 0 {
		refit.Note = fmt.Sprintf("takes %.2g s on average", in.RefitMean)
	}
	return []tile{
		{Name: "Records read", Value: count(in.Read), Note: fmt.Sprintf("from %s, %s", in.Topic, plural(in.Partitions, "partition"))},
		{Name: "Set aside", Value: count(in.Aside), Note: "records with a fault"},
		lag, stream, refit,
		{Name: "Waiting to be sent", Value: count(in.Outbox), Note: "records in the outbox"},
	}
}

// clock says how current the page is.
func (in intake) clock() []string {
	facts := []string{"last refit " + in.Refit}
	if in.Stream != event.NoTime {
		facts = append(facts, "stream time "+in.Stream.Std().Format("15:04:05")+" UTC")
	}
	if in.LagKnown {
		return append(facts, "lag "+plural(in.Lag, "record"))
	}
	return append(facts, "lag unknown")
}

// momentTile shows an event time, or what it waits for.
func momentTile(name string, t event.Time, none string) tile {
	if t == event.NoTime {
		return tile{Name: name, Value: "none yet", Note: none}
	}
	std := t.Std()
	return tile{Name: name, Value: std.Format("15:04:05"), Note: std.Format("2 Jan 2006") + " UTC", Stamp: std.Format(time.RFC3339)}
}

// momentWords is a moment within a sentence.
func momentWords(t event.Time) string {
	if t == event.NoTime {
		return ""
	}
	return t.Std().Format("2 Jan 2006 15:04:05") + " UTC"
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// pausedReasons are the reasons that hold intake up now, in words.
func pausedReasons(paused map[string]bool) []string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(paused)) {
		if paused[reason] {
			reasons = append(reasons, plainWords(reason))
		}
	}
	return reasons
}
