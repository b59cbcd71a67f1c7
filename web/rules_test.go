package web

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRulesNameMetrics: every metric in the example's alerts, and in the manual, is one
// that is served.
func TestRulesNameMetrics(t *testing.T) {
	served := map[string]bool{}
	for _, f := range families() {
		served[regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(f.desc.String())[1]] = true
	}
	for _, path := range []string{"../examples/prometheus/rules.yaml", "../examples/prometheus/rules_test.yaml", "../docs/operations.md"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\bblipd_[a-z_]+`).FindAllString(string(b), -1)
		if len(names) < 5 {
			t.Errorf("%s: %d metrics", path, len(names))
		}
		for _, name := range names {
			if !served[name] && !served[strings.TrimSuffix(name, "_bucket")] {
				t.Errorf("%s: nobody serves %s", path, name)
			}
		}
	}
}
