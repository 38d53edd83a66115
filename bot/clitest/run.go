// Package clitest runs the program for tests: a command in this process, a model that answers it, and
// a process that serves.
package clitest

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"atelier/agent/endpoint/discover"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/command"
)

// Called is a call of the program that asks a model.
type Called struct {
	Env, Args []string
	Terminal  func(w io.Writer) (int, bool)
	Stderr    io.Writer
	// Places are where model servers of this machine are looked for.
	Places []discover.Place
}

// Run calls the program in this process.
func (c Called) Run(t *testing.T) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := command.Program{
		Args: c.Args, Env: c.Env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Terminal: c.Terminal, LocalServers: c.Places, Builtin: bottest.Builtin,
	}
	if c.Stderr != nil {
		p.Stderr = io.MultiWriter(&errs, c.Stderr)
	}
	status = cli.Run(t.Context(), p)
	return status, out.String(), errs.String()
}

// Run calls the program in this process.
func Run(t *testing.T, env map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	var variables []string
	for name, value := range env {
		variables = append(variables, name+"="+value)
	}
	status = cli.Run(t.Context(), command.Program{
		Args: args, Env: variables,
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Builtin: bottest.Builtin,
	})
	return status, out.String(), errs.String()
}
