package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLimitsAreDocumented: docs/limits.md has every key of the section, with its
// default, and names only tests and stories that there are.
func TestLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	usual := map[string]string{"event": "1 MiB", "text": "256", "open_trajectories": "2,000,000", "decisions_per_trajectory": "1000",
		"groups_per_dimension": "2000", "blip_levels": "64", "clusters": "10,000"}
	r := &reader{known: map[string]bool{}}
	r.read([]byte(minimal))
	for key := range r.known {
		name, ok := strings.CutPrefix(key, "limits.")
		if !ok {
			continue
		}
		if want := "| `" + name + "` (" + usual[name] + ") |"; usual[name] == "" || !strings.Contains(string(text), want) {
			t.Errorf("docs/limits.md does not have %q", want)
		}
		delete(usual, name)
	}
	if len(usual) > 0 {
		t.Errorf("no keys: %v", usual)
	}

	// `package` NAME, NAME in the last column.
	tests := regexp.MustCompile("`([a-z/]+)` ((?:Test|Fuzz)\\w+(?:, (?:Test|Fuzz)\\w+)*)")
	found := tests.FindAllStringSubmatch(string(text), -1)
	if len(found) < 20 {
		t.Errorf("%d rows name a test", len(found))
	}
	for _, m := range found {
		files, err := filepath.Glob(filepath.Join("..", m[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq(m[2], ", ") {
			if !slices.ContainsFunc(files, func(file string) bool {
				source, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(source), "func "+name+"(")
			}) {
				t.Errorf("docs/limits.md names %s in %s, which is not there", name, m[1])
			}
		}
	}
}
