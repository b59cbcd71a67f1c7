package estimators

import (
	"errors"
	"fmt"

	"blipd/estimators/boost"
	"blipd/event/pack"
)

// learnerVersion is that of the bytes of a Learner.
const learnerVersion = 1

// AppendBinary appends all that the learner is, bit for bit; it belongs to a Spec.
func (l *Learner) AppendBinary(b []byte) ([]byte, error) {
	w := pack.Writer{B: append(b, learnerVersion)}
	w.Int(l.counted)
	w.Int(int64(len(l.lessons)))
	for i := range l.lessons {
		l.lessons[i].pack(&w)
	}
	w.Bool(l.trees != nil)
	if l.trees == nil {
		return w.B, nil
	}
	packHashes(&w, l.trees.levels)
	for _, trees := range l.trees.trees {
		for _, e := range trees {
			bytes, err := e.AppendBinary(nil)
			if err != nil {
				return nil, fmt.Errorf("estimators: write a learner: %w", err)
			}
			w.Bytes(bytes)
		}
	}
	return w.B, nil
}

// UnmarshalBinary reads what AppendBinary wrote, into the learner of an equal Spec.
// An error leaves the learner as it was.
func (l *Learner) UnmarshalBinary(b []byte) error {
	r := pack.Reader{B: b}
	if v := r.Byte(); v != learnerVersion {
		return fmt.Errorf("estimators: read a learner of version %d, this program knows %d", v, learnerVersion)
	}
	n := NewLearner(l.spec)
	n.counted = r.Int()
	for range r.Count() {
		n.lessons = append(n.lessons, l.spec.unpackLesson(&r))
		n.rows += len(n.lessons[len(n.lessons)-1].rows)
		if r.Failed() {
			break
		}
	}
	var broken error
	if r.Bool() {
		n.trees = &forest{numbers: l.spec.numbers(), levels: unpackHashes(&r, len(l.spec.Features)-l.spec.numbers())}
		for range l.spec.Experiment.Outcomes {
			var trees []*boost.Ensemble
			for range l.spec.Folds {
				e := &boost.Ensemble{}
				if bytes := r.Bytes(); !r.Failed() {
					broken = errors.Join(broken, e.UnmarshalBinary(bytes))
				}
				trees = append(trees, e)
			}
			n.trees.trees = append(n.trees.trees, trees)
		}
		broken = errors.Join(broken, n.trees.check())
	}
	if err := errors.Join(r.Err(), broken); err != nil {
		return fmt.Errorf("estimators: read a learner: %w", err)
	}
	*l = *n
	return nil
}

// check makes sure that the trees fit the columns.
func (f *forest) check() error {
	for _, trees := range f.trees {
		for _, e := range trees {
			if e.Columns() != f.columns() {
				return fmt.Errorf("trees of %d columns for rows of %d", e.Columns(), f.columns())
			}
		}
	}
	return nil
}

// numbers is how many features are numbers; the others are categories.
func (s *Spec) numbers() int {
	n := 0
	for f := range s.Features {
		if !s.Features[f].Category {
			n++
		}
	}
	return n
}

func (n *lesson) pack(w *pack.Writer) {
	w.Int(int64(n.hash))
	w.Text(n.id)
	w.Int(int64(n.fold))
	w.Floats(n.y)
	w.Int(int64(len(n.rows)))
	for i := range n.rows {
		w.Floats(n.rows[i].numbers)
		packHashes(w, n.rows[i].levels)
	}
}

func (s *Spec) unpackLesson(r *pack.Reader) lesson {
	n := lesson{hash: uint64(r.Int()), id: r.Text(), fold: int(r.Int()), y: r.Floats(len(s.Experiment.Outcomes))}
	for range r.Count() {
		n.rows = append(n.rows, seen{r.Floats(s.numbers()), unpackHashes(r, len(s.Features)-s.numbers())})
		if r.Failed() {
			break
		}
	}
	return n
}

func packHashes(w *pack.Writer, lists [][]uint64) {
	for _, hashes := range lists {
		w.Int(int64(len(hashes)))
		for _, h := range hashes {
			w.Int(int64(h))
		}
	}
}

func unpackHashes(r *pack.Reader, lists int) [][]uint64 {
	all := make([][]uint64, lists)
	for i := range all {
		for range r.Count() {
			all[i] = append(all[i], uint64(r.Int()))
		}
	}
	return all
}
