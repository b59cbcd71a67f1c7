package config

import (
	"fmt"

	"blipd/estimators"
)

// laterParts names what the file asks for and later versions compute.
type laterParts struct {
	notYet []string
}

// moderated notes more moderators than moderated effects are computed for.
func (l *laterParts) moderated(b *blipModel) {
	if b != nil && !b.Unmoderated && len(b.Moderators) > estimators.MostModerated {
		l.later(fmt.Sprintf("blip_model.moderators (%d): moderated effects are computed for at most %d", len(b.Moderators), estimators.MostModerated))
	}
}

// harm notes outcomes that mark violations.
func (l *laterParts) harm(outcomes []outcome) {
	marked := 0
	for _, o := range outcomes {
		if o.role == "harm" {
			marked++
		}
	}
	if marked > 0 {
		l.later(fmt.Sprintf("outcomes with role harm (%d): violations are not shown apart by this version", marked))
	}
}

func (l *laterParts) later(words string) { l.notYet = append(l.notYet, words) }
