package event

import (
	"slices"

	"blipd/event/pack"
)

// Pack writes the trajectory as it is kept on disk, bit for bit.
func (t *Trajectory) Pack(w *pack.Writer) {
	var p Packed
	for i := range t.Decisions {
		p.AddDecision(&t.Decisions[i])
	}
	for i := range t.Interventions {
		p.AddIntervention(&t.Interventions[i])
	}
	t.PackWith(w, p)
}

// PackWith writes the trajectory with other decisions and interventions than
// its own: those of p.
func (t *Trajectory) PackWith(w *pack.Writer, p Packed) {
	w.Text(t.ID)
	w.Text(t.Experiment)
	w.Int(int64(t.First))
	w.Int(int64(t.Last))
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
	w.Bytes(p)
}

// Unpack reads what Pack wrote.
func (t *Trajectory) Unpack(r *pack.Reader) {
	if err := t.UnpackWith(r).Unpack(t, r.Names); err != nil {
		r.Fail()
	}
}

// UnpackWith reads what PackWith wrote, and leaves decisions and interventions
// packed. They are a copy.
func (t *Trajectory) UnpackWith(r *pack.Reader) Packed {
	*t = Trajectory{ID: r.Text(), Experiment: r.Name(), First: Time(r.Int()), Last: Time(r.Int())}
	for range r.Count() {
		t.Outcomes = append(t.Outcomes, Held{r.Name(), unpackValued(r), unpackValued(r)})
	}
	if r.Bool() {
		t.End = &End{}
		t.End.unpack(r)
	}
	return r.Bytes()
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
	d.Agent = Agent{r.Name(), r.Name(), r.Name()}
	d.Calls = d.Calls[:0]
	for range r.Count() {
		d.Calls = append(d.Calls, Call{r.Name(), r.Name()})
	}
	if len(d.Calls) == 0 {
		r.Fail() // a decision has at least one call: readers rely on it
	}
	d.State, d.Scores = unpackMembers(r, d.State), unpackMembers(r, d.Scores)
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
	probabilities := a.Probabilities[:0]
	*a = Assignment{Given: r.Bool()}
	if !a.Given {
		return
	}
	a.Arm = r.Name()
	for range r.Count() {
		probabilities = append(probabilities, Probability{r.Name(), r.Float()})
	}
	if len(probabilities) > 0 {
		a.Probabilities = probabilities
	}
	a.Policy = r.Name()
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

func unpackMembers(r *pack.Reader, into []Member) []Member {
	n := r.Count()
	if n == 0 {
		return nil
	}
	ms := slices.Grow(into[:0], min(n, len(r.B)/leastMember)) // no more than the bytes can hold
	for range n {
		m := Member{Name: r.Name(), Value: Value{Kind: Kind(r.Byte())}}
		if m.Value.Kind == Text {
			m.Value.Str = r.Name()
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
	v.Delivered, v.Verdict = Flag(r.Byte()), r.Name()
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

func (s *Source) unpack(r *pack.Reader) { *s = Source{r.Name(), r.Name(), r.Name()} }

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
