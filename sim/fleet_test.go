package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"testing"

	"blipd/event"
)

var fleetSchema = schemaOf(
	event.OutcomeRule{Name: "success", Low: 0, Up: 1, Ranged: true, Required: true},
	event.OutcomeRule{Name: "violation", Low: 0, Up: 1, Ranged: true, Required: true},
)

func newFleet(seed uint64) *Fleet { return NewFleet(seed, beginning) }

func TestFleetSameBytes(t *testing.T) {
	f, hash := newFleet(7), sha256.New()
	for range 20_000 {
		key, value := f.NextRecord()
		hash.Write(append(append(key, ' '), append(value, '\n')...))
	}
	const want = "feb8d4c6b222642e5a52a9cfa365e265770e4a1aa00dcab1e32bc2a2748af3a0"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("SHA-256 is %s, want %s", got, want)
	}
}

// TestFleetStaysWithinProbabilities tries the extremes: in every call the tool
// and the arm that pull most, with every tier, luck and number of failures.
func TestFleetStaysWithinProbabilities(t *testing.T) {
	var low, high, harm float64
	for call := 1; call <= mostCalls; call++ {
		var down, up, risk float64
		for _, tool := range fleetTools {
			if tool.risk < tool.averted || tool.averted < 0 {
				t.Errorf("%s averts %g of a risk of %g", tool.name, tool.averted, tool.risk)
			}
			if tool.stages[stageOf(call)] > 0 {
				down, up, risk = min(down, tool.success), max(up, tool.success), max(risk, tool.risk)
			}
		}
		low, high, harm = low+down, high+up, harm+risk
	}
	low += baseSuccess + perFailure*(mostCalls-1) - luck
	high += baseSuccess + tiers[len(tiers)-1].success + luck
	t.Logf("success between %.3f and %.3f, violation up to %.3f", low, high, baseViolation+harm)
	if low < 0 || high > 1 || baseViolation+harm > 1 {
		t.Errorf("success between %g and %g, violation up to %g, want probabilities", low, high, baseViolation+harm)
	}
}

func TestFleetShares(t *testing.T) {
	calls := 0.0
	for call := 1; call <= mostCalls; call++ {
		calls += outlasts(call)
	}
	sum := 0.0
	for i := range fleetTools {
		tool := &fleetTools[i]
		sum += tool.calls()
		if p := probabilities(tool.reviewed); p[0].P+p[1].P != 1 {
			t.Errorf("%s has probabilities %v", tool.name, p)
		}
	}
	if diff := sum - calls; calls != 5 || diff < -1e-12 || diff > 1e-12 {
		t.Errorf("%g calls, and %g over tools, want 5", calls, sum)
	}
	for stage, weights := range stageShares {
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		if sum < 1-1e-12 || sum > 1+1e-12 {
			t.Errorf("the shares of stage %d sum to %g", stage, sum)
		}
	}
}

// fleetCount is what a stretch of the fleet's log holds.
type fleetCount struct {
	reasons, notRandomized map[string]int
	types                  map[event.Type]int
	inFlight               int
	bad                    int
}

func TestFleetRecords(t *testing.T) {
	d := event.Decoder{Schema: fleetSchema}
	exp := &d.Schema.Experiments[0]
	c := fleetCount{reasons: map[string]int{}, notRandomized: map[string]int{}, types: map[event.Type]int{}}
	f, twin := newFleet(1), newFleet(1)
	open := map[string]bool{}
	last := beginning
	const records = 60_000
	for i := range records {
		key, value := f.NextRecord()
		if f.Now() < last {
			t.Fatalf("record %d is at %v, after %v", i, f.Now(), last)
		}
		last = f.Now()
		e, fault := d.Decode(event.Record{Key: key, Value: value})
		if fault != nil {
			c.reasons[fault.Reason.String()]++
			c.bad++
			continue
		}
		if want := twin.Next(); !reflect.DeepEqual(e, want) {
			t.Fatalf("record %d holds %s, and Next gave %+v", i, value, want)
		}
		if e.Time != event.NoTime && e.Time != last && last-e.Time > event.Time(againHigh*1e6) {
			t.Fatalf("%s is sent at %v", value, last)
		}
		c.types[e.Type]++
		open[e.Trajectory] = true
		if e.Type == event.TypeOutcome {
			delete(open, e.Trajectory)
		}
		c.inFlight = max(c.inFlight, len(open))
		if e.Type == event.TypeDecision {
			c.notRandomized[exp.Randomized(e.Decision).String()]++
			if exp.Randomized(e.Decision) == event.Randomized {
				checkRandomized(t, exp, e.Decision)
				checkDraw(t, &e.Decision.Assignment)
			}
		}
	}
	t.Logf("%+v; %v of simulated time", c, last.Std().Sub(beginning.Std()))
	want := []string{"malformed", "missing_member", "misspelt_member", "unknown_type"}
	var got []string
	for r := range c.reasons {
		got = append(got, r)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("records are set aside for %q, want %q", got, want)
	}
	if c.bad < records/1000 || c.bad > records/200 {
		t.Errorf("%d of %d records are broken, want about 2 in 1000", c.bad, records)
	}
	if c.inFlight < 200 || c.inFlight > 900 {
		t.Errorf("at most %d in flight, want several hundred", c.inFlight)
	}
	for _, why := range []string{"ineligible", "forced"} {
		if c.notRandomized[why] == 0 {
			t.Errorf("no decision is %s", why)
		}
	}
	for typ := event.TypeDecision; typ <= event.TypeEnd; typ++ {
		if c.types[typ] == 0 {
			t.Errorf("no %v", typ)
		}
	}
}

// checkDraw holds that the draw picks the arm, as the contract has it.
func checkDraw(t *testing.T, a *event.Assignment) {
	t.Helper()
	want := directArm
	if a.Draw.U >= a.Probabilities[0].P {
		want = reviewArm
	}
	if a.Arm != want {
		t.Fatalf("draw %g with %v gives %s, want %s", a.Draw.U, a.Probabilities, a.Arm, want)
	}
}
