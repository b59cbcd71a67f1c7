package estimators

import (
	"math"
	"slices"

	"blipd/estimators/boost"
)

// forest are the trees of all outcomes and folds of one fit, and how rows become
// their columns: the numbers, then one 0/1 column for each level known at the fit.
type forest struct {
	numbers int
	levels  [][]uint64          // of each category, ascending
	trees   [][]*boost.Ensemble // [outcome][fold]

	row []float64 // scratch
}

// fitForest fits everything anew. The trees of (o, k) learn what a ridge on the
// same columns leaves of outcome o, from all lessons outside fold k: the regression
// that uses their prediction has the linear part anyway.
func fitForest(spec *Spec, lessons []lesson) *forest {
	f := &forest{}
	for i := range spec.Features {
		if !spec.Features[i].Category {
			f.numbers++
		}
	}
	f.level(spec, lessons)
	for o := range spec.Experiment.Outcomes {
		var trees []*boost.Ensemble
		for k := range spec.Folds {
			trees = append(trees, f.fit(spec, lessons, o, k))
		}
		f.trees = append(f.trees, trees)
	}
	return f
}

// level collects the levels of each category: as columns of x do, at most
// MaxLevels of them, those with the smallest hashes.
func (f *forest) level(spec *Spec, lessons []lesson) {
	at := 0
	for i := range spec.Features {
		if !spec.Features[i].Category {
			continue
		}
		var all []uint64
		for l := range lessons {
			for r := range lessons[l].rows {
				for _, hash := range lessons[l].rows[r].levels[at] {
					if place, known := slices.BinarySearch(all, hash); !known {
						all = slices.Insert(all, place, hash)
					}
				}
			}
		}
		f.levels = append(f.levels, all[:min(len(all), spec.Features[i].MaxLevels)])
		at++
	}
}

func (f *forest) columns() int {
	n := f.numbers
	for _, levels := range f.levels {
		n += len(levels)
	}
	return n
}

// encode appends the columns of a row.
func (f *forest) encode(s *seen, x []float64) []float64 {
	x = append(x, s.numbers...)
	for c, levels := range f.levels {
		begin := len(x)
		x = append(x, make([]float64, len(levels))...)
		for _, hash := range s.levels[c] {
			if i, known := slices.BinarySearch(levels, hash); known {
				x[begin+i] = 1
			}
		}
	}
	return x
}

func (f *forest) predict(s *seen, into []float64) {
	f.row = f.encode(s, f.row[:0])
	for o, trees := range f.trees {
		for k, e := range trees {
			into[o*len(trees)+k] = e.Predict(f.row)
		}
	}
}

// fit fits the trees of one outcome and fold. A fifth of the trajectories is held
// out to choose how many trees there are.
func (f *forest) fit(spec *Spec, lessons []lesson, o, k int) *boost.Ensemble {
	rows := boost.Rows{Columns: f.columns()}
	for l := range lessons {
		n := &lessons[l]
		if n.fold == k || math.IsNaN(n.y[o]) {
			continue
		}
		for r := range n.rows {
			rows.X = f.encode(&n.rows[r], rows.X)
			rows.Y = append(rows.Y, n.y[o])
			rows.Held = append(rows.Held, n.hash>>32%5 == 0)
		}
	}
	if f.residual(&rows, spec.Ridge) {
		if e, err := boost.Fit(rows, boosting); err == nil {
			return e
		}
	}
	return boost.Constant(rows.Columns, 0) // nothing to learn from, and 0 is as valid
}

// residual takes a ridge on the columns out of the outcomes; false where there is
// none. A missing number is 0 and has a 0/1 column of its own, as in x.
func (f *forest) residual(rows *boost.Rows, ridge float64) bool {
	n := len(rows.Y)
	dim := 1 + f.numbers + rows.Columns
	var gram packed
	cross := make([]float64, dim)
	places, values := make([][]int, n), make([][]float64, n)
	for i := range n {
		x := rows.X[i*rows.Columns : (i+1)*rows.Columns]
		p, v := []int{0}, []float64{1}
		for c, y := range x {
			switch {
			case math.IsNaN(y):
				p, v = append(p, 1+rows.Columns+c), append(v, 1)
			case y != 0:
				p, v = append(p, 1+c), append(v, y)
			}
		}
		sortPairs(p, v)
		places[i], values[i] = p, v
		gram.addOuter(1, p, v)
		for j, at := range p {
			cross[at] += v[j] * rows.Y[i]
		}
	}
	s := newNormal(dim)
	order := make([]int, dim)
	for i := range order {
		order[i] = i
	}
	s.add(&gram, order)
	s.penalize(ridge)
	if n == 0 || !s.factorize() {
		return false
	}
	b := s.solve(cross)
	for i := range n {
		for j, at := range places[i] {
			rows.Y[i] -= b[at] * values[i][j]
		}
	}
	return true
}

// sortPairs orders places ascending, and their values with them.
func sortPairs(places []int, values []float64) {
	for i := 1; i < len(places); i++ {
		for j := i; j > 0 && places[j] < places[j-1]; j-- {
			places[j], places[j-1] = places[j-1], places[j]
			values[j], values[j-1] = values[j-1], values[j]
		}
	}
}
