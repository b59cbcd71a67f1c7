package event

import "blipd/event/pack"

// Pack writes an event as state keeps it while it waits.
func (e *Event) Pack(w *pack.Writer) {
	w.Byte(byte(e.Type))
	w.Text(e.Trajectory)
	w.Text(e.Experiment)
	w.Int(int64(e.Time))
	switch e.Type {
	case TypeDecision:
		e.Decision.pack(w, &names{})
	case TypeIntervention:
		e.Intervention.pack(w)
	case TypeOutcome:
		e.Outcome.pack(w)
	case TypeEnd:
		e.End.pack(w)
	}
}

// Unpack reads what Pack wrote.
func (e *Event) Unpack(r *pack.Reader) {
	*e = Event{Type: Type(r.Byte()), Trajectory: r.Text(), Experiment: r.Text(), Time: Time(r.Int())}
	switch e.Type {
	case TypeDecision:
		e.Decision = &Decision{}
		e.Decision.unpack(r, &groups{})
	case TypeIntervention:
		e.Intervention = &Intervention{}
		e.Intervention.unpack(r)
	case TypeOutcome:
		e.Outcome = &Outcome{}
		e.Outcome.unpack(r)
	case TypeEnd:
		e.End = &End{}
		e.End.unpack(r)
	default:
		r.Fail()
	}
}

func (o *Outcome) pack(w *pack.Writer) {
	w.Int(int64(len(o.Values)))
	for _, v := range o.Values {
		w.Text(v.Name)
		w.Float(v.Value)
	}
	w.Int(int64(o.Revision))
	w.Bool(o.Provisional)
	o.Source.pack(w)
}

func (o *Outcome) unpack(r *pack.Reader) {
	for range r.Count() {
		o.Values = append(o.Values, Measured{r.Text(), r.Float()})
	}
	o.Revision, o.Provisional = int(r.Int()), r.Bool()
	o.Source.unpack(r)
}
