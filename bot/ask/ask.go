// Package ask implements the command ask, which runs one request from the command line.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolgraph"
	"atelier/bot/command"
	"atelier/bot/conversation"
	"atelier/bot/export"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// Command is bot ask.
type Command struct {
	Voice    *string  `help:"A recording of your request, instead of text." placeholder:"FILE"`
	File     []string `short:"f" help:"A picture, sound, video or text. May be repeated." placeholder:"FILE" sep:"none"`
	JSON     bool     `help:"Print one JSON object: {status, text, guesses, files, solutions, thinking}."`
	Plan     bool     `help:"Show the solutions and run nothing."`
	Solution *int     `help:"Run the solution or guess with this number. Without --thread the request is planned again (see above)." placeholder:"N"`
	Thread   string   `help:"Continue the conversation with this name, so that \"now blur it\" is understood." placeholder:"NAME"`
	Detach   bool     `help:"Hand the request to the running bot serve, and return at once. bot show prints the outcome."`
	Out      string   `help:"The folder for the resulting files." placeholder:"DIR" default:"out"`
	command.Thinking
	Wish []string `arg:"" optional:"" name:"request" help:"What you want, in plain words. A single - reads it from standard input."`
}

// Help returns the detailed help.
func (*Command) Help() string {
	return `Examples that need no setup:

  bot ask --file photo.jpg "find the edges in this picture and then make the result half as large"
  bot ask --file photo.jpg --plan "make it black and white"
  bot ask --file photo.jpg --thread holiday "rotate it by 90 degrees"
  bot ask --thread holiday "now blur it"
  bot ask --file photo.jpg --voice request.ogg

This prints the answer, the plan that was followed and the alternatives. Run an alternative
with --solution. With the same --thread and request, --solution runs exactly what was shown.
Without a thread the request is planned again, and a model may find other solutions. If your
request is unclear, a question is asked, with up to four guesses: --solution runs one of these, too.
The resulting files are copied to the folder out, or to the one that --out names.

With --detach the request goes to the bot serve that runs on the same data folder, which runs it
even after a restart. The request's id is printed. Threads with --detach are separate from those
without, even if they have the same name.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 a question (answer it with --thread),
4 partly done.`
}

const (
	// maxWish is the maximum length of a request, in bytes.
	maxWish = 8000
	// maxStdin is how much of the standard input is read, in bytes.
	maxStdin = 1 << 20
	// MaxFiles is the maximum number of files of a request.
	MaxFiles = toolgraph.MaxGiven
)

// Run runs the request.
func (a *Command) Run(ctx context.Context, c *command.Call) error {
	if err := a.check(); err != nil {
		return err
	}
	wish, err := a.wish(ctx, c.Stdin)
	if err != nil {
		return err
	}
	shop, err := a.workshop(ctx, c)
	if err != nil {
		return err
	}
	if err := a.inspectVoice(ctx, shop); err != nil {
		return a.failed(ctx, c, err)
	}
	if a.Detach {
		return a.detach(ctx, c, shop, wish)
	}
	an, err := a.answer(ctx, c, shop, wish)
	if err != nil {
		return a.failed(ctx, c, err)
	}
	if a.JSON {
		err = output.JSON(c.Stdout, an)
	} else {
		err = an.print(c.Stdout, a.Plan)
	}
	if err != nil {
		return err
	}
	if s := an.exit(); s != fault.StatusDone {
		return fault.ExitError(s)
	}
	return nil
}

// workshop reads the settings. With --detach the serving process plans, so no model is looked
// for.
func (a *Command) workshop(ctx context.Context, c *command.Call) (workshop.Workshop, error) {
	if a.Detach {
		return c.Workshop(a.Apply)
	}
	return c.WorkshopWithModel(ctx, a.Apply)
}

func (a *Command) check() error {
	switch {
	case a.Solution != nil && *a.Solution < 1:
		return fault.Usage("--solution is %d: expected a number from 1.", *a.Solution)
	case slices.Contains(a.File, ""):
		return fault.Usage("--file is empty: expected a file name.")
	case len(a.File) > MaxFiles:
		return fault.Usage("--file is given %d times: the limit is %d files.", len(a.File), MaxFiles)
	}
	if err := a.checkVoice(); err != nil {
		return err
	}
	if a.Detach {
		usual := command.Thinking{PriorKnowledge: true, MaxActions: command.DefaultActions}
		if a.Plan || a.Solution != nil || a.Out != export.DefaultOut || a.Thinking != usual {
			return fault.Usage("--detach sends only the request, its files and --thread: the serving process decides the rest, " +
				"and bot show --out gets the files.")
		}
		return nil
	}
	return a.checkOut()
}

// failed reports an error that occurred before there was an answer, as a JSON object if --json is
// given. Usage errors are only printed to standard error. The cause is logged.
func (a *Command) failed(ctx context.Context, c *command.Call, err error) error {
	if _, wrong := errors.AsType[*fault.UsageError](err); wrong {
		return err
	}
	c.Log.WarnContext(ctx, "the request failed", "cause", plan.ForOperator(err))
	if !a.JSON {
		return err
	}
	var spent plan.Thinking
	if unfinished, ok := errors.AsType[*plan.UnfinishedError](err); ok {
		spent = unfinished.Thinking
	}
	an := newAnswer(FailedStatus, fault.Sentence(err), spent, plan.Tokens{})
	if err := output.JSON(c.Stdout, an); err != nil {
		return err
	}
	return fault.ExitError(an.exit())
}

func (a *Command) wish(ctx context.Context, stdin io.Reader) (string, error) {
	if a.Voice != nil {
		return "", nil
	}
	wish := strings.Join(a.Wish, " ")
	if wish == "-" && stdin != nil {
		b, err := readAll(ctx, io.LimitReader(stdin, maxStdin+1))
		if err != nil {
			return "", fmt.Errorf("read the request: %w", err)
		}
		wish = string(b)
	}
	wish = strings.TrimSpace(strings.ToValidUTF8(wish, "\uFFFD"))
	switch {
	case wish == "":
		return "", fault.Usage("Usage: bot ask [--file FILE]… \"what you want\". The request is empty; say it with --voice FILE, or try: bot ask --help")
	case len(wish) > maxWish:
		return "", fault.Usage("The request is too long: the limit is %d bytes. Put a longer text into a file: --file", maxWish)
	}
	return wish, nil
}

// readAll is io.ReadAll that stops with ctx. The goroutine that reads may then stay until the program
// ends.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	type read struct {
		bytes []byte
		err   error
	}
	all := make(chan read, 1)
	go func() {
		b, err := io.ReadAll(r)
		all <- read{b, err}
	}()
	select {
	case got := <-all:
		return got.bytes, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answer plans the request and, unless only the plan is wanted, runs it through the jobs, like every
// other request.
func (a *Command) answer(ctx context.Context, c *command.Call, shop workshop.Workshop, wish string) (_ *Answer, err error) {
	line := c.Progress(a.JSON)
	defer line.Close()
	if line != nil {
		shop.LogTo = line
	}
	t, err := conversation.Open(ctx, shop, a.Thread)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := t.Close(); e != nil && err == nil {
			err = fmt.Errorf("close the conversation: %w", e)
		}
	}()
	d, err := openDesk(ctx, t, shop, agent.Config{MaxActions: a.MaxActions, Progress: line.Stage}, line.Report)
	if err != nil {
		return nil, err
	}
	defer func() { err = d.close(ctx, err) }()
	if a.Solution != nil && !a.Plan && a.Voice == nil { // a voice request is not known before it is transcribed
		shown, err := d.shown(ctx, wish, a.File)
		if err != nil {
			return nil, err
		}
		if shown != nil {
			return a.run(ctx, d, *shown)
		}
	}
	// Plan first, without running, if only the plan or a certain solution is wanted, or if the output
	// folder may not be writable.
	planOnly := a.Plan || a.Solution != nil || export.TryWriting(a.Out) != nil
	p, err := d.submit(ctx, a.message(t, wish), jobs.Options{PlanOnly: planOnly, Operator: true})
	switch {
	case err != nil:
		return nil, err
	case !planOnly:
		return a.told(ctx, d, p, p.run)
	}
	return a.run(ctx, d, p)
}

// number is the number of the solution to run.
func (a *Command) number() int {
	if a.Solution == nil {
		return 1
	}
	return *a.Solution
}

// maxOffers is the maximum number of solutions shown.
const maxOffers = 10

// run runs the chosen solution of a plan, or says why there is nothing to run.
func (a *Command) run(ctx context.Context, d *desk, p planned) (*Answer, error) {
	guesses := len(p.plan.Guesses)
	switch beyond := a.number() > len(p.offers); {
	case beyond && whole(p.plan):
		return nil, &plan.UnfinishedError{Thinking: p.thinking, Err: noSuchSolution(a.number(), len(p.offers))}
	case a.Plan, guesses == 0 && (beyond || p.plan.Question != ""), guesses > 0 && a.Solution == nil:
		an := newAnswer(statusOf(p.run.Answer.Status), p.run.Answer.Reply.Listed(), p.thinking, plan.Tokens{})
		an.Guesses = p.plan.Guesses
		return an, an.solutions(p.plan, p.offers, nil, nil)
	case beyond:
		return nil, &plan.UnfinishedError{Thinking: p.thinking, Err: noSuchGuess(a.number(), guesses)}
	case guesses > 0:
		return a.guess(ctx, d, p)
	}
	choice := p.offers[a.number()-1].Choice
	if err := a.checkOutFor(p.plan, choice); err != nil {
		return nil, &plan.UnfinishedError{Thinking: p.thinking, Err: err}
	}
	run, err := d.choose(ctx, p, choice)
	if err != nil {
		return nil, err
	}
	return a.told(ctx, d, p, run)
}

// told returns the answer after a solution was run, and writes the files. The conversation is recorded
// before that, so it can continue even if writing fails.
func (a *Command) told(ctx context.Context, d *desk, p planned, run jobs.Run) (*Answer, error) {
	an := newAnswer(statusOf(run.Answer.Status), run.Answer.Reply.Listed(), p.thinkingWith(run), run.Usage)
	if p.plan == nil {
		return an, nil
	}
	an.Guesses = p.plan.Guesses
	followed := run.Choice
	if run.Answer.Status == jobs.Asking { // nothing was run
		followed = nil
	}
	if err := an.solutions(p.plan, p.offers, followed, run.Results); err != nil {
		return nil, err
	}
	var sent []plan.Resource
	for _, m := range slices.Concat(run.Made, run.Answer.Resources) { // a reply may bring earlier results
		named := slices.ContainsFunc(run.Answer.Reply.Files, func(f adapters.Attachment) bool { return f.Resource == m.Name })
		if named && !slices.ContainsFunc(sent, func(s plan.Resource) bool { return s.Name == m.Name }) {
			sent = append(sent, m)
		}
	}
	files, err := export.Write(ctx, d.thread.Place.Blobs, sent, a.Out)
	an.Files = append(an.Files, files...)
	return an, err
}

func noSuchSolution(number, n int) error {
	there := fmt.Sprintf("are only %d solutions", n)
	if n == 1 {
		there = "is only one solution"
	}
	return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("--solution is %d, but there %s.", number, there))}
}

// guess runs the chosen guess of a question.
func (a *Command) guess(ctx context.Context, d *desk, p planned) (*Answer, error) {
	if err := export.TryWriting(a.Out); err != nil { // whether it makes files is not known yet
		err = &plan.Fault{Sentence: plan.Quote(a.unwritable(err)), Err: err}
		return nil, &plan.UnfinishedError{Thinking: p.thinking, Err: err}
	}
	chosen, err := d.chooseGuess(ctx, p, a.number())
	if err != nil {
		return nil, err
	}
	return a.told(ctx, d, chosen, chosen.run)
}

func noSuchGuess(number, n int) error {
	there := fmt.Sprintf("are only the guesses 1 to %d", n)
	if n == 1 {
		there = "is only the guess 1"
	}
	return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("--solution is %d, but there %s.", number, there))}
}

// whole reports whether every part of the request can be done.
func whole(p *plan.Plan) bool {
	return len(p.Tasks) > 0 && !slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
}
