package event

import "blipd/event/pack"

// Pack writes the trajectory as it is kept on disk, bit for bit.
func (t *Trajectory) Pack(w *pack.Writer) {
	w.Text(t.ID)
	w.Text(t.Experiment)
	w.Int(int64(t.First))
	w.Int(int64(t.Last))
	w.Int(int64(len(t.Decisions)))
	for i := range t.Decisions {
		t.Decisions[i].pack(w)
	}
	w.Int(int64(len(t.Interventions)))
	for i := range t.Interventions {
		t.Interventions[i].pack(w)
	}
	w.Int(int64(len(t.Outcomes)))
	for _, h := range t.Outcomes {
		w.Text(h.Name)
		h.Final.pack(w)
		h.Provisional.pack(w)
	}
	w.Bool(t.End != nil)
	if t.End != nil {
		t.End.pack(w)
	}
}

// Unpack reads what Pack wrote.
func (t *Trajectory) Unpack(r *pack.Reader) {
	*t = Trajectory{ID: r.Text(), Experiment: r.Text(), First: Time(r.Int()), Last: Time(r.Int())}
	for range r.Count() {
		var d Decision
		d.unpack(r)
		t.Decisions = append(t.Decisions, d)
	}
	for range r.Count() {
		var v Intervention
		v.unpack(r)
		t.Interventions = append(t.Interventions, v)
	}
	for range r.Count() {
		t.Outcomes = append(t.Outcomes, Held{r.Text(), unpackValued(r), unpackValued(r)})
	}
	if r.Bool() {
		t.End = &End{}
		t.End.unpack(r)
	}
}

func (d *Decision) pack(w *pack.Writer) {
	w.Text(d.ID)
	w.Int(int64(d.Index))
	w.Int(int64(d.Time))
	w.Text(d.Agent.Name)
	w.Text(d.Agent.Version)
	w.Text(d.Agent.Model)
	w.Int(int64(len(d.Calls)))
	for _, c := range d.Calls {
		w.Text(c.Tool)
		w.Text(c.Capability)
	}
	packMembers(w, d.State)
	packMembers(w, d.Scores)
	w.Bool(d.Ineligible)
	d.Assignment.pack(w)
}

func (d *Decision) unpack(r *pack.Reader) {
	d.ID, d.Index, d.Time = r.Text(), int(r.Int()), Time(r.Int())
	d.Agent = Agent{r.Text(), r.Text(), r.Text()}
	for range r.Count() {
		d.Calls = append(d.Calls, Call{r.Text(), r.Text()})
	}
	if len(d.Calls) == 0 {
		r.Fail() // a decision has at least one call: readers rely on it
	}
	d.State, d.Scores = unpackMembers(r), unpackMembers(r)
	d.Ineligible = r.Bool()
	d.Assignment.unpack(r)
}

func (a *Assignment) pack(w *pack.Writer) {
	w.Bool(a.Given)
	if !a.Given {
		return
	}
	w.Text(a.Arm)
	w.Int(int64(len(a.Probabilities)))
	for _, p := range a.Probabilities {
		w.Text(p.Arm)
		w.Float(p.P)
	}
	w.Text(a.Policy)
	w.Bool(a.Draw.Given)
	w.Float(a.Draw.U)
	w.Bool(a.Forced)
	w.Bool(a.Holdback)
}

func (a *Assignment) unpack(r *pack.Reader) {
	if a.Given = r.Bool(); !a.Given {
		return
	}
	a.Arm = r.Text()
	for range r.Count() {
		a.Probabilities = append(a.Probabilities, Probability{r.Text(), r.Float()})
	}
	a.Policy = r.Text()
	a.Draw = Draw{r.Bool(), r.Float()}
	a.Forced, a.Holdback = r.Bool(), r.Bool()
}

// leastMember is how many bytes a packed member takes at least.
const leastMember = 3

func packMembers(w *pack.Writer, ms []Member) {
	w.Int(int64(len(ms)))
	for _, m := range ms {
		w.Text(m.Name)
		w.Byte(byte(m.Value.Kind))
		if m.Value.Kind == Text {
			w.Text(m.Value.Str)
		} else {
			w.Float(m.Value.Num)
		}
	}
}

func unpackMembers(r *pack.Reader) []Member {
	n := r.Count()
	if n == 0 {
		return nil
	}
	ms := make([]Member, 0, min(n, len(r.B)/leastMember)) // no more than the bytes can hold
	for range n {
		m := Member{Name: r.Text(), Value: Value{Kind: Kind(r.Byte())}}
		if m.Value.Kind == Text {
			m.Value.Str = r.Text()
		} else {
			m.Value.Num = r.Float()
		}
		ms = append(ms, m)
		if r.Failed() {
			return nil
		}
	}
	return ms
}

func (v *Intervention) pack(w *pack.Writer) {
	w.Text(v.DecisionID)
	w.Int(int64(v.Index))
	w.Byte(byte(v.Delivered))
	w.Text(v.Verdict)
	v.Reviewer.pack(w)
	for _, a := range []Amount{v.Cost.Seconds, v.Cost.USD, v.Cost.Tokens} {
		w.Bool(a.Given)
		w.Float(a.N)
	}
}

func (v *Intervention) unpack(r *pack.Reader) {
	v.DecisionID, v.Index = r.Text(), int(r.Int())
	v.Delivered, v.Verdict = Flag(r.Byte()), r.Text()
	v.Reviewer.unpack(r)
	for _, a := range []*Amount{&v.Cost.Seconds, &v.Cost.USD, &v.Cost.Tokens} {
		a.Given, a.N = r.Bool(), r.Float()
	}
}

func (s *Source) pack(w *pack.Writer) {
	w.Text(s.Kind)
	w.Text(s.Name)
	w.Text(s.Version)
}

func (s *Source) unpack(r *pack.Reader) { *s = Source{r.Text(), r.Text(), r.Text()} }

func (v Valued) pack(w *pack.Writer) {
	w.Bool(v.Given)
	if v.Given {
		w.Int(int64(v.Revision))
		w.Float(v.Value)
	}
}

func unpackValued(r *pack.Reader) Valued {
	if !r.Bool() {
		return Valued{}
	}
	return Valued{true, int(r.Int()), r.Float()}
}

func (e *End) pack(w *pack.Writer) {
	w.Int(int64(e.Decisions))
	w.Bool(e.Counted)
	w.Text(e.Reason)
}

func (e *End) unpack(r *pack.Reader) {
	e.Decisions, e.Counted, e.Reason = int(r.Int()), r.Bool(), r.Text()
}
