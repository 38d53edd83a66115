package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"atelier/agent/endpoint/discover"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/command"
)

// Main runs the program as the system has called it, and ends the process.
func Main() {
	sandbox.Enter() // from here on only where this is the program itself
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills, whatever the first has to wait for
	status := Run(ctx, command.Program{
		Args:   os.Args[1:],
		Env:    os.Environ(),
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,

		LocalServers: discover.Usual(),
	})
	stop()
	os.Exit(status)
}
