package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCommand struct{}

// Run prints the version.
func (c *versionCommand) Run(p *process) error {
	_, err := fmt.Fprintf(p.out, "blipd %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is that of the build: a tag, or the revision it was made from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "devel"
	}
	return strings.Trim(info.Main.Version, "()") // Go says (devel) outside a repository
}
