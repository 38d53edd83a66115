package cli

import (
	"fmt"
	"runtime/debug"

	"atelier/bot/command"
)

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(c *command.Call) error {
	if _, err := fmt.Fprintln(c.Stdout, release()); err != nil {
		return fmt.Errorf("print the version: %w", err)
	}
	return nil
}

// release is the version and the revision from the build information.
func release() string {
	version, revision := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	return "atelier " + version + revision
}
