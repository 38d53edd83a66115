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

// Main runs the program with the process's arguments and exits.
func Main() {
	sandbox.Enter() // does not return in the sandbox's child process
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	status := Run(ctx, command.Program{
		Args:   os.Args[1:],
		Env:    os.Environ(),
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,

		LocalServers: discover.DefaultPlaces(),
	})
	stop()
	os.Exit(status)
}
