package event

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"blipd/event/pack"
)

// TestPacked: whatever is added comes back, also where names change from one
// decision to the next and back again, and names are written once.
func TestPacked(t *testing.T) {
	var u Unpacker
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var p, copied Packed
		var want Trajectory
		for i := range rng.IntN(12) {
			if rng.IntN(2) == 0 { // what came since is enough to follow
				var w pack.Writer
				p.PackTail(&w, len(copied))
				r := pack.Reader{B: w.B}
				if copied = copied.UnpackTail(&r); r.Err() != nil || !bytes.Equal(copied, p) {
					t.Fatalf("seed %d: with its tail %x, want %x (%v)", seed, copied, p, r.Err())
				}
			}
			if rng.IntN(4) == 0 {
				v := Intervention{Index: i + 1, Verdict: Verdicts[rng.IntN(len(Verdicts))]}
				want.Interventions = append(want.Interventions, v)
				p.AddIntervention(&v)
				continue
			}
			d := Decision{ID: fmt.Sprint("d", i), Index: i + 1, Time: Time(rng.Int64()), Agent: Agent{Name: fmt.Sprint("a", rng.IntN(2))}, Calls: []Call{{Tool: "x"}}}
			for m := range rng.IntN(4) {
				d.State = append(d.State, Member{fmt.Sprint("m", m, rng.IntN(8)/7), NumberOf(rng.Float64())})
			}
			if rng.IntN(2) == 0 {
				d.Scores = []Member{{"judge", NumberOf(rng.Float64())}}
			}
			if rng.IntN(3) > 0 {
				d.Assignment = Assignment{Given: true, Arm: "review", Probabilities: []Probability{{"direct", .25}, {fmt.Sprint("review", rng.IntN(8)/7), .75}}}
			}
			want.Decisions = append(want.Decisions, d)
			p.AddDecision(&d)
			if at := p.Find(0, d.ID); at != len(want.Decisions)-1 || p.Find(d.Index, "") != at || p.Find(99, "none") >= 0 {
				t.Fatalf("seed %d: decision %d was found at %d", seed, len(want.Decisions)-1, at)
			}
		}
		var got Trajectory
		if err := u.Unpack(p, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v\n got %+v\nwant %+v", seed, err, got, want)
		}
		if n := p.Decisions(); n != len(want.Decisions) {
			t.Fatalf("seed %d: %d decisions, want %d", seed, n, len(want.Decisions))
		}
		for n := 1; n < len(p); n++ { // cut short, it is damaged or shorter, never a panic
			_ = u.Unpack(p[:n], &Trajectory{})
		}
	}
}

// TestPackedIsSmall: what a decision takes behind others with the same names.
func TestPackedIsSmall(t *testing.T) {
	d := Decision{Calls: []Call{{Tool: "tool-017", Capability: "write"}}, Agent: Agent{Name: "support", Version: "1.4"},
		Assignment: Assignment{Given: true, Arm: "review", Probabilities: []Probability{{"direct", .5}, {"review", .5}}}}
	for m := range 12 {
		d.State = append(d.State, Member{fmt.Sprintf("feature_%02d", m), NumberOf(0.1)})
	}
	var p Packed
	var sizes [3]int
	for i := range sizes {
		before := len(p)
		d.Index = i + 1
		p.AddDecision(&d)
		sizes[i] = len(p) - before
	}
	if sizes[1] != sizes[2] || sizes[1] > 200 || sizes[0] < sizes[1]+12*11 {
		t.Errorf("decisions take %v bytes, 12 features", sizes)
	}
}
