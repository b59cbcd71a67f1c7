package config

import (
	"math"
	"time"

	"blipd/daemon"
	"blipd/estimators"
	"blipd/event"
	"blipd/state"
)

// readExperiments reads the list of experiments.
func readExperiments(n node, limits limits) []daemon.Experiment {
	items := n.list()
	if n.given() && len(items) == 0 && (n.null() || n.value.Kind == seq) {
		n.fault("no experiment; write at least one")
	}
	names := distinct{what: "experiments"}
	var experiments []daemon.Experiment
	for _, item := range items {
		m := item.mapping()
		e := readExperiment(m, limits, &names)
		experiments = append(experiments, e)
		m.done()
	}
	return experiments
}

// readExperiment reads one experiment, in the order of the contract.
func readExperiment(m *mapping, limits limits, names *distinct) daemon.Experiment {
	text := limits.Event.Text
	name := m.need("name", "the name of the experiment")
	e := event.Experiment{Name: names.add(name, name.name(text))}
	e.Control, e.Interventions = readArms(m.need("arms", "{control: NAME, interventions: [NAME]}"), text)
	e.ProbabilityOf = readProbabilityOf(m.get("probability_of"), len(e.Interventions))
	outcomes := readOutcomes(m.need("outcomes", "a list of at least one outcome"), text)
	for _, o := range outcomes {
		e.Outcomes = append(e.Outcomes, o.OutcomeRule)
	}
	e.MinProbability = readMinProbability(m.get("min_probability"), 1+len(e.Interventions))

	rules := readRules(m)
	folds := m.get("folds").whole(5, 2, estimators.Buckets)
	model := readOutcomeModel(m.get("outcome_model"))
	words := vocabulary{text: text, outcomes: e.Outcomes}
	cluster := readCluster(m.get("cluster"), words)
	features := readFeatures(m.get("features"), words)
	dimensions := readGroups(m.get("groups"), words)
	parts := &blipParts{vocabulary: words, features: features, dimensions: dimensions, arms: e.Interventions}
	blip := parts.readBlipModel(m.get("blip_model"))
	candidates := parts.readCandidates(m.get("blip_candidates"))
	contrasts := readContrasts(m.get("contrasts"), dimensions)
	var later laterParts
	later.moderated(blip)
	policies := parts.readPolicies(m.get("policies"))
	later.harm(outcomes)

	hash := definition{experiment: e, outcomes: outcomes, rules: rules, folds: folds, model: model, cluster: cluster.Text,
		features: features, dimensions: dimensions, blip: blip, candidates: candidates, limits: limits}.hash()
	spec := estimators.Spec{Experiment: e, Folds: folds, Ridge: model.Ridge, Features: features,
		Dimensions: dimensions, MaxGroups: limits.groups, MaxLevels: limits.levels, Cluster: cluster, MaxClusters: limits.clusters,
		PerArm: model.PerArm, Learning: model.learning(), Blip: blip.spec(parts, len(policies)+len(candidates) > 0), Policies: policies,
		Candidates: specs(candidates, parts), Contrasts: contrasts, Hash: hash}
	if spec.Blip != nil {
		spec.Blip.Implied = blip == nil && len(candidates) == 0
	}
	rules.Experiment, rules.TimeoutValues, rules.Hash = e, timeoutValues(outcomes), hash
	rules.Policies, rules.PoliciesApart = spec.PolicyKeys(), spec.PoliciesApart()
	return daemon.Experiment{
		Rules: rules, Spec: spec,
		Better: better(outcomes),
		NotYet: later.notYet,
	}
}

// readArms reads the control and the interventions.
func readArms(n node, text int) (control string, interventions []string) {
	m := n.mapping()
	names := distinct{what: "arms"}
	first := n.needs(m, "control", "the name of the arm that does not intervene")
	control = names.add(first, first.name(text))
	list := n.needs(m, "interventions", "a list of at least one arm that intervenes")
	items := list.list()
	if list.given() && len(items) == 0 && (list.null() || list.value.Kind == seq) {
		list.fault("no intervention; write at least one arm that intervenes")
	}
	for _, item := range items {
		interventions = append(interventions, names.add(item, item.name(text)))
	}
	m.done()
	return control, interventions
}

// needs is need, but silent where the mapping itself is missing, which was said.
func (n node) needs(m *mapping, key, write string) node {
	if !n.given() {
		return m.get(key)
	}
	return m.need(key, write)
}

func readProbabilityOf(n node, interventions int) event.ProbabilityOf {
	of := event.ProbabilityOf(n.oneOf("", "", string(event.OfTreatment), string(event.OfArm)))
	if of != "" && interventions > 1 {
		n.fault("%q with %d interventions: the short form sends one probability, which says enough for one; remove the key and send assignment.probabilities", of, interventions)
	}
	return of
}

func readMinProbability(n node, arms int) float64 {
	const usual = 0.0001
	p, ok := n.number()
	switch {
	case !ok:
		return usual
	case p <= 0 || p >= 0.5:
		n.fault("%s is outside (0, 0.5); write a probability between, such as %s", n.shownNumber(p), show(usual))
		return usual
	case p*float64(arms) > 1:
		n.fault("%s for each of %d arms is more than 1 in all, so that no decision could count; write at most %s", n.shownNumber(p), arms, show(1/float64(arms)))
		return usual
	}
	return p
}

// readRules reads how trajectories open and close.
func readRules(m *mapping) state.Rules {
	return state.Rules{
		StartPeriod:    m.get("start_period").duration(time.Hour, shortest),
		Timeout:        m.get("trajectory_timeout").duration(24*time.Hour, shortest),
		CloseGrace:     m.get("close_grace").duration(0, 0),
		RevisionWindow: m.get("revision_window").duration(24*time.Hour, 0),
	}
}

// outcomeModel is how outcomes are predicted from features.
type outcomeModel struct {
	Ridge        float64 `json:"ridge"`
	LearnerEvery int     `json:"learner_every"`
	Learner      string  `json:"learner,omitempty"`
	PerArm       bool    `json:"per_arm,omitempty"`
}

// boostedTrees is the one learner there is.
const boostedTrees = "boosted_trees"

// learning is how the learned outcome model learns, nil where there is none.
func (m *outcomeModel) learning() *estimators.Learning {
	if m.Learner == "" {
		return nil
	}
	return &estimators.Learning{Every: m.LearnerEvery}
}

// readOutcomeModel reads outcome_model. What would change the numbers of this
// version, and is not computed by it, is refused.
func readOutcomeModel(n node) outcomeModel {
	m := n.mapping()
	model := outcomeModel{Ridge: 1}
	ridge := m.get("ridge")
	if x, ok := ridge.number(); ok && x > 0 {
		model.Ridge = x
	} else if ok {
		ridge.fault("%s is not above 0; write a positive penalty, such as 1", ridge.shownNumber(x))
	}
	model.PerArm = m.get("per_arm").flag(false)
	if learner := m.get("learner"); learner.given() && !learner.null() {
		if name, ok := learner.scalar("the name of a learner"); ok && name.text == boostedTrees {
			model.Learner = name.text
		} else if ok {
			learner.fault("%q is no learner; write %s, or null for none", name.text, boostedTrees)
		}
	}
	model.LearnerEvery = m.get("learner_every").whole(2000, 1, math.MaxInt32)
	m.done()
	return model
}

// readCluster reads the cluster expression; none is no expression.
func readCluster(n node, v vocabulary) estimators.Expression {
	if text, ok := n.scalar("an expression"); !ok || text.text == "" {
		return estimators.Expression{}
	}
	x, _ := v.expression(n, anyValue)
	return x
}
