package event

import (
	"slices"
	"strings"
)

// assignment is the draw, written out or in the short form. What was drawn and
// with which chances is never refused for its numbers, as long as they are
// numbers: whether they make a row is decided by Experiment.Randomized.
func (o object) assignment(exp *Experiment) Assignment {
	if o.find("treatment") != nil || o.find("probability") != nil {
		return o.shortForm(exp)
	}
	if o.get("assignment") == nil {
		return Assignment{}
	}
	in := o.object("assignment", "arm", "probabilities", "policy", "draw", "forced", "holdback")
	a := Assignment{Given: true}
	a.Arm = in.text("arm")
	a.Probabilities = in.probabilities()
	a.Policy = in.text("policy")
	if u := in.amount("draw"); u.Given {
		a.Draw = Draw{Given: true, U: u.N}
		if u.N < 0 || u.N >= 1 {
			in.refuse(BadNumber, "%s is the number %s, outside [0, 1); send the uniform number that picked the arm, or leave it out",
				in.at("draw"), shorten(in.find("draw").text))
		}
	}
	a.Forced = in.flag("forced") == True
	a.Holdback = in.flag("holdback") == True
	return a
}

func (o object) probabilities() []Probability {
	in := o.object("probabilities")
	var all []Probability
	for i := range in.members {
		m := &in.members[i]
		if !in.fits(m.name) {
			return nil
		}
		p, _ := in.asNumber(m.name, &m.node)
		all = append(all, Probability{Arm: m.name, P: p})
	}
	sortProbabilities(all)
	return all
}

func sortProbabilities(all []Probability) {
	slices.SortFunc(all, func(a, b Probability) int { return strings.Compare(a.Arm, b.Arm) })
}

// shortForm reads "treatment": 0|1, "probability": p, which says all of an
// assignment between two arms once the experiment says whose probability p is.
func (o object) shortForm(exp *Experiment) Assignment {
	if o.find("assignment") != nil {
		o.refuse(DuplicateMember, "%s stands beside treatment and probability, its short form; send one of the two", o.at("assignment"))
	}
	o.need("treatment", "0 for the control or 1 for the intervention, or send assignment instead")
	o.need("probability", "the known probability, or send assignment instead")
	o.checkShort(exp)
	drawn, _ := o.whole("treatment", 0, 1) // its place among the arms
	p := o.amount("probability").N
	if o.fault != nil || exp == nil || exp.ProbabilityOf == "" || len(exp.Interventions) != 1 {
		return Assignment{}
	}
	arms := exp.Arms()
	of := 1 // the arm whose probability p is
	if exp.ProbabilityOf == OfArm {
		of = drawn
	}
	a := Assignment{Given: true, Arm: arms[drawn]}
	a.Probabilities = []Probability{{Arm: arms[of], P: p}, {Arm: arms[1-of], P: 1 - p}}
	sortProbabilities(a.Probabilities)
	return a
}

// checkShort refuses a short form whose p has no meaning.
func (o object) checkShort(exp *Experiment) {
	switch {
	case o.fault != nil || exp == nil:
	case exp.ProbabilityOf == "":
		o.refuse(MissingMember, "experiment %s does not say what probability means; set its probability_of to treatment or arm, or send assignment instead",
			quote(exp.Name))
	case len(exp.Interventions) != 1:
		o.refuse(MissingMember, "experiment %s has %d interventions, and treatment and probability speak of one; send assignment with the probabilities of %s",
			quote(exp.Name), len(exp.Interventions), list(exp.Arms()))
	}
}
