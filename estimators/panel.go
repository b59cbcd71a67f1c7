package estimators

import (
	"slices"

	"blipd/event"
)

// panel holds the sums of outcomes that are final together. One trajectory is
// in a panel when all of the panel's outcomes have final values.
type panel struct {
	outcomes []int // places in the Experiment's Outcomes
	perArm   bool
	v        axis // of the scores' v_i

	present   []int64      // trajectories by cluster; with a cluster expression
	alone     int64        // trajectories without a decision, each its own cluster; with a cluster expression
	models    [][]nuisance // [intervention][fold], rows weighted by W^2
	armModels [][]nuisance // [arm][fold], the rows of the arm; with an outcome model for each
	cells     [][]*cell    // [dimension][group]; nil where no row was seen
	moderated []scores     // per intervention; with moderators
	blip      *blipSums    // nil without a blip model

	ranked     []candidate       // those of the Moments
	candidates [][]candidateSums // [candidate][fold]
	squares    [][]float64       // [fold][outcome], sum over rows of Y^2; with candidates
}

// nuisance holds the normal equations of an outcome model in one fold, rows
// weighted by ww.
type nuisance struct {
	gram  packed   // sum ww x x'
	cross []vector // per outcome of the panel, sum ww x Y
}

func (m *Moments) newPanel(outcomes []int) *panel {
	arms := len(m.spec.Experiment.Interventions)
	p := &panel{outcomes: outcomes, perArm: m.spec.PerArm, cells: make([][]*cell, len(m.groups))}
	p.v = axis{columnsOfX, 1 + len(outcomes), 1}
	p.models = newNuisances(arms, m.spec.Folds, len(outcomes))
	if m.spec.PerArm {
		p.v = axis{columnsOfX, 1 + 2*len(outcomes), 2}
		p.armModels = newNuisances(1+arms, m.spec.Folds, len(outcomes))
	}
	p.ranked, p.candidates = m.candidates, m.newCandidateSums(len(outcomes))
	if len(p.candidates) > 0 {
		p.squares = make([][]float64, m.spec.Folds)
		for k := range p.squares {
			p.squares[k] = make([]float64, len(outcomes))
		}
	}
	if m.spec.Blip != nil {
		p.blip = newBlipSums(m.spec.Folds, len(outcomes), len(m.spec.Policies))
		if n := len(m.spec.Blip.Moderators); n > 0 && n <= MostModerated && !m.spec.Blip.Unmoderated {
			for range arms {
				p.moderated = append(p.moderated, newScores(m.spec, m.spec.Folds))
			}
		}
	}
	return p
}

func newNuisances(models, folds, outcomes int) [][]nuisance {
	all := make([][]nuisance, models)
	for i := range all {
		all[i] = make([]nuisance, folds)
		for k := range all[i] {
			all[i][k].cross = make([]vector, outcomes)
		}
	}
	return all
}

// add adds a trajectory's batch, laid out, whose scaled outcomes are y.
func (p *panel) add(m *Moments, b *batch, y []float64, sign int64) {
	switch {
	case b.cluster >= 0:
		p.present = grown(p.present, max(len(p.present), b.cluster+1))
		p.present[b.cluster] += sign
	case m.spec.clustered():
		p.alone += sign
	}
	if p.blip != nil {
		p.blip.buckets[b.bucket].trajectories += sign
		b.cross(m, p.blip.buckets[b.bucket].cross, y, float64(sign))
	}
	if b.n == 0 {
		return
	}
	s := float64(sign)
	for a := range p.models {
		p.models[a][b.fold].add(s, b, y, b.weigh(func(r *row) float64 { return r.weights[a] * r.weights[a] }))
	}
	for a := range p.armModels {
		p.armModels[a][b.fold].add(s, b, y, b.weigh(func(r *row) float64 {
			if r.arm == a {
				return 1
			}
			return 0
		}))
	}
	for i := range b.visited {
		g := &b.visited[i]
		c := m.cell(p, g.dimension, g.group)
		c.add(p, b, g, y, sign)
		if b.cluster < 0 && m.pools(g.dimension) {
			c.members.add(b.hash, sign)
		}
	}
	for a := range p.moderated {
		p.moderate(b, a, y)
		p.moderated[a].add(s, b, b.places, b.values)
	}
	if p.blip != nil {
		p.blip.add(b, y, s)
		b.support(m, p.blip.support, sign)
	}
	for i := range p.candidates {
		p.candidates[i][b.fold].add(s, &b.candidates[i], b, y)
	}
	if len(p.squares) > 0 {
		for o, v := range y {
			p.squares[b.fold][o] += s * float64(b.n) * v * v
		}
	}
}

func (n *nuisance) add(sign float64, b *batch, y []float64, wx []float64) {
	n.gram.addGram(sign, b.cols, wx, b.x, b.padded)
	b.sum = columnSums(zeros(b.sum, len(b.cols)), wx, b.n)
	for o := range n.cross {
		n.cross[o].addSparse(sign*y[o], b.cols, b.sum)
	}
}

// cell finds the sums of a group, and makes room for them.
func (m *Moments) cell(p *panel, dimension, group int) *cell {
	for len(p.cells[dimension]) <= group {
		p.cells[dimension] = append(p.cells[dimension], nil)
	}
	if p.cells[dimension][group] == nil {
		p.cells[dimension][group] = newCell(m.spec)
	}
	return p.cells[dimension][group]
}

// each does v to every sum but those of cells, beside those of o.
func (p *panel) each(o *panel, x *axes, v sums) {
	for _, both := range [][2][][]nuisance{{p.models, o.models}, {p.armModels, o.armModels}} {
		for a, folds := range both[0] {
			for k := range folds {
				own, other := &folds[k], &both[1][a][k]
				v.packed(&own.gram, &other.gram, x.x)
				for i := range own.cross {
					v.vector(&own.cross[i], &other.cross[i], x.x)
				}
			}
		}
	}
	for a := range p.moderated {
		p.moderated[a].each(&o.moderated[a], p.moderatedAxis(x), v)
	}
	if p.blip != nil {
		p.blip.each(o.blip, x, v)
	}
	for i, folds := range p.candidates {
		z := p.ranked[i].z
		for k := range folds {
			own, other := &folds[k], &o.candidates[i][k]
			v.packed(&own.zz, &other.zz, z)
			v.matrix(&own.zx, &other.zx, z, x.x)
			for j := range own.zy {
				v.vector(&own.zy[j], &other.zy[j], z)
			}
		}
	}
}

// eachScores visits all scores.
func (p *panel) eachScores(visit func(*scores)) {
	for _, c := range slices.Concat(p.cells...) {
		if c != nil {
			for a := range c.scores {
				visit(&c.scores[a])
			}
		}
	}
	for a := range p.moderated {
		visit(&p.moderated[a])
	}
}

// outcomesOf reads the scaled outcomes of a panel; ok is false when one is not
// final.
func (m *Moments) outcomesOf(p *panel, t *event.Trajectory) (y []float64, ok bool) {
	y = m.y[:0]
	for _, o := range p.outcomes {
		rule := &m.spec.Experiment.Outcomes[o]
		held := t.Held(rule.Name).Final
		if !held.Given {
			return nil, false
		}
		centre, half := scale(rule)
		y = append(y, (held.Value-centre)/half)
	}
	m.y = y
	return y, true
}

// scale is the centre and the half-width by which an outcome is scaled before
// any sum is formed; effects are multiplied back by half.
func scale(o *event.OutcomeRule) (centre, half float64) {
	if !o.Ranged {
		return 0, 1
	}
	return (o.Low + o.Up) / 2, (o.Up - o.Low) / 2
}
