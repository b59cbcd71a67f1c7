package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blipd/event/pack"
)

// TestPackedWithGaps: which rows have room changes no element, in whatever order
// places are touched, mapped, collapsed, written and read again.
func TestPackedWithGaps(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 31))
		dim := 1 + rng.IntN(60)
		var p, other packed
		want, wantOther := map[[2]int]float64{}, map[[2]int]float64{}
		touch := func(p *packed, want map[[2]int]float64) {
			var places []int
			for range 1 + rng.IntN(5) {
				places = append(places, rng.IntN(dim))
			}
			slices.Sort(places)
			places = slices.Compact(places)
			v := make([]float64, len(places))
			for i := range v {
				v[i] = float64(rng.IntN(9) - 4)
			}
			p.addOuter(2, places, v)
			for i, r := range places {
				for j, c := range places[:i+1] {
					want[[2]int{r, c}] += 2 * v[i] * v[j]
				}
			}
		}
		for range 1 + rng.IntN(20) {
			touch(&p, want)
			touch(&other, wantOther)
			if i, j := rng.IntN(dim), rng.IntN(dim); rng.IntN(3) == 0 {
				p.add(i, j, 3)
				want[[2]int{max(i, j), min(i, j)}] += 3
			}
		}
		check := func(what string, p *packed) {
			t.Helper()
			q := make([]float64, dim)
			for i := range q {
				q[i] = float64(rng.IntN(7) - 3)
			}
			value, size := 0.0, 0.0
			for i := range dim {
				for j := range dim {
					x := want[[2]int{max(i, j), min(i, j)}]
					if got := p.at(i, j); got != x {
						t.Fatalf("seed %d, %s: (%d, %d) is %v, want %v", seed, what, i, j, got, x)
					}
					value, size = value+q[i]*x*q[j], size+math.Abs(q[i]*x*q[j])
				}
			}
			if v, s := p.form(q); v != value || s != size {
				t.Errorf("seed %d, %s: form %v %v, want %v %v", seed, what, v, s, value, size)
			}
			if pooled := p.pooled(identity(dim), dim); len(p.a) > 0 && pooled[0] != want[[2]int{0, 0}] {
				t.Errorf("seed %d, %s: pooled %v", seed, what, pooled[0])
			}
			if n := p.count(); len(p.a) != triangle(n) || p.places != nil && (2*n >= p.dim || !slices.IsSorted(p.places) || p.dim < leastGaps) {
				t.Fatalf("seed %d, %s: %d rows of %d, %d numbers", seed, what, n, p.dim, len(p.a))
			}
		}
		check("added", &p)

		var w pack.Writer
		(&packing{&w}).packed(&p, nil, axis{})
		var again packed
		reader := &unpacking{r: &pack.Reader{B: w.B}}
		reader.packed(&again, nil, axis{lead: dim})
		if err := reader.r.Err(); err != nil || len(reader.r.B) > 0 || (again.places == nil) != (p.places == nil) {
			t.Fatalf("seed %d: %v, %d bytes left", seed, err, len(reader.r.B))
		}
		check("read again", &again)
		for cut := range w.B { // a cut is an error, never a panic
			short := &unpacking{r: &pack.Reader{B: w.B[:cut]}}
			if short.packed(&again, nil, axis{lead: dim}); short.r.Err() == nil {
				t.Fatalf("seed %d: cut at %d of %d is read", seed, cut, len(w.B))
			}
		}

		to := make([]int, dim) // two places may come to one
		for i := range to {
			to[i] = rng.IntN(dim)
		}
		p.addMapped(&other, to)
		for at, x := range wantOther {
			r, c := to[at[0]], to[at[1]]
			if at[0] != at[1] && r == c {
				x *= 2
			}
			want[[2]int{max(r, c), min(r, c)}] += x
		}
		check("mapped", &p)

		from, into := rng.IntN(dim), rng.IntN(dim)
		if from == into {
			continue
		}
		p.collapse(from, into)
		moved := map[[2]int]float64{}
		for at, x := range want {
			r, c := at[0], at[1]
			if r == from {
				r = into
			}
			if c == from {
				c = into
			}
			if at[0] != at[1] && r == c {
				x *= 2
			}
			moved[[2]int{max(r, c), min(r, c)}] += x
		}
		want = moved
		check("collapsed", &p)
	}
}

// TestPackedIsSmall: what is hardly ever seen takes little room.
func TestPackedIsSmall(t *testing.T) {
	var p packed
	p.addOuter(1, []int{0, 1, 2, 70}, []float64{1, 2, 3, 4})
	if len(p.a) != triangle(4) {
		t.Errorf("%d numbers for four places of 71", len(p.a))
	}
	for i := range 71 {
		p.add(i, i, 1)
	}
	if p.places != nil || len(p.a) != triangle(71) {
		t.Errorf("%d places of 71 once most are touched", len(p.places))
	}
}
