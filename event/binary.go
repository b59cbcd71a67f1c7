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
	t.PackHead(w)
	w.Int(int64(len(p)))
	w.B = append(w.B, p...)
}

// PackHead writes what a trajectory is beside its decisions and interventions.
func (t *Trajectory) PackHead(w *pack.Writer) {
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
	w.Int(int64(len(t.Learned)))
	w.Floats(t.Learned)
}

// Unpack reads what Pack wrote.
func (t *Trajectory) Unpack(r *pack.Reader) {
	t.UnpackHead(r)
	if err := new(Unpacker).Unpack(r.Raw(), t); err != nil {
		r.Fail()
	}
}

// UnpackHead reads what PackHead wrote: of decisions and interventions there are none.
func (t *Trajectory) UnpackHead(r *pack.Reader) {
	*t = Trajectory{ID: r.Text(), Experiment: r.Name(), First: Time(r.Int()), Last: Time(r.Int())}
	for range r.Count() {
		t.Outcomes = append(t.Outcomes, Held{r.Name(), unpackValued(r), unpackValued(r)})
	}
	if r.Bool() {
		t.End = &End{}
		t.End.unpack(r)
	}
	t.Learned = r.Floats(r.Count())
}

func (d *Decision) pack(w *pack.Writer, names *names) {
	w.Text(d.ID)
	w.Int(int64(d.Index))
	w.Int(int64(d.Time))
	names.write(w, namesOfAgent, d)
	w.Int(int64(len(d.Calls)))
	for _, c := range d.Calls {
		w.Text(c.Tool)
		w.Text(c.Capability)
	}
	names.write(w, namesOfState, d)
	packValues(w, d.State)
	names.write(w, namesOfScores, d)
	packValues(w, d.Scores)
	a := &d.Assignment
	w.Byte(bit(d.Ineligible) | bit(a.Given)<<1 | bit(a.Forced)<<2 | bit(a.Holdback)<<3 | bit(a.Draw.Given)<<4)
	if !a.Given {
		return
	}
	names.write(w, namesOfArms, d)
	arm := slices.IndexFunc(a.Probabilities, func(p Probability) bool { return p.Arm == a.Arm })
	if w.Int(int64(arm)); arm < 0 {
		w.Text(a.Arm)
	}
	for _, p := range a.Probabilities {
		w.Number(0, p.P)
	}
	w.Text(a.Policy)
	if a.Draw.Given {
		w.Float(a.Draw.U)
	}
}

func (d *Decision) unpack(r *pack.Reader, names *groups) {
	d.ID, d.Index, d.Time = r.Text(), int(r.Int()), Time(r.Int())
	if agent := names.read(r, namesOfAgent); len(agent) == 3 {
		d.Agent = Agent{agent[0], agent[1], agent[2]}
	} else {
		r.Fail()
	}
	d.Calls = d.Calls[:0]
	for range r.Count() {
		d.Calls = append(d.Calls, Call{r.Name(), r.Name()})
	}
	if len(d.Calls) == 0 {
		r.Fail() // a decision has at least one call: readers rely on it
	}
	d.State = unpackMembers(r, names.read(r, namesOfState), d.State)
	d.Scores = unpackMembers(r, names.read(r, namesOfScores), d.Scores)
	d.unpackAssignment(r, names)
}

func (d *Decision) unpackAssignment(r *pack.Reader, names *groups) {
	a := &d.Assignment
	probabilities, flags := a.Probabilities[:0], r.Byte()
	d.Ineligible = flags&1 != 0
	*a = Assignment{Given: flags&2 != 0, Forced: flags&4 != 0, Holdback: flags&8 != 0, Draw: Draw{Given: flags&16 != 0}}
	if flags > 31 {
		r.Fail()
	}
	if !a.Given {
		return
	}
	arms := names.read(r, namesOfArms)
	if arm := r.Int(); arm < 0 {
		a.Arm = r.Name()
	} else if arm < int64(len(arms)) {
		a.Arm = arms[arm]
	} else {
		r.Fail()
	}
	for _, arm := range arms {
		probabilities = append(probabilities, Probability{arm, untagged(r)})
	}
	if len(probabilities) > 0 {
		a.Probabilities = probabilities
	}
	if a.Policy = r.Name(); a.Draw.Given {
		a.Draw.U = r.Float()
	}
}

func packValues(w *pack.Writer, ms []Member) {
	for i := range ms {
		v := &ms[i].Value
		w.Number(byte(v.Kind), v.Num)
		if v.Kind == Text {
			w.Text(v.Str)
		}
	}
}

// unpackMembers reads the values of members that have these names.
func unpackMembers(r *pack.Reader, names []string, into []Member) []Member {
	ms := into[:0]
	for _, name := range names {
		kind, x := r.Number()
		ms = append(ms, Member{name, Value{Kind: Kind(kind), Num: x}})
		if Kind(kind) == Text {
			ms[len(ms)-1].Value.Str = r.Name()
		}
	}
	if len(ms) == 0 {
		return nil
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
		w.Number(bit(a.Given), a.N)
	}
}

func (v *Intervention) unpack(r *pack.Reader) {
	v.DecisionID, v.Index = r.Text(), int(r.Int())
	v.Delivered, v.Verdict = Flag(r.Byte()), r.Name()
	v.Reviewer.unpack(r)
	for _, a := range []*Amount{&v.Cost.Seconds, &v.Cost.USD, &v.Cost.Tokens} {
		given, n := r.Number()
		a.Given, a.N = given == 1, n
	}
}

func (s *Source) pack(w *pack.Writer) {
	w.Text(s.Kind)
	w.Text(s.Name)
	w.Text(s.Version)
}

func (s *Source) unpack(r *pack.Reader) { *s = Source{r.Name(), r.Name(), r.Name()} }

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// untagged reads a number whose tag says nothing.
func untagged(r *pack.Reader) float64 {
	_, x := r.Number()
	return x
}

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
