package event

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNearest(t *testing.T) {
	known := []string{"success", "violation", "minutes"}
	for _, c := range []struct{ name, want string }{
		{"sucess", "success"}, {"succses", "success"}, {"SUCCESS", "success"}, {"minute", "minutes"},
		{"viloatoin", "violation"}, {"revenue", ""}, {"", ""}, {"s", ""}, {strings.Repeat("x", 300), ""},
	} {
		if got, _ := nearest(c.name, known); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"ü", "u", 1},
	} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestShorten(t *testing.T) {
	for n := range 60 {
		s := strings.Repeat("x", n%3) + strings.Repeat("日", n)
		got := shorten(s)
		if !utf8.ValidString(got) || len(got) > maxShown+len("…") || len(s) <= maxShown && got != s {
			t.Errorf("%q is shortened to %q", s, got)
		}
	}
}

func TestList(t *testing.T) {
	if got := list(strings.Split("abcdefghij", "")); got != `"a", "b", "c", "d", "e", "f", "g", "h" and 2 more` {
		t.Error(got)
	}
}
