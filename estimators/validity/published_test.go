package validity

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"blipd/estimators"
)

// table is a published data set, by column.
type table map[string][]float64

// published reads a data set in place, from BLIPD_SHARED or from shared beside
// the project. They are the work of others, under licences of their own, and
// not part of the project: where they are absent the test is skipped.
func published(t *testing.T, name string) table {
	t.Helper()
	shared := os.Getenv("BLIPD_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	path := filepath.Join(shared, "data", name)
	file, err := os.Open(path)
	if err != nil {
		t.Skipf("the published data are not here (%v); BLIPD_SHARED names the directory that has data/%s", err, name)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := table{}
	for c, name := range records[0] {
		for _, r := range records[1:] {
			x, err := strconv.ParseFloat(r[c], 64)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = append(all[name], x)
		}
	}
	return all
}

// matches holds a number to a published one, to nine digits.
func matches(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%-52s %.12f, published %.12f", what, got, want)
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: %.12f, want %.12f", what, got, want)
	}
}

// design has a row for each place: what columns gives.
func design(places []int, columns func(i int) []float64) *mat.Dense {
	m := mat.NewDense(len(places), len(columns(places[0])), nil)
	for k, i := range places {
		m.SetRow(k, columns(i))
	}
	return m
}

// leastSquares are the coefficients of y on x.
func leastSquares(x, y mat.Matrix) *mat.Dense {
	var qr mat.QR
	qr.Factorize(x)
	var b mat.Dense
	if err := qr.SolveTo(&b, false, y); err != nil {
		panic(err)
	}
	return &b
}

// residuals are y - x b of least squares in sample.
func residuals(x, y *mat.Dense) *mat.Dense {
	var fitted, left mat.Dense
	fitted.Mul(x, leastSquares(x, y))
	left.Sub(y, &fitted)
	return &left
}

// places are 0..n-1 where so.
func places(n int, so func(i int) bool) (all []int) {
	for i := range n {
		if so(i) {
			all = append(all, i)
		}
	}
	return all
}

// keyInFold is an id of a cluster that lies in a fold: published folds are by
// number of the person, ours by hash.
func keyInFold(person, fold, folds int) string {
	for salt := 0; ; salt++ {
		if key := fmt.Sprint(person, "-", salt); estimators.FoldOf(key, folds) == fold {
			return key
		}
	}
}

// armwise are least squares of y on x by arm, from the rows that use gives, and
// the scores W (y - m), m = (1-p) mu_1 + p mu_0, of the rows that they are for.
func armwise(d table, arm, p, y string, columns func(i int) []float64, use, of func(i int) bool, scores []float64) {
	var models [2]*mat.Dense
	for a := range models {
		rows := places(len(scores), func(i int) bool { return use(i) && d[arm][i] == float64(a) })
		models[a] = leastSquares(design(rows, columns), design(rows, func(i int) []float64 { return []float64{d[y][i]} }))
	}
	for i := range scores {
		if !of(i) {
			continue
		}
		mu := [2]float64{}
		for a := range mu {
			for c, x := range columns(i) {
				mu[a] += x * models[a].At(c, 0)
			}
		}
		pi := d[p][i]
		w := d[arm][i]/pi - (1-d[arm][i])/(1-pi)
		scores[i] = w * (d[y][i] - (1-pi)*mu[1] - pi*mu[0])
	}
}

// solved is beta = (sum s s')^-1 sum s score over rows, and its errors from the
// sums u of persons: B^-1 (correction sum u u') B^-1.
func solved(person []float64, scores []float64, s func(i int) []float64, correction func(c float64) float64) (beta, errors []float64) {
	k := len(s(0))
	b, r := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	for i := range scores {
		v := mat.NewVecDense(k, s(i))
		b.RankOne(b, 1, v, v)
		r.AddScaledVec(r, scores[i], v)
	}
	var x mat.VecDense
	if err := x.SolveVec(b, r); err != nil {
		panic(err)
	}
	sums := map[float64]*mat.VecDense{}
	var order []float64
	for i := range scores {
		v := mat.NewVecDense(k, s(i))
		if sums[person[i]] == nil {
			sums[person[i]] = mat.NewVecDense(k, nil)
			order = append(order, person[i])
		}
		sums[person[i]].AddScaledVec(sums[person[i]], scores[i]-mat.Dot(v, &x), v)
	}
	meat := mat.NewDense(k, k, nil)
	for _, p := range order {
		meat.RankOne(meat, correction(float64(len(order))), sums[p], sums[p])
	}
	var inverse, half, v mat.Dense
	if err := inverse.Inverse(b); err != nil {
		panic(err)
	}
	half.Mul(&inverse, meat)
	v.Mul(&half, inverse.T())
	for i := range k {
		beta, errors = append(beta, x.AtVec(i)), append(errors, math.Sqrt(v.At(i, i)))
	}
	return beta, errors
}
