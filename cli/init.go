package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blipd/config"
)

type initCommand struct {
	File  string `arg:"" optional:"" type:"path" default:"blipd.yaml" help:"Where to write it."`
	Force bool   `help:"Overwrite the file if it exists."`
}

// Run writes the example configuration; a file that exists is kept.
func (c *initCommand) Run(p *process) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.Force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(c.File, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("init: %s exists: name another file, or say --force", c.File)
	}
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if _, err = f.Write(config.Example()); err != nil {
		err = fmt.Errorf("init: %w", err)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s written; check it with: blipd check-config %s\n", c.File, c.File)
	return nil
}
