package event

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestNumber compares with strconv, to the bit: numbers of all sizes, in all the
// ways to write them, and around the limits of the fast path.
func TestNumber(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		if want == 0 {
			want = 0 // not -0
		}
		got, next := number([]byte(text+","), 0)
		switch {
		case err != nil && next != nowhere:
			t.Fatalf("%s is read as %v, and strconv says %v", text, got, err)
		case err == nil && (next != len(text) || math.Float64bits(got) != math.Float64bits(want)):
			t.Fatalf("%s is read as %v up to %d, want %v", text, got, next, want)
		}
	}
	for range 40_000 {
		x := math.Float64frombits(random.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		check(strconv.FormatFloat(x, 'e', -1, 64))
		check(strconv.FormatFloat(x, 'E', random.IntN(25), 64))
		small := math.Ldexp(float64(random.Int64N(1<<54)-1<<53), -random.IntN(60))
		check(strconv.FormatFloat(small, 'f', -1, 64))
		check(strconv.FormatFloat(small, 'f', random.IntN(20), 64))
		check(fmt.Sprintf("%d.%0*de%d", random.Int64N(1000), 1+random.IntN(20), random.Int64N(1e9), random.IntN(60)-30))
		check(fmt.Sprintf("%de%+03d", random.Uint64()>>random.IntN(64), random.IntN(60)-30))
	}
	for _, n := range []uint64{1<<53 - 1, 1 << 53, 1<<53 + 1, 9999999999999999, 1e18, math.MaxUint64} {
		for e := -25; e <= 25; e++ {
			check(fmt.Sprintf("%de%d", n, e))
			check(fmt.Sprintf("-%d.5e%d", n, e))
		}
	}
	for _, text := range []string{"0e99999999999999999999", "1e-99999999999999999999", "-1e-400", "-0.0000000000000000000000000000000e1", "1e99999999999999999999", "-0e5", "1e1000", "10e-1001", "1e+00000000000000000022",
		"0." + strings.Repeat("0", 2000) + "1e2001", strings.Repeat("9", 400) + "e-400", "1" + strings.Repeat("0", 999) + "e-999"} {
		check(text)
	}
	for _, text := range []string{"", "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+", "1.e5", "1.5e", "e5", "--1", "NaN", "Inf", "0x1", "1_0"} {
		if x, next := number([]byte(text), 0); next == len(text) || next > 0 && strings.Contains("+-.eE", text[next-1:next]) {
			t.Errorf("%q is read as %v up to %d", text, x, next)
		}
	}
}

// TestInstant compares with the decoder's parser: every day of the years that
// instant takes, and texts that are nearly times.
func TestInstant(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	first := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := first; day.Year() <= lastYear; day = day.AddDate(0, 0, 1) {
		at := day.Add(time.Duration(random.Int64N(int64(24 * time.Hour))))
		zone := time.FixedZone("", 60*(random.IntN(2*24*60-1)-24*60+1))
		if day.Year() == firstYear || day.Year() == lastYear {
			zone = time.UTC // else the year is another one
		}
		text := at.In(zone).Format(time.RFC3339Nano)
		got, next := instant([]byte(text), 0)
		if got != TimeOf(at) || next != len(text) {
			t.Fatalf("%s is read as %v up to %d", text, got, next)
		}
	}
	taken := 0
	model := []byte("2024-02-29T23:59:59.999999999+23:59")
	letters := "0123456789-+:.TtZz, "
	for range 150_000 {
		text := append([]byte(nil), model[:19+random.IntN(len(model)-18)]...)
		for range 1 + random.IntN(3) {
			text[random.IntN(len(text))] = letters[random.IntN(len(letters))]
		}
		if random.IntN(2) == 0 {
			text = append(text, 'Z')
		}
		got, next := instant(text, 0)
		if next != len(text) {
			continue
		}
		taken++
		want, ok := parseTime(string(text))
		if !ok || want.Before(earliest) || want.After(latest) || TimeOf(want) != got {
			t.Fatalf("%s is read as %v, want %v, %v", text, got, want, ok)
		}
	}
	if taken < 1000 {
		t.Errorf("only %d were taken", taken)
	}
}

// TestSkip compares with the decoder's parser: what is skipped is one value.
func TestSkip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	atoms := []string{"{", "}", "[", "]", ",", ":", `"a"`, `"b"`, `"\n"`, `"\u00e9"`, `"\ud800"`, `"é"`, "\"\xff\"", "1", "-0.5e+7", "01", "true", "false", "null", "nul", " ", "\t", "\x0b",
		`{"a":1}`, `{"a":1,"a":2}`, `[]`, `{}`, `{"a":[1,2,{"b":null}]}`, `"\`, `"\u00`}
	taken := 0
	for range 100_000 {
		var b []byte
		for range 1 + random.IntN(7) {
			b = append(b, atoms[random.IntN(len(atoms))]...)
		}
		r := Reader{value: b}
		next := r.skip(0, 0)
		if next == nowhere {
			continue
		}
		if len(r.strays) != 0 {
			t.Fatalf("%q leaves names", b)
		}
		taken++
		if _, _, err := parse(b[:next]); err != nil {
			t.Fatalf("%q is skipped up to %d: %v", b, next, err)
		}
	}
	if taken < 1000 {
		t.Errorf("only %d were taken", taken)
	}
}

// TestEveryByte puts every byte, and every pair, into a text.
func TestEveryByte(t *testing.T) {
	for c := range 1 << 16 {
		for _, pad := range []string{"", "1234567"} {
			b := []byte(`"` + pad + string([]byte{byte(c), byte(c >> 8)}) + `"`)
			r := Reader{value: b}
			_, _, err := parse(b)
			if next := quoted(b, 0); next == len(b) && err != nil || next != nowhere && next != len(b) && b[next-1] != '"' {
				t.Fatalf("%q: %d, %v", b, next, err)
			}
			if next := r.skip(0, 0); next == len(b) && err != nil {
				t.Fatalf("%q is skipped: %v", b, err)
			}
		}
	}
}
