package validity

import "blipd/event"

// The arms of every world here.
const (
	control = "direct"
	review  = "review"
)

// weight is W = 1{A=m}/p_m - 1{A=0}/p_0.
func weight(d *event.Decision) float64 {
	for _, p := range d.Assignment.Probabilities {
		if p.Arm == d.Assignment.Arm {
			if p.Arm == control {
				return -1 / p.P
			}
			return 1 / p.P
		}
	}
	panic("an arm without a probability")
}
