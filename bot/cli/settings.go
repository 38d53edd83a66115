package cli

import (
	"fmt"
	"io"

	"atelier/bot/command"
	"atelier/bot/settings"
)

type backendsCommand struct{}

// Help returns the detailed help.
func (backendsCommand) Help() string {
	return `Save it, edit it, and set BACKENDS_FILE to its path. Then bot tools shows the effect.`
}

// Run prints the example.
func (backendsCommand) Run(c *command.Call) error {
	if _, err := io.WriteString(c.Stdout, settings.ExampleBackends); err != nil {
		return fmt.Errorf("print the example: %w", err)
	}
	return nil
}

type envCommand struct{}

// Run prints the settings.
func (envCommand) Run(c *command.Call) error {
	if _, err := io.WriteString(c.Stdout, settings.ExampleEnv()); err != nil {
		return fmt.Errorf("print the settings: %w", err)
	}
	return nil
}
