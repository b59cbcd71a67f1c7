package event

import "slices"

// Trajectory is one agent's run, as kept: what its events add up to. Its
// lists stand in the order in which their events were read.
type Trajectory struct {
	ID            string
	Experiment    string // "" until an event names it
	First, Last   Time   // the earliest and the latest time of its events; NoTime before any
	Decisions     []Decision
	Interventions []Intervention // also those that wait for their decision
	Outcomes      []Held         // sorted by name
	End           *End

	// Learned is what a learned outcome model said of the decisions when the
	// trajectory was counted, as many numbers for each, in the order of Decisions;
	// nil while there is no such model. Event keeps it and does not understand it.
	Learned []float64
}

// Held is what is known of one outcome: the final value of the highest
// revision, and a provisional one that is shown and never used.
type Held struct {
	Name        string
	Final       Valued
	Provisional Valued
}

// Valued is a value of an outcome at a revision, where one is Given.
type Valued struct {
	Given    bool
	Revision int
	Value    float64
}

// Held finds an outcome of the trajectory; the zero Held is none.
func (t *Trajectory) Held(name string) Held {
	if i, ok := t.find(name); ok {
		return t.Outcomes[i]
	}
	return Held{}
}

// Hold puts an outcome in its place.
func (t *Trajectory) Hold(h Held) {
	i, ok := t.find(h.Name)
	if !ok {
		t.Outcomes = slices.Insert(t.Outcomes, i, h)
	}
	t.Outcomes[i] = h
}

func (t *Trajectory) find(name string) (int, bool) {
	return slices.BinarySearchFunc(t.Outcomes, name, func(h Held, n string) int {
		switch {
		case h.Name < n:
			return -1
		case h.Name > n:
			return 1
		}
		return 0
	})
}

// Order lists the places of the decisions in their order within the
// trajectory: by index where every decision has one, else as they were read.
func (t *Trajectory) Order() []int {
	order := make([]int, len(t.Decisions))
	indexed := true
	for i := range t.Decisions {
		order[i] = i
		indexed = indexed && t.Decisions[i].Index > 0
	}
	if indexed {
		slices.SortStableFunc(order, func(a, b int) int { return t.Decisions[a].Index - t.Decisions[b].Index })
	}
	return order
}

// IndexOf is the index of the decision read as number i (from 0): its own, or
// one more than the decisions known before it.
func (t *Trajectory) IndexOf(i int) int {
	if given := t.Decisions[i].Index; given > 0 {
		return given
	}
	return i + 1
}
