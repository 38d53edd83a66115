package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"atelier/agent/endpoint/discover"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The exit statuses.
const (
	statusDone     = 0
	statusFailed   = 1
	statusUsage    = 2
	statusQuestion = 3
	statusPartial  = 4
)

// Program is one call of the program.
type Program struct {
	Args []string
	// Env are the variables of the environment, each as NAME=value.
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Terminal tells whether a writer is a terminal, and how many columns it has. Nil
	// asks the system.
	Terminal func(w io.Writer) (columns int, ok bool)
	// LocalServers is where model servers of this machine are looked for. Nil looks nowhere.
	LocalServers []discover.Place
	// Builtin gives the tools that come with the program. Nil reads them once.
	Builtin func() (*toolbox.Catalogue, error)
}

// commands is the command line.
type commands struct {
	Serve    serveCommand         `cmd:"" default:"withargs" help:"Work on the requests of the chat platforms, until it is stopped. This is the default."`
	Ask      askCommand           `cmd:"" help:"Do what a wish asks for."`
	Requests requestsCommand      `cmd:"" help:"List the latest requests."`
	Show     showCommand          `cmd:"" help:"Print a request whole: its plan, steps, times, answer and files."`
	Retry    retryCommand         `cmd:"" help:"Do a request once more, from the beginning."`
	Cancel   cancelCommand        `cmd:"" help:"Stop a request."`
	Forget   forgetCommand        `cmd:"" help:"Delete all that is known of a thread: requests, answers and files."`
	Queues   queuesCommand        `cmd:"" help:"List the queues and the processes that work on them."`
	Doctor   doctorCommand        `cmd:"" help:"Say what is configured, what can be reached and what is missing."`
	Health   healthCommand        `cmd:"" help:"Tell whether the process that serves here is alive."`
	Tools    toolsCommand         `cmd:"" help:"List the tools, which of them can run here, and what the others need."`
	Tool     toolCommand          `cmd:"" help:"Write a tool of your own, check its file and try it, or keep a program as one."`
	Backends backendsCommand      `cmd:"" help:"Print an example of the file that BACKENDS_FILE names."`
	Eval     evalCommand          `cmd:"" help:"Measure how well wishes are planned."`
	Replay   replayCommand        `cmd:"" help:"Answer as a model server does, from recorded answers."`
	Manifest slackManifestCommand `cmd:"" name:"slack-manifest" help:"Print what makes the app on Slack."`
	Env      envCommand           `cmd:"" help:"Print every setting with its default, as .env.example."`
	Version  versionCommand       `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

const about = `Atelier does things with pictures, sound, video and text: say what you want in plain words,
and it finds the tools, runs them and tells what it did.

Begin with:

  bot ask --file photo.jpg "find the edges in this picture and then make the result half as large"

Exit status: 0 done, 1 failed, 2 wrong usage, 3 a question back, 4 done in part.`

// call is what the commands share.
type call struct {
	Program
	log *slog.Logger
}

// workshop reads the settings, with the flags put over them, and is what makes what they name; from
// then on the call logs as they say. A command that needs none asks for none, and so works whatever
// they are.
func (c *call) workshop(flags func(*Config) error) (Workshop, error) { return c.read(flags, nil) }

// workshopWithModel is workshop for commands that plan: where no model server is set, one that
// runs on this machine is used, and the log says so.
func (c *call) workshopWithModel(ctx context.Context, flags func(*Config) error) (Workshop, error) {
	shop, err := c.read(flags, func(config Config) (Config, error) { return withLocal(ctx, config, c.LocalServers) })
	if err == nil {
		logLocal(ctx, shop.Local, c.log)
	}
	return shop, err
}

func (c *call) read(flags func(*Config) error, complete func(Config) (Config, error)) (Workshop, error) {
	config, err := readConfig(c.Env, flags, complete)
	if err != nil {
		return Workshop{}, err
	}
	shop := Workshop{Config: config, LogTo: &lineWriter{to: c.Stderr}, Builtin: c.Builtin}
	c.log = shop.logger()
	return shop, nil
}

// progress is the line that tells on the standard error output what is going on. It is
// nil where that is no terminal that can move its cursor, and where JSON goes to a
// program, whose user watches that one.
func (c *call) progress(asJSON bool) *progress {
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
	return newProgress(c.Stderr, func() int {
		columns, _ := terminal(c.Stderr)
		return columns
	})
}

// isTerminal asks the system what w is.
func isTerminal(w io.Writer) (columns int, ok bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	return columns, true
}

// ended carries an exit status that says all there is to say.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usage is a fault of the command line or the configuration: the sentence says what is
// expected.
func usage(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

type usageError struct{ sentence string }

func (e *usageError) Error() string { return e.sentence }

// Run runs the program and returns its exit status.
func (p Program) Run(ctx context.Context) int {
	if p.Builtin == nil {
		p.Builtin = sync.OnceValues(readBuiltin)
	}
	var line commands
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("bot"), kong.Description(about),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(status int) { exited = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 90}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
		kong.Vars{"version": release()},
	)
	if err != nil {
		return p.report(fmt.Errorf("build the command line: %w", err))
	}
	if len(p.Args) > 0 && !strings.HasPrefix(p.Args[0], "-") {
		parser.Model.DefaultCmd = nil // a word names a command; the default one takes flags only
	}
	if len(p.Args) > 0 && p.Args[0] == "help" { // "bot help tool new" is "bot tool new --help"
		p.Args = append(slices.Clone(p.Args[1:]), "--help")
	}
	parsed, err := parser.Parse(p.Args)
	if exited >= 0 { // --help has said it all
		return exited
	}
	if err != nil {
		return p.report(misused(parser.Model.Children, p.Args, err.Error()))
	}
	return p.report(parsed.Run(&call{p, slog.New(slog.DiscardHandler)}))
}

// verbatim takes a string of the command line as it is. Kong's own way through JSON loses the
// bytes of a file name that is not UTF-8.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err //nolint:wrapcheck // kong says which flag it is
	}
	target.SetString(fmt.Sprint(t.Value))
	return nil
}

// misused says what is wrong with the arguments, in the parser's words, and where to find help.
func misused(commands []*kong.Node, args []string, problem string) error {
	isCommand := func(arg string) bool {
		return slices.ContainsFunc(commands, func(n *kong.Node) bool { return n.Name == arg })
	}
	help := "bot --help"
	if i := slices.IndexFunc(args, isCommand); i >= 0 {
		help = "bot " + args[i] + " --help"
	}
	if len(args) > 0 && !isCommand(args[0]) {
		if meant, ok := strings.CutPrefix(problem, "unexpected argument "+args[0]); ok {
			problem = fmt.Sprintf("unknown command %q%s", args[0], meant)
		}
	}
	if !strings.HasSuffix(problem, "?") {
		problem = strings.TrimRight(problem, ".") + "."
	}
	return usage("%s Try: %s", problem, help)
}

// report says on Stderr what went wrong and gives the exit status.
func (p Program) report(err error) int {
	if err == nil {
		return statusDone
	}
	if status, ok := errors.AsType[ended](err); ok {
		return int(status)
	}
	status, text := statusFailed, sentence(err)
	if u, ok := errors.AsType[*usageError](err); ok {
		status, text = statusUsage, u.sentence
	}
	if _, err := fmt.Fprintln(p.Stderr, "bot:", text+spentInVain(err)); err != nil {
		return statusFailed // nobody can be told
	}
	return status
}

// spentInVain is a line on what models took before there was no plan, or nothing.
func spentInVain(err error) string {
	unfinished, ok := errors.AsType[*plan.UnfinishedError](err)
	if !ok {
		return ""
	}
	if l := newSpentLine(unfinished.Thinking, plan.Tokens{}); l != nil && l.Calls > 0 {
		return "\n" + l.String()
	}
	return ""
}

// sentence is what a person is told of an error.
func sentence(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "It was stopped."
	case errors.Is(err, fs.ErrPermission):
		return plan.OperatorSentence(err, plan.Quote("It is not permitted: "+err.Error())).String()
	}
	return plan.OperatorSentence(err, plan.Quote(strings.TrimSpace(err.Error()))).String()
}
