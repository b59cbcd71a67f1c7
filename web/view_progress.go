package web

import "time"

// bar is how far something has come.
type bar struct {
	Label       string
	Done, Whole int64  // records; Whole is 1 or more
	Percent     string // of Whole
	Note        string
}

// newBar shows a progress; last is said behind it.
func newBar(label string, p *Progress, last string) bar {
	whole := max(1, p.Done+p.Behind)
	b := bar{Label: label, Done: p.Done, Whole: whole, Percent: share(p.Done, whole),
		Note: plural(p.Behind, "record") + " to go"}
	if p.Rate > 0 {
		b.Note += ", " + count(int64(p.Rate)) + " a second"
	}
	if p.Left != nil && p.End != nil {
		b.Note += ", done in about " + lasting(time.Duration(*p.Left)*time.Second) + ", at " + p.End.UTC().Format("15:04:05 on 2 Jan") + " UTC"
	}
	b.Note += last
	return b
}

// share is rounded down: the whole is reached when all is.
func share(part, whole int64) string {
	tenths := int64(float64(part) / float64(whole) * 1000)
	if part < whole {
		tenths = min(tenths, 999)
	}
	return count(tenths/10) + "." + count(tenths%10) + " %"
}

// bars are what is under way.
func bars(live *Live) (all []bar) {
	if p := live.Progress; p != nil && !p.Level {
		all = append(all, newBar("Catching up with "+visible(p.Topic), p, ""))
	}
	if b := live.Rebuild; b != nil && b.Phase == Rebuilding {
		all = append(all, newBar("Rebuilding the state of "+visible(b.Topic), &b.Progress, ". The state before is in use meanwhile."))
	}
	return all
}
