package estimators

import (
	"fmt"
	"slices"
	"strings"
)

// Contrast asks for the difference of the effects in two groups of rows, which
// may share trajectories and even rows.
type Contrast struct{ Of, To Side }

// Side is one side of a Contrast: the rows of a group, or those of them that
// are not rows of the other side.
type Side struct {
	Rest      bool // of To only
	Dimension string
	Group     string // of All, All
}

const restOf = "rest of "

// String is how people write a side: all, DIMENSION=GROUP, rest of either.
func (s Side) String() string {
	text := All
	if s.Dimension != All {
		text = s.Dimension + "=" + s.Group
	}
	if s.Rest {
		return restOf + text
	}
	return text
}

// ParseContrast reads both sides as people write them; to "" is the rest of
// all. Dimensions are those of the experiment, without All.
func ParseContrast(of, to string, dimensions []string) (c Contrast, err error) {
	if c.Of, err = parseSide(of, dimensions); err != nil {
		return c, err
	}
	if c.Of.Rest {
		return c, fmt.Errorf("contrast: %q: only the other side can be a rest; swap them", of)
	}
	if to == "" {
		to = restOf + All
	}
	if c.To, err = parseSide(to, dimensions); err != nil {
		return c, err
	}
	if own := c.To; own.Dimension == c.Of.Dimension && own.Group == c.Of.Group {
		return c, fmt.Errorf("contrast: %q and %q leave nothing to compare; name two groups, or the rest of a larger one", of, to)
	}
	if c.Of.Dimension == All && c.To.Rest {
		return c, fmt.Errorf("contrast: %q: nothing is left of it without all; name a group as the first side", to)
	}
	return c, nil
}

func parseSide(text string, dimensions []string) (s Side, err error) {
	rest, cut := strings.CutPrefix(text, restOf)
	s.Rest = cut
	if rest == All {
		s.Dimension, s.Group = All, All
		return s, nil
	}
	known := false
	for _, d := range dimensions { // a name may hold = itself: the longest that fits
		if group, fits := strings.CutPrefix(rest, d+"="); fits && (!known || len(d) > len(s.Dimension)) {
			s.Dimension, s.Group, known = d, group, true
		}
	}
	if !known {
		return s, fmt.Errorf("contrast: %q names no dimension; write all, DIMENSION=GROUP or rest of DIMENSION=GROUP with a dimension of: %s",
			text, strings.Join(dimensions, ", "))
	}
	return s, nil
}

// Contrast is the difference between the effects in two groups, for every
// outcome and intervention, with randomized continuation and, with a blip
// model, with no-treatment continuation:
//
//	theta = theta_of - theta_to,  V = 63/64 sum_j (theta_(-j) - mean of the 64)^2,
//
// each side computed without bucket j, its nuisances kept: so rows and
// trajectories that both sides share are accounted for. Student's t, with the
// degrees of freedom (sum N_j)^2 / sum N_j^2 - 1 of the side that has fewer, N_j
// rows by bucket; those of estimand 2 with no-treatment continuation. Counts
// are those of the side Of. An error says what is not known of the groups.
func (r *Report) Contrast(c Contrast) ([]Estimate, error) {
	if r.moments == nil {
		return nil, fmt.Errorf("contrast of %q to %q: the sums of this report of experiment %q are gone: ask the current one", c.Of, c.To, r.Experiment)
	}
	all, err := r.moments.contrast(c, r.solved)
	if err != nil {
		return nil, fmt.Errorf("contrast of %q to %q: %w", c.Of, c.To, err)
	}
	r.markModels(all)
	return all, nil
}

// Ask says which contrasts Report has from now on, in the place of those of the
// Spec: no sum depends on them.
func (m *Moments) Ask(contrasts []Contrast) {
	spec := *m.spec
	spec.Contrasts = contrasts
	m.spec = &spec
}

func (m *Moments) contrast(c Contrast, fits []*blipFit) (all []Estimate, err error) {
	d, g, err := m.place(c.Of)
	if err != nil {
		return nil, err
	}
	e, h, err := m.place(c.To)
	if err != nil {
		return nil, err
	}
	if c.To.Rest && !m.isWithin(d, g, e, h) {
		return nil, fmt.Errorf("%q is no part of %q: some of its decisions are elsewhere, so that there is no rest; name the groups to compare with", c.Of, Side{false, c.To.Dimension, c.To.Group})
	}
	for i, p := range m.panels {
		of, to := signed{p.cellAt(d, g), 1}, []signed{{p.cellAt(e, h), 1}}
		if c.To.Rest {
			to = append(to, signed{of.cell, -1})
		}
		own, other := m.side(p, of), m.side(p, to...)
		if own == nil || other == nil {
			continue // no trajectory with these outcomes has a row there
		}
		start, _ := m.describe(of.cell, d, g)
		start.Estimand, start.Of, start.To, start.Dimension, start.Group = ContrastOf, c.Of.String(), c.To.String(), "", ""
		for a := range m.axes.arms {
			forms := m.effectForms(p, a)
			for o := range p.outcomes {
				start.Outcome, start.Arm = m.spec.Experiment.Outcomes[p.outcomes[o]].Name, m.armName(1+a)
				all = append(all, m.contrasted(start, p, own, other, a, o, forms[o]))
				if fits != nil {
					all = append(all, fits[i].contrasted(start, own, other, a, o))
				}
			}
		}
	}
	return all, nil
}

// place finds the group of a side.
func (m *Moments) place(s Side) (d, g int, err error) {
	if s.Dimension == All {
		return 0, 0, nil
	}
	d = 1 + slices.IndexFunc(m.spec.Dimensions, func(x Dimension) bool { return x.Name == s.Dimension })
	if d == 0 {
		return 0, 0, fmt.Errorf("%q is no dimension of the experiment", s.Dimension)
	}
	g, known := m.groups[d].places[s.Group]
	if !known {
		return 0, 0, fmt.Errorf("no decision was seen in %q; known groups are %s", Side{false, s.Dimension, s.Group}, list(m.groups[d].names))
	}
	return d, g, nil
}

// list names the first of many.
func list(names []string) string {
	const most = 50
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
