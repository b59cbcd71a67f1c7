package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blipd/state"
)

const manual = "../docs/operations.md"

// section is the text of the manual below a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(readText(t, manual), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("the manual has no %q", heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// TestLogLines: the manual has every log line of level warn and above, and no other.
func TestLogLines(t *testing.T) {
	is := map[string]string{} // levels, by words
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || len(entry.Name()) > 2 && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return logLines(path, is)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(is) < 25 {
		t.Errorf("only %d log lines were found in the source", len(is))
	}
	told := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\w+) \\|").FindAllStringSubmatch(section(t, "Log lines"), -1) {
		if told[row[1]] != "" {
			t.Errorf("the manual has %q twice", row[1])
		}
		told[row[1]] = row[2]
	}
	for _, words := range slices.Sorted(maps.Keys(is)) {
		if told[words] != is[words] {
			t.Errorf("the source has %q at level %s, the manual has it at %q", words, is[words], told[words])
		}
	}
	for _, words := range slices.Sorted(maps.Keys(told)) {
		if is[words] == "" {
			t.Errorf("the manual has %q, which no line of the source says", words)
		}
	}
}

// logLines notes the lines of level warn and above that one file writes.
func logLines(path string, levels map[string]string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		message, level := lineOf(call)
		if level == "" {
			return true
		}
		words := wordsOf(message)
		if words == "" {
			err = fmt.Errorf("%s: a log line whose words are not in place: nobody finds it in the manual", fset.Position(call.Pos()))
		}
		if before := levels[words]; before != "" && before != level {
			level = "any"
		}
		levels[words] = level
		return true
	})
	return err
}

// lineOf is the message and the level of a call that writes to the log; "" for one that
// does not, or below warn.
func lineOf(call *ast.CallExpr) (message ast.Expr, level string) {
	name, of := "", ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		switch x := f.X.(type) {
		case *ast.Ident:
			of = x.Name
		case *ast.SelectorExpr:
			of = x.Sel.Name
		}
	}
	switch {
	case name == "Warn" || name == "Error" && of == "log":
		return call.Args[0], strings.ToLower(name)
	case (name == "Log" || name == "LogAttrs") && of == "log":
		return call.Args[2], "any"
	case name == "NewRecord" && of == "slog":
		return call.Args[2], "any"
	case name == "logLogger":
		if level, ok := call.Args[1].(*ast.SelectorExpr); ok {
			return call.Args[0], strings.ToLower(strings.TrimPrefix(level.Sel.Name, "Level"))
		}
	case name == "NewLogLogger":
		return nil, "any" // it has no words of its own
	}
	return nil, ""
}

// wordsOf is a text that stands in place; one that goes on with something else ends in
// an ellipsis.
func wordsOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		words, err := strconv.Unquote(e.Value)
		if err == nil {
			return words
		}
	case *ast.BinaryExpr:
		if first := wordsOf(e.X); first != "" {
			return strings.TrimSuffix(strings.TrimSpace(first), "…") + " …"
		}
	}
	return ""
}

// TestExitCodesInManual: every exit code is in the manual, and each comes from a command
// that ends so.
func TestExitCodesInManual(t *testing.T) {
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\d)` \\|").FindAllStringSubmatch(section(t, "Exit codes"), -1) {
		told = append(told, row[1])
	}
	if want := fmt.Sprint([]int{exitOK, exitFailure, exitUsage, exitConfiguration, exitState}); fmt.Sprint(told) != want {
		t.Errorf("the manual has %v, want %s", told, want)
	}
	dir := t.TempDir()
	used, err := state.Open(state.Config{Dir: filepath.Join(dir, "used"), Memory: 1 << 28}, "blipd.events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = used.Close() }()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const experiments = "experiments: [{name: x, arms: {control: a, interventions: [b]}, outcomes: [{name: y}]}]\n"
	for _, c := range []struct {
		want int
		args []string
	}{
		{exitOK, []string{"version"}},
		{exitFailure, []string{"reload", "--url", "http://127.0.0.1:1"}},
		{exitFailure, []string{"lint", "--config.file", file("good.yaml", experiments), file("bad.jsonl", "broken\n")}},
		{exitUsage, []string{"run", "--no-such-flag"}},
		{exitUsage, []string{"run"}},
		{exitConfiguration, []string{"check-config", file("bad.yaml", "kafak: {}\n")}},
		{exitConfiguration, []string{"run", "--config.file", filepath.Join(dir, "none.yaml")}},
		{exitState, []string{"run", "--config.file", file("used.yaml", fmt.Sprintf("state: {dir: %q}\nweb: {listen: \"127.0.0.1:0\"}\n%s", filepath.Join(dir, "used"), experiments))}},
	} {
		var out, words strings.Builder
		if got := Run(c.args, strings.NewReader(""), &out, &words); got != c.want {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, got, c.want, &words)
		}
	}
}

// TestAlertsInManual: the manual says what to do about each alert.
func TestAlertsInManual(t *testing.T) {
	names := regexp.MustCompile(`(?m)- alert: (\w+)`).FindAllStringSubmatch(readText(t, "../examples/prometheus/rules.yaml"), -1)
	text := section(t, "Alerts")
	if len(names) < 10 {
		t.Errorf("%d alerts", len(names))
	}
	var is []string
	for _, name := range names {
		is = append(is, name[1])
		if !strings.Contains(text, "`"+name[1]+"`") {
			t.Errorf("the manual does not say what to do about %s", name[1])
		}
	}
	for _, name := range regexp.MustCompile("`(Blipd\\w+)`").FindAllStringSubmatch(readText(t, manual), -1) {
		if !slices.Contains(is, name[1]) {
			t.Errorf("the manual names %s, which is no alert", name[1])
		}
	}
}

// TestLinksInManual: what it points to is there.
func TestLinksInManual(t *testing.T) {
	text := readText(t, manual)
	for _, link := range regexp.MustCompile(`\]\(([^)#]+)?(#[^)]+)?\)`).FindAllStringSubmatch(text, -1) {
		if link[1] != "" {
			if _, err := os.Stat(filepath.Join("../docs", link[1])); err != nil {
				t.Error(err)
			}
			continue
		}
		found := false
		for _, heading := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1) {
			found = found || link[2] == "#"+strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading[1]), ",", ""), " ", "-")
		}
		if !found {
			t.Errorf("there is no heading %s", link[2])
		}
	}
}
