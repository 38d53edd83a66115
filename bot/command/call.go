// Package command provides what all commands share: the program's environment, and common flags.
package command

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"atelier/agent/endpoint/discover"
	"atelier/agent/toolbox"
	"atelier/bot/progress"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// Program is one invocation of the program. [cli.Run] runs it.
type Program struct {
	Args []string
	// Env are the environment variables, as NAME=value.
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Terminal reports whether a writer is a terminal, and its number of columns. Nil asks the
	// system.
	Terminal func(w io.Writer) (columns int, ok bool)
	// LocalServers lists where to look for model servers on this machine; nil means nowhere.
	LocalServers []discover.Place
	// Builtin returns the built-in tools. Nil reads them once.
	Builtin func() (*toolbox.Catalogue, error)
}

// Call is what a command's Run gets.
type Call struct {
	Program
	Log *slog.Logger
}

// Workshop reads the settings, applies the flags to them and sets up the log. Commands that need no
// settings do not call it, and so work even with invalid ones.
func (c *Call) Workshop(flags func(*settings.Config) error) (workshop.Workshop, error) {
	return c.read(flags, nil)
}

// WorkshopWithModel is Workshop for commands that plan: if no model server is configured, it uses one
// that runs on this machine, and logs that.
func (c *Call) WorkshopWithModel(ctx context.Context, flags func(*settings.Config) error) (workshop.Workshop, error) {
	shop, err := c.read(flags, func(config settings.Config) (settings.Config, error) { return WithLocal(ctx, config, c.LocalServers) })
	if err == nil {
		logLocal(ctx, shop.Local, c.Log)
	}
	return shop, err
}

// Progress is the progress line on standard error. It is nil if that is not a terminal that can move
// its cursor, or if JSON is piped to a program.
func (c *Call) Progress(asJSON bool) *progress.Line {
	terminal := c.Terminal
	if terminal == nil {
		terminal = isTerminal
	}
	if _, ok := terminal(c.Stderr); !ok || slices.Contains(c.Env, "TERM=dumb") {
		return nil
	}
	if _, ok := terminal(c.Stdout); asJSON && !ok {
		return nil
	}
	return progress.New(c.Stderr, func() int {
		columns, _ := terminal(c.Stderr)
		return columns
	})
}

func (c *Call) read(flags func(*settings.Config) error, complete func(settings.Config) (settings.Config, error)) (workshop.Workshop, error) {
	config, err := settings.Read(c.Env, flags, complete)
	if err != nil {
		return workshop.Workshop{}, err
	}
	shop := workshop.Workshop{Config: config, LogTo: &workshop.LineWriter{To: c.Stderr}, Builtin: c.Builtin}
	c.Log = shop.Logger()
	return shop, nil
}
