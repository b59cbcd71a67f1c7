package sim

// fleetTool is a tool of the fleet: how it is reviewed and what that changes.
// A review adds success to the probability of success and takes averted from
// that of a violation, to which every call of the tool adds risk ≥ averted.
type fleetTool struct {
	name, capability string
	reviewed         float64
	success          float64
	risk, averted    float64
	stages           [3]float64 // share of the calls while opening, working, closing
}

var fleetTools = [...]fleetTool{
	{"get_user", "read", 0.2, 0, 0, 0, [3]float64{0.6, 0.1, 0}},
	{"search_flights", "read", 0.2, 0, 0, 0, [3]float64{0.4, 0.22, 0.15}},
	{"update_booking", "write", 0.5, 0.08, 0.03, 0.02, [3]float64{0, 0.26, 0.05}},
	{"cancel_booking", "write", 0.5, 0.06, 0.05, 0.04, [3]float64{0, 0.2, 0}},
	{"issue_refund", "money", 0.7, 0.1, 0.08, 0.06, [3]float64{0, 0, 0.3}},
	{"run_sql", "write", 0.4, 0.03, 0.06, 0.05, [3]float64{0, 0.22, 0}},
	{"send_email", "talk", 0.3, -0.05, 0.02, 0.01, [3]float64{0, 0, 0.35}},
	{"transfer_to_human", "talk", 0.5, 0, 0, 0, [3]float64{0, 0, 0.15}},
}

// A trajectory of the fleet makes 3 to 7 calls, each number as likely: the first
// opens, the next three work, the others close.
const (
	fewestCalls = 3
	mostCalls   = 7
	firstClose  = 5
)

func stageOf(call int) int {
	switch {
	case call == 1:
		return 0
	case call < firstClose:
		return 1
	}
	return 2
}

// outlasts is the probability that a trajectory makes this call.
func outlasts(call int) float64 {
	return float64(mostCalls-max(call, fewestCalls)+1) / (mostCalls - fewestCalls + 1)
}

// stageShares are the shares of the tools in each stage.
var stageShares = func() (all [3][]float64) {
	for stage := range all {
		for _, t := range fleetTools {
			all[stage] = append(all[stage], t.stages[stage])
		}
	}
	return all
}()

// What success and violation are without a review. With the effects of the
// tools they stay in [0, 1] whatever is called and reviewed (a test tries the
// extremes), so that the probabilities are exactly additive and the planted
// effect of a tool is exactly its number.
const (
	baseSuccess     = 0.36
	perFailure      = -0.015 // for each earlier call that failed, at most six
	callFails       = 0.12
	luck            = 0.05 // what nobody observes, uniform in ±luck
	baseViolation   = 0.02
	fleetIneligible = 0.01  // of the calls
	fleetForced     = 0.005 // of the calls, and these are reviewed
)

// tiers are the customers, as likely as each other, and what they add to success.
var tiers = [...]struct {
	name    string
	success float64
}{{"basic", 0}, {"silver", 0.02}, {"gold", 0.05}}

// Truth lists the planted effects on success and violation: of a review at one
// call, by tool, by capability and over all calls, and the gains of the policies
// always and risky (capability write or money) over never reviewing. Reviews
// change neither how long a trajectory lasts nor what it calls, so both blips
// are the planted numbers, and they are exact. What is ineligible or forced is
// so under every policy, whatever the tool.
func (f *Fleet) Truth() []Effect {
	var all []Effect
	for _, o := range []struct {
		name   string
		effect func(fleetTool) float64
	}{
		{"success", func(t fleetTool) float64 { return t.success }},
		{"violation", func(t fleetTool) float64 { return -t.averted }},
	} {
		tools := make([]mixed, len(fleetTools))
		always, risky := 0.0, 0.0
		for i, t := range fleetTools {
			tools[i] = mixed{t.name, t.capability, t.calls() * (1 - fleetIneligible - fleetForced), o.effect(t)}
			gain := tools[i].share * tools[i].effect
			always += gain
			if t.capability == "write" || t.capability == "money" {
				risky += gain
			}
		}
		of := Effect{Outcome: o.name, Arm: reviewArm}
		for _, of.Estimand = range []string{randomized, noTreatment} {
			all = appendMixes(all, of, tools)
		}
		of.Estimand = policyGain
		of.Policy, of.Value = "always", decimals(always)
		all = append(all, of)
		of.Policy, of.Value = "risky", decimals(risky)
		all = append(all, of)
	}
	return all
}

// calls is how often a trajectory calls the tool, on average.
func (t *fleetTool) calls() float64 {
	sum := 0.0
	for call := 1; call <= mostCalls; call++ {
		sum += outlasts(call) * t.stages[stageOf(call)]
	}
	return sum
}
