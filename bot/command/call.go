// Package command has what all commands share: the call of the program, and its common flags.
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

// Program is one call of the program. [cli.Run] runs it.
type Program struct {
	Args []string
	// Env are the variables of the environment, each as NAME=value.
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Terminal reports whether a writer is a terminal, and how many columns it has. Nil
	// asks the system.
	Terminal func(w io.Writer) (columns int, ok bool)
	// LocalServers is where model servers of this machine are looked for. Nil looks nowhere.
	LocalServers []discover.Place
	// Builtin gives the tools that come with the program. Nil reads them once.
	Builtin func() (*toolbox.Catalogue, error)
}

// Call is what the commands share.
type Call struct {
	Program
	Log *slog.Logger
}

// Workshop reads the settings, with the flags put over them, and is what makes what they name; from
// then on the call logs as they say. A command that needs none asks for none, and so works whatever
// they are.
func (c *Call) Workshop(flags func(*settings.Config) error) (workshop.Workshop, error) {
	return c.read(flags, nil)
}

// WorkshopWithModel is workshop for commands that plan: where no model server is set, one that
// runs on this machine is used, and the log says so.
func (c *Call) WorkshopWithModel(ctx context.Context, flags func(*settings.Config) error) (workshop.Workshop, error) {
	shop, err := c.read(flags, func(config settings.Config) (settings.Config, error) { return WithLocal(ctx, config, c.LocalServers) })
	if err == nil {
		logLocal(ctx, shop.Local, c.Log)
	}
	return shop, err
}

// Progress is the line that tells on the standard error output what is going on. It is
// nil where that is no terminal that can move its cursor, and where JSON goes to a
// program, whose user watches that one.
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
