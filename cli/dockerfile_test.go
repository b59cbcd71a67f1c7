package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDockerfile reads the image's recipe, since no container engine may be at
// hand: a static binary, no root, bases that are pinned, and a command that
// this program understands.
func TestDockerfile(t *testing.T) {
	b, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	bases := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1)
	if len(bases) != 2 || bases[1][1] != "scratch" {
		t.Fatalf("bases %v, want one to build in and scratch", bases)
	}
	if !regexp.MustCompile(`^golang:\d+\.\d+\.\d+-[a-z]+$`).MatchString(bases[0][1]) {
		t.Errorf("base %s is not pinned to one version", bases[0][1])
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	if !strings.HasPrefix(bases[0][1], "golang:"+wanted+".") {
		t.Errorf("base %s, but go.mod wants Go %s", bases[0][1], wanted)
	}
	final := text[strings.LastIndex(text, "\nFROM "):]
	for _, want := range []string{"USER 65532:65532", "ca-certificates.crt", `CMD ["run", "--config.file", `} {
		if !strings.Contains(final, want) {
			t.Errorf("the final image has no line with %s", want)
		}
	}
	if !strings.Contains(text, "CGO_ENABLED=0 go build -trimpath") {
		t.Error("the binary is not built static and reproducible")
	}
	var out, words strings.Builder
	if code := Run([]string{"run", "--help"}, nil, &out, &words); code != exitOK || !strings.Contains(out.String(), "--config.file") {
		t.Errorf("blipd run --help: %d %s %s", code, &out, &words)
	}
}
