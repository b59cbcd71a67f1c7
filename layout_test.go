package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says for every package what of ours it may import. A package that is
// not here, or an arrow that is not here, fails the test: draw it in
// docs/architecture.md first. Test files may use what they like.
var rooms = map[string][]string{
	".":                   {"cli"},
	"event":               {"event/pack"},
	"event/pack":          {},
	"ingest/kafka":        {},
	"ingest":              {"event", "ingest/kafka"},
	"state":               {"event", "event/pack"},
	"estimators/interval": {},
	"estimators/boost":    {"event/pack"},
	"estimators":          {"event", "event/pack", "estimators/boost", "estimators/interval"},
	"estimators/validity": {},
	"sim":                 {"event"},
	"web":                 {"event", "state", "estimators"},
	"daemon":              {"event", "ingest", "ingest/kafka", "state", "estimators", "web"},
	"config":              {"daemon", "event", "estimators", "ingest/kafka", "state", "web"},
	"demo":                {"daemon", "config", "sim", "event", "estimators", "ingest/kafka", "web"},
	"examples/broker":     {},
	"cli":                 {"config", "daemon", "demo", "sim", "ingest", "state", "estimators", "event", "web"},
}

// walls says which rooms alone may import a library.
var walls = map[string][]string{
	"github.com/dgraph-io/badger":        {"state"},
	"github.com/dgraph-io/ristretto":     {"state"},
	"github.com/segmentio/kafka-go":      {"ingest/kafka"},
	"github.com/twmb/franz-go/pkg/kgo":   {"ingest/kafka"},
	"github.com/twmb/franz-go/pkg/kmsg":  {"ingest/kafka"},
	"github.com/twmb/franz-go/pkg/sasl":  {"ingest/kafka"},
	"github.com/twmb/franz-go/pkg/kfake": {"demo", "examples/broker"},
	"go.yaml.in/yaml":                    {"config"},
	"github.com/expr-lang/expr":          {"config"},
	"github.com/prometheus":              {"web"},
	"golang.org/x/net":                   {"web"},
	"net/http/pprof":                     {"web"},
	"gonum.org/v1/gonum":                 {"estimators", "estimators/interval"},
	"github.com/go-json-experiment/json": {"event"},
	"github.com/alecthomas/kong":         {"cli"},
	"github.com/coreos/go-systemd":       {"cli"},
	"github.com/jedib0t/go-pretty":       {"cli"},
	"github.com/schollz/progressbar":     {"cli"},
}

// core are the packages, and the files of state, that know no clock, disk,
// network or randomness.
func core(dir, file string) bool {
	switch dir {
	case "event", "event/pack", "estimators", "estimators/interval", "estimators/boost":
		return true
	case "state":
		return strings.HasPrefix(file, "fold") || file == "ledger.go" || file == "stats.go"
	}
	return false
}

var impure = []string{"net", "net/http", "os", "os/exec", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "sync"}

// topLevel is what may stand at the root.
var topLevel = []string{"alerts", "cli", "config", "daemon", "demo", "docs", "estimators", "event", "examples", "ingest", "sim", "state", "web",
	".ci", ".git", ".github", ".gitignore", "main.go", "layout_test.go", "go.mod", "go.sum", "Dockerfile", ".dockerignore", "README.md", "LICENSE", "CHANGELOG.md"}

const longestFile = 400

func TestLayout(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(topLevel, e.Name()) {
			t.Errorf("%s stands at the root, where only these may: %v", e.Name(), topLevel)
		}
	}
	sentences := map[string]string{}
	var lengths []int
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return cmpSkip(err, entry)
		}
		if strings.HasSuffix(path, ".go") {
			lengths = append(lengths, checkFile(t, path, sentences))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range rooms {
		if sentences[dir] == "" {
			t.Errorf("package %s does not open with its sentence (\"Package ... \"), or does not exist", dir)
		}
	}
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median > 200 {
		t.Errorf("the median file has %d lines, the goal is below 200", median)
	}
}

func cmpSkip(err error, entry fs.DirEntry) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// checkFile checks one Go file and returns its length in lines.
func checkFile(t *testing.T, path string, sentences map[string]string) int {
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(source), "\n")
	if lines > longestFile {
		t.Errorf("%s has %d lines, the most is %d: a file holds one type or one step of the walk", path, lines, longestFile)
	}
	if strings.HasSuffix(path, "_test.go") {
		return lines
	}
	dir, name := filepath.ToSlash(filepath.Dir(path)), filepath.Base(path)
	allowed, known := rooms[dir]
	if !known {
		t.Errorf("package %s is in no room of layout_test.go", dir)
	}
	if doc := file.Doc.Text(); doc != "" {
		if sentences[dir] != "" {
			t.Errorf("package %s has two door plates; one of them is in %s", dir, path)
		}
		sentences[dir] = doc
	}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		checkImport(t, path, dir, name, imported, allowed)
	}
	if core(dir, name) {
		checkPure(t, fset, file)
	}
	return lines
}

func checkImport(t *testing.T, path, dir, name, imported string, allowed []string) {
	if own, ok := strings.CutPrefix(imported, "blipd/"); ok {
		if !slices.Contains(allowed, own) {
			t.Errorf("%s imports %s, which %s may not: it may import %v", path, own, dir, allowed)
		}
		return
	}
	for library, who := range walls {
		if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(who, dir) {
			t.Errorf("%s imports %s, which only %v may", path, imported, who)
		}
	}
	if core(dir, name) && slices.Contains(impure, imported) {
		t.Errorf("%s imports %s: the core knows no clock, disk, network or randomness", path, imported)
	}
}

// checkPure fails on time.Now and its kin.
func checkPure(t *testing.T, fset *token.FileSet, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Sleep", "NewTimer", "NewTicker", "Tick"}, s.Sel.Name) {
				t.Errorf("%s: time.%s in the core, which has no clock", fset.Position(n.Pos()), s.Sel.Name)
			}
		}
		return true
	})
}
