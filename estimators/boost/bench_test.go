package boost

import (
	"fmt"
	"testing"
)

// BenchmarkFit: 100 trees of depth 3, no rows held out, a quarter of the columns of
// two values.
func BenchmarkFit(b *testing.B) {
	for _, n := range []int{1000, 5000, 20_000} {
		for _, columns := range []int{16, 64} {
			b.Run(fmt.Sprintf("rows=%d/columns=%d", n, columns), func(b *testing.B) {
				rows := world(1, n, columns, 5, friedman)
				for i := range rows.X {
					if i%4 == 3 && rows.X[i] > 0.5 {
						rows.X[i] = 1
					} else if i%4 == 3 {
						rows.X[i] = 0
					}
				}
				p := Defaults()
				p.Trees = 100
				b.ReportAllocs()
				for b.Loop() {
					if e, err := Fit(rows, p); err != nil || e.Trees() != p.Trees {
						b.Fatal(e, err)
					}
				}
			})
		}
	}
}

// BenchmarkBin: the columns alone.
func BenchmarkBin(b *testing.B) {
	rows := world(1, 20_000, 64, 5, friedman)
	_, all := rows.weigh()
	for b.Loop() {
		binColumns(&rows, all, Defaults().Bins)
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, trees := range []int{30, 100} {
		b.Run(fmt.Sprintf("trees=%d", trees), func(b *testing.B) {
			rows := world(1, 5000, 16, 5, friedman)
			p := Defaults()
			p.Trees = trees
			e, err := Fit(rows, p)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Predict(rows.row(int32(i % len(rows.Y))))
				i++
			}
		})
	}
}

// BenchmarkBytes: writing and reading 100 trees.
func BenchmarkBytes(b *testing.B) {
	p := Defaults()
	p.Trees = 100
	e, err := Fit(world(1, 5000, 16, 5, friedman), p)
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	for b.Loop() {
		buf, _ = e.AppendBinary(buf[:0])
		var back Ensemble
		if err := back.UnmarshalBinary(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}
