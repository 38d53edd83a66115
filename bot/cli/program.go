// Package cli defines the command line and lists every command once.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"atelier/agent/plan"
	"atelier/bot/ask"
	"atelier/bot/chat"
	"atelier/bot/command"
	"atelier/bot/doctor"
	"atelier/bot/evaluate"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/output"
	"atelier/bot/serve"
	"atelier/bot/tools"
	"atelier/bot/workshop"
)

// commands is the command line.
type commands struct {
	Serve    serve.Command           `cmd:"" default:"withargs" help:"Answer requests from the chat platforms and the web page until stopped (default)."`
	Ask      ask.Command             `cmd:"" help:"Run a request."`
	Requests operate.RequestsCommand `cmd:"" help:"List the latest requests."`
	Show     operate.ShowCommand     `cmd:"" help:"Print everything about a request: its plan, steps, times, answer and files."`
	Retry    operate.RetryCommand    `cmd:"" help:"Run a request again from the beginning."`
	Cancel   operate.CancelCommand   `cmd:"" help:"Stop a request."`
	Forget   operate.ForgetCommand   `cmd:"" help:"Delete everything about a thread: requests, answers and files."`
	Queues   operate.QueuesCommand   `cmd:"" help:"List the queues and the processes that work on them."`
	Doctor   doctor.Command          `cmd:"" help:"Check the configuration and the servers, and say how to fix problems."`
	Health   doctor.HealthCommand    `cmd:"" help:"Check whether the serving process is alive."`
	Tools    tools.ListCommand       `cmd:"" help:"List the tools, which of them can run here, and what the others need."`
	Tool     tools.Command           `cmd:"" help:"Create, check and try your own tool, or turn a program into one."`
	Backends backendsCommand         `cmd:"" help:"Print an example for BACKENDS_FILE."`
	Eval     evaluate.Command        `cmd:"" help:"Measure how well requests are planned."`
	Replay   evaluate.ReplayCommand  `cmd:"" help:"Serve recorded answers as a model server."`
	Manifest chat.ManifestCommand    `cmd:"" name:"slack-manifest" help:"Print the manifest of the Slack app."`
	Env      envCommand              `cmd:"" help:"Print every setting with its default, as .env.example."`
	Version  versionCommand          `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// About is the introduction of the help.
const About = `Atelier works on pictures, sound, video and text. Say what you want in plain words: it finds
the tools, runs them and reports what it did.

Start with:

  bot ask --file photo.jpg "find the edges in this picture and then make the result half as large"

Exit status: 0 done, 1 failed, 2 wrong usage, 3 a question to answer, 4 partly done.`

// Run runs the program and returns its exit status.
func Run(ctx context.Context, p command.Program) int {
	if p.Builtin == nil {
		p.Builtin = sync.OnceValues(workshop.ReadBuiltin)
	}
	var line commands
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("bot"), kong.Description(About),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(status int) { exited = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 90}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
		kong.Vars{"version": release()},
	)
	if err != nil {
		return report(p.Stderr, fmt.Errorf("build the command line: %w", err))
	}
	if len(p.Args) > 0 && !strings.HasPrefix(p.Args[0], "-") {
		parser.Model.DefaultCmd = nil // a word is a command; the default command only takes flags
	}
	if len(p.Args) > 0 && p.Args[0] == "help" { // "bot help tool new" is "bot tool new --help"
		p.Args = append(slices.Clone(p.Args[1:]), "--help")
	}
	parsed, err := parser.Parse(p.Args)
	if exited >= 0 { // --help was printed
		return exited
	}
	if err != nil {
		return report(p.Stderr, misused(parser.Model.Children, p.Args, err.Error()))
	}
	return report(p.Stderr, parsed.Run(&command.Call{Program: p, Log: slog.New(slog.DiscardHandler)}))
}

// verbatim uses a string argument unchanged. Kong's own conversion through JSON corrupts file names that
// are not UTF-8.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err //nolint:wrapcheck // kong names the flag
	}
	target.SetString(fmt.Sprint(t.Value))
	return nil
}

// misused returns a usage error with the parser's message and the help command to try.
func misused(commands []*kong.Node, args []string, problem string) error {
	index := func(nodes []*kong.Node, arg string) int {
		return slices.IndexFunc(nodes, func(n *kong.Node) bool { return n.Name == arg })
	}
	help, below := "bot", commands
	for _, arg := range args {
		if i := index(below, arg); i >= 0 {
			help, below = help+" "+arg, below[i].Children
		}
	}
	help += " --help"
	if len(args) > 0 && index(commands, args[0]) < 0 {
		if meant, ok := strings.CutPrefix(problem, "unexpected argument "+args[0]); ok {
			problem = fmt.Sprintf("unknown command %q%s", args[0], meant)
		}
	}
	if !strings.HasSuffix(problem, "?") && !strings.HasSuffix(problem, "...") { // a list that goes on
		problem = strings.TrimRight(problem, ".") + "."
	}
	return fault.Usage("%s Try: %s", problem, help)
}

// report prints an error to stderr and returns the exit status.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return fault.StatusDone
	}
	if status, ok := errors.AsType[fault.ExitError](err); ok {
		return int(status)
	}
	status, text := fault.StatusFailed, fault.Sentence(err)
	if u, ok := errors.AsType[*fault.UsageError](err); ok {
		status, text = fault.StatusUsage, u.Sentence
	}
	if _, err := fmt.Fprintln(stderr, "bot:", text+spentInVain(err)); err != nil {
		return fault.StatusFailed // nobody can be told
	}
	return status
}

// spentInVain is a line about the model usage of a request that failed, if there was any.
func spentInVain(err error) string {
	unfinished, ok := errors.AsType[*plan.UnfinishedError](err)
	if !ok {
		return ""
	}
	if l := output.NewSpent(unfinished.Thinking, plan.Tokens{}); l != nil && l.Calls > 0 {
		return "\n" + l.String()
	}
	return ""
}
