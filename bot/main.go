// Command bot is Atelier: say what you want done with your pictures, sound and video,
// and it finds the tools, runs them and tells what it did.
//
// Everything that the program needs stands in a [command.Program] value; main only starts one.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"atelier/agent/endpoint/discover"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/cli"
	"atelier/bot/command"
)

func main() {
	sandbox.Enter() // from here on only where this is the program itself
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills, whatever the first has to wait for
	status := cli.Run(ctx, command.Program{
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
