package main

import (
	"fmt"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints what the build knows of itself.
func (versionCommand) Run(c *call) error {
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
	if _, err := fmt.Fprintf(c.Stdout, "atelier %s%s\n", version, revision); err != nil {
		return fmt.Errorf("print the version: %w", err)
	}
	return nil
}
