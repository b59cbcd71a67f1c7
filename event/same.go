package event

import "slices"

// The content of an event is every known member but its time: an event with the
// same content again is a duplicate, one with another under the same identity a
// conflict. Numbers are compared as numbers, after decoding, so 1 and 1.0, or
// the short and the long form of an assignment, are the same.

// Same tells whether two decisions have the same content.
func (d *Decision) Same(o *Decision) bool {
	return d.ID == o.ID && d.Index == o.Index && d.Agent == o.Agent && slices.Equal(d.Calls, o.Calls) &&
		slices.Equal(d.State, o.State) && slices.Equal(d.Scores, o.Scores) &&
		d.Ineligible == o.Ineligible && d.Assignment.same(&o.Assignment)
}

func (a *Assignment) same(o *Assignment) bool {
	return a.Given == o.Given && a.Arm == o.Arm && slices.Equal(a.Probabilities, o.Probabilities) &&
		a.Policy == o.Policy && a.Draw == o.Draw && a.Forced == o.Forced && a.Holdback == o.Holdback
}

// Same tells whether two interventions have the same content.
func (i *Intervention) Same(o *Intervention) bool { return *i == *o }

// Same tells whether two ends have the same content.
func (e *End) Same(o *End) bool { return *e == *o }
