package estimators

// axes are the sides of the sums of the blip model. f has a column for each
// moderator, then one for each level; Z and F have one for each intervention
// behind each column of f; h holds the instruments of the over-identification
// test: those no level is part of, then each level times each moderator.
type axes struct {
	x           axis // columns of x
	f, z        axis // f_t; Z_t, F_t
	h, zh       axis // h_t; (1{A=m} - p_m) h_t
	s           axis // by set of levels (1, moderators): what a mask multiplies
	e           axis // (f, h) by level: moderators, checks, then (1, moderators) for each level
	moderators  int
	arms        int // interventions
	fixedChecks int
	perLevel    int // instruments of each level
}

func newAxes(spec *Spec) axes {
	a := axes{arms: len(spec.Experiment.Interventions), x: axis{columnsOfX, 0, 1}}
	blip := spec.Blip
	if blip == nil {
		return a
	}
	a.moderators = len(blip.Moderators)
	if a.fixedChecks = len(blip.Checks); a.fixedChecks == 0 {
		a.fixedChecks, a.perLevel = 2*a.moderators+1, a.moderators
	}
	a.f = axis{levelsOfF, a.moderators, 1}
	a.z = axis{levelsOfF, a.moderators * a.arms, a.arms}
	a.h = axis{levelsOfF, a.fixedChecks, a.perLevel}
	a.zh = axis{levelsOfF, a.fixedChecks * a.arms, a.perLevel * a.arms}
	a.s = axis{setsOfLevels, 0, 1 + a.moderators}
	a.e = axis{levelsOfF, a.moderators + a.fixedChecks, 1 + a.perLevel}
	return a
}

// lateIndex is the index above which a decision is late, in the default
// instruments.
const lateIndex = 4

// readChecks reads the instruments that no level is part of: those of the
// configuration, or the squares of the moderators, 1{index > 4}, and prior
// interventions times each moderator. A missing one is 0.
func (m *Moments) readChecks(p *Point, r *row) {
	checks := m.spec.Blip.Checks
	for i := range checks {
		m.values = values(&checks[i], p, m.values[:0])
		r.checks[i], _, _ = scaled(&Feature{}, m.values)
	}
	if len(checks) > 0 {
		return
	}
	q := len(r.moderators)
	for i, s := range r.moderators {
		r.checks[i] = s * s
		r.checks[q+1+i] = float64(p.PriorInterventions) * s
	}
	r.checks[q] = 0
	if p.Index > lateIndex {
		r.checks[q] = 1
	}
}
