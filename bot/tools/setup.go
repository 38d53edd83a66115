package tools

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"atelier/agent/toolbox/improvise"
	"atelier/bot/command"
	"atelier/bot/output"
)

// setupToolCommand is bot tool setup. It creates the Python environment for programs that a language model writes.
type setupToolCommand struct {
	Dir string `placeholder:"DIR" help:"The folder of the environment, by default python in the data folder. An existing one is replaced."`
}

// Help returns the detailed help.
func (*setupToolCommand) Help() string {
	return `Programs that a language model writes may import numpy, openpyxl, Pillow, pypdf and reportlab.
This installs them in locked versions, verified by checksums. The image has them already. Without
this, Debian's Python packages are used.`
}

// Run creates the environment.
func (s *setupToolCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(cmp.Or(s.Dir, shop.PythonFolder()))
	if err != nil {
		return fmt.Errorf("find the Python environment: %w", err)
	}
	if err := improvise.Setup(ctx, dir, c.Stderr); err != nil {
		return fmt.Errorf("create the Python environment in %s, which needs a package index and Python's venv module "+
			"(on Debian: apt-get install python3-venv): %w", dir, err)
	}
	return output.Say(c.Stdout, "Programs can use the Python environment in %s. Restart bot serve.\n", dir)
}
