package estimators

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// levelSets numbers the sets of levels that rows are in, in their order of
// appearance: one level, or several where one draw decided several calls. What
// a mask over levels intervenes on is a function of the set. Above most sets
// newcomers share the empty one, which no row is in: gains of masks cannot be told
// from then on.
type levelSets struct {
	list   [][]int // levels, ascending
	places map[string]int
	most   int
}

// setsALevel is how many sets there may be for each level that has a column: 64
// levels give 64 sets of one and leave room for 192 combinations.
const setsALevel = 4

func newLevelSets(spec *Spec) levelSets {
	return levelSets{places: map[string]int{}, most: setsALevel * cmp.Or(spec.MaxLevels, spec.MaxGroups, 1)}
}

// crowded tells whether there were more sets than are told apart.
func (s *levelSets) crowded() bool {
	_, shared := s.places[fmt.Sprint([]int{})]
	return shared
}

func (s *levelSets) find(levels []int) int {
	if len(levels) == 1 { // by far the most
		for i, own := range s.list {
			if len(own) == 1 && own[0] == levels[0] {
				return i
			}
		}
	}
	sorted := slices.Sorted(slices.Values(levels))
	key := fmt.Sprint(sorted)
	if i, known := s.places[key]; known {
		return i
	}
	if len(s.list) >= s.most && len(levels) > 0 {
		return s.find(nil)
	}
	s.list = append(s.list, sorted)
	s.places[key] = len(s.list) - 1
	return len(s.list) - 1
}

// matchSets says where the sets of o go, levels being those of m.
func (m *Moments) matchSets(o *Moments, levels []int) []int {
	to := make([]int, len(o.sets.list))
	for i, set := range o.sets.list {
		mapped := make([]int, len(set))
		for j, level := range set {
			mapped[j] = levels[level]
		}
		to[i] = m.sets.find(mapped)
	}
	return to
}

// Mask is a policy over the levels of the blip model's dimension: it intervenes
// with Arm with the probability of the row's level, the largest where a row has
// several; a level that is not named gets none. Its gain follows from sums
// alone, whenever it is asked for.
type Mask struct {
	Arm    string // "": the one intervention
	Levels map[string]float64
}

// ParseMask reads a mask as people write it: LEVEL=P, or LEVEL for a
// probability of 1. A level may hold = itself, if =P is written out.
func ParseMask(arm string, levels []string) (Mask, error) {
	mask := Mask{Arm: arm, Levels: map[string]float64{}}
	if len(levels) == 0 {
		return mask, errors.New("policy value: no level; write at least one, LEVEL or LEVEL=P")
	}
	for _, text := range levels {
		level, p := text, 1.0
		if i := strings.LastIndexByte(text, '='); i >= 0 {
			x, err := strconv.ParseFloat(text[i+1:], 64)
			if err != nil || !(x >= 0 && x <= 1) {
				return mask, fmt.Errorf("policy value: %q: %q is no probability; write LEVEL or LEVEL=P with P from 0 to 1", text, text[i+1:])
			}
			level, p = text[:i], x
		}
		if _, twice := mask.Levels[level]; twice {
			return mask, fmt.Errorf("policy value: level %q is named twice; name it once", level)
		}
		mask.Levels[level] = p
	}
	return mask, nil
}

// String names the mask, as estimates carry it.
func (k Mask) String() string {
	words := make([]string, 0, len(k.Levels))
	for _, level := range slices.Sorted(maps.Keys(k.Levels)) {
		words = append(words, fmt.Sprintf("%s=%v", level, k.Levels[level]))
	}
	return strings.Join(words, ", ")
}

// MaskGain is the gain of a mask over never intervening, for every outcome. An
// error says what the mask names that is not known.
func (r *Report) MaskGain(k Mask) ([]Estimate, error) {
	if len(r.solved) == 0 || !r.moments.spec.Blip.Masks {
		return nil, fmt.Errorf("policy value of %q: experiment %q has no blip model: configure blip_model", k, r.Experiment)
	}
	var all []Estimate
	for _, f := range r.solved {
		own, err := f.maskGain(k)
		if err != nil {
			return nil, fmt.Errorf("policy value of %q: %w", k, err)
		}
		all = append(all, own...)
	}
	r.markModels(all)
	return all, nil
}

// markModels marks what rests on a blip model that its test refuses.
func (r *Report) markModels(all []Estimate) {
	for _, model := range r.Models {
		for i := range all {
			if e := &all[i]; model.Check == CheckFail && e.Outcome == model.Outcome && e.Status == OK && e.Continuation != RandomizedContinuation {
				e.Model = ModelProjection
			}
		}
	}
}

func (f *blipFit) maskGain(k Mask) ([]Estimate, error) {
	if f.m.sets.crowded() {
		return nil, fmt.Errorf("calls decided together were of more than %d combinations of %s, whose sums are not kept apart: register the policy under policies in the configuration",
			f.m.sets.most, f.m.dimension(f.m.spec.Blip.Dimension))
	}
	arm, pi, err := f.mask(k)
	if err != nil {
		return nil, err
	}
	width := f.m.axes.s.width
	cols := f.pooling.size(f.m.axes.f)
	var ls [Buckets]dense
	var totals [Buckets][]float64
	for j := range ls {
		ls[j], totals[j] = newDense(f.size(), cols), make([]float64, cols)
	}
	for set, p := range pi {
		if p == 0 {
			continue
		}
		for w := range width {
			for _, column := range f.maskColumns(set, w) {
				for j := range ls {
					from := &f.masks[j]
					for i := range from.l.Rows {
						ls[j].Data[i*cols+column] += p * from.l.Data[i*from.l.Stride+set*width+w]
					}
					totals[j][column] += p * from.total[set*width+w]
				}
			}
		}
	}
	return f.gain(nil, k.String(), arm, &totals, f.solve(&ls, arm)), nil
}

// maskColumns are the columns of f that entry w of a set adds to: its levels'
// for the first, a moderator's for the others.
func (f *blipFit) maskColumns(set, w int) []int {
	if w > 0 {
		return []int{w - 1}
	}
	var columns []int
	for _, level := range f.m.sets.list[set] {
		if c := f.pooling.level[level]; c >= 0 {
			columns = append(columns, c)
		}
	}
	return columns
}

// mask is the arm of a mask and its probability in each set of levels.
func (f *blipFit) mask(k Mask) (arm int, pi []float64, err error) {
	interventions := f.m.spec.Experiment.Interventions
	if k.Arm != "" {
		arm = slices.Index(interventions, k.Arm)
	} else if len(interventions) > 1 {
		arm = -1
	}
	if arm < 0 {
		return 0, nil, fmt.Errorf("arm %q is none of the interventions %s", k.Arm, strings.Join(interventions, ", "))
	}
	var names []string
	for _, c := range f.m.levels[f.m.spec.Blip.Dimension].list {
		names = append(names, c.level)
	}
	for _, level := range slices.Sorted(maps.Keys(k.Levels)) {
		if p := k.Levels[level]; !(p >= 0 && p <= 1) {
			return 0, nil, fmt.Errorf("probability %v of %q is outside [0, 1]", p, level)
		}
		if !slices.Contains(names, level) {
			return 0, nil, fmt.Errorf("%q is no level of %s; known are %s; any other policy is registered under policies in the configuration",
				level, f.m.dimension(f.m.spec.Blip.Dimension), list(names))
		}
	}
	pi = make([]float64, len(f.m.sets.list))
	for i, set := range f.m.sets.list {
		for _, level := range set {
			pi[i] = max(pi[i], k.Levels[names[level]])
		}
	}
	return arm, pi, nil
}
