package boost

import (
	"errors"
	"math"
)

// errFinite is what weights of very different sizes can lead to.
var errFinite = errors.New("boost: a leaf is not finite: weights or outcomes differ too much in size")

// mostLeaf is the most that a leaf says: all trees together stay finite.
const mostLeaf = 1e200

// Fit learns y from x. If rows are held out, trees are added to the others until
// Patience of them in a row do not lessen the weighted squared error of the held-out
// rows; the number of trees that did best is then fitted to all rows.
//
// Where there is nothing to split (constant outcomes or features, fewer rows than
// two leaves need) the answer is a constant, the weighted mean of y; without a row of
// positive weight, 0. Params and rows outside their bounds are refused.
//
// The time is about Trees * (n * Columns + Columns * Bins * 2^Depth) steps, and the
// memory beside the input n * Columns bytes and Depth+1 histograms.
func Fit(rows Rows, p Params) (*Ensemble, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := rows.check(); err != nil {
		return nil, err
	}
	weight, all := rows.weigh()
	b := &booster{rows: &rows, params: p, weight: weight}
	b.columns, b.size = binColumns(&rows, all, p.Bins)
	if rows.Held == nil {
		return b.boost(all, nil, p.Trees)
	}
	var learn, held []int32
	for _, i := range all {
		if rows.Held[i] {
			held = append(held, i)
		} else {
			learn = append(learn, i)
		}
	}
	if len(held) == 0 {
		return b.boost(all, nil, p.Trees)
	}
	e, err := b.boost(learn, held, p.Trees)
	if err != nil {
		return nil, err
	}
	return b.boost(all, nil, e.Trees())
}

// booster has what all boosting of some rows shares.
type booster struct {
	rows    *Rows
	params  Params
	weight  []float64
	columns []binned
	size    int
}

// boost fits at most most trees to the rows in learn, and keeps as many as are best
// for those in held, if there are any.
func (b *booster) boost(learn, held []int32, most int) (*Ensemble, error) {
	constant, same := b.mean(learn)
	e := Constant(b.rows.Columns, constant)
	if same {
		return e, nil
	}
	p := &b.params
	g := &grower{
		depth: p.Depth, rate: p.LearningRate, columns: b.columns, size: b.size,
		weight: b.weight, residual: make([]float64, len(b.rows.Y)), rows: append([]int32(nil), learn...),
	}
	for i, y := range b.rows.Y {
		g.residual[i] = y - constant
	}
	g.rules = rules{
		l2: p.L2, minRows: float64(p.MinRows),
		leastWeight: no * g.total(learn).w, leastGain: noGain * g.loss(learn),
	}
	best, bestTrees := g.loss(held), 0
	for e.Trees() < most {
		tree := g.grow()
		if tree == nil {
			break
		}
		for i := range tree {
			if tree[i].right == 0 && !(math.Abs(tree[i].value) <= mostLeaf) {
				return nil, errFinite
			}
		}
		e.add(tree)
		if len(held) == 0 {
			continue
		}
		for _, i := range held {
			g.residual[i] -= ask(tree, b.rows.row(i))
		}
		if loss := g.loss(held); loss < best {
			best, bestTrees = loss, e.Trees()
		} else if e.Trees()-bestTrees >= p.Patience {
			break
		}
	}
	if len(held) > 0 {
		e.cut(bestTrees)
	}
	return e, nil
}

// mean is the weighted mean of y, 0 of no rows, and whether all y are that.
func (b *booster) mean(rows []int32) (mean float64, same bool) {
	if len(rows) == 0 {
		return 0, true
	}
	y := b.rows.Y
	least, most := y[rows[0]], y[rows[0]]
	var sum, weight float64
	for _, i := range rows {
		least, most = min(least, y[i]), max(most, y[i])
		sum += float64(b.weight[i] * y[i])
		weight += b.weight[i]
	}
	return min(max(sum/weight, least), most), least == most
}

// loss is the weighted squared error of the rows.
func (g *grower) loss(rows []int32) float64 {
	sum := 0.0
	for _, i := range rows {
		sum += float64(g.weight[i] * g.residual[i] * g.residual[i])
	}
	return sum
}
