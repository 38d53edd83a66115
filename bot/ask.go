package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/agent"
	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

type askCommand struct {
	File     []string `short:"f" help:"A picture, sound, video, text or web page; may stand several times." placeholder:"FILE" sep:"none"`
	JSON     bool     `help:"Print one JSON object: {status, text, files, solutions, thinking}."`
	Plan     bool     `help:"Show the ways to do it and run nothing."`
	Solution *int     `help:"Run the solution of this number instead of the best. Without --thread the wish is planned anew (see below)." placeholder:"N"`
	Thread   string   `help:"Go on with the conversation of this name, so that \"now blur it\" is understood." placeholder:"NAME"`
	Out      string   `help:"The folder into which the files that were made are written." placeholder:"DIR" default:"out"`
	thinking
	Wish []string `arg:"" optional:"" help:"What you want, in plain words. A single - reads it from the standard input."`
}

// Help is the longer help.
func (*askCommand) Help() string {
	return `Examples that need nothing but this program:

  bot ask --file photo.jpg "find the edges in this picture and then make the result half as large"
  bot ask --file photo.jpg --plan "make it black and white"
  bot ask --file photo.jpg --thread holiday "rotate it by 90 degrees"
  bot ask --thread holiday "now blur it"

The answer, the plan that was followed and the other ways that were found are printed;
run one of those with --solution. With the same --thread and wish that runs what was shown,
and no model plans again; without a thread the wish is planned anew, and a model may find
other ways. The files that were made are copied to the folder out, or to the one that --out names.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 a question back, which --thread lets you answer.`
}

const (
	// maxWish is the longest wish that is taken, in bytes.
	maxWish = 8000
	// maxStdin is how much of the standard input is read for it.
	maxStdin = 1 << 20
	// maxFiles is how many things the search for tools can work on together.
	maxFiles = 64
)

// Run does what the wish asks for.
func (a *askCommand) Run(ctx context.Context, c *call) (err error) {
	if err := a.check(); err != nil {
		return err
	}
	wish, err := a.wish(ctx, c.Stdin)
	if err != nil {
		return err
	}
	config, err := c.config(a.over)
	if err != nil {
		return err
	}
	t, err := openThread(ctx, config.Data, a.Thread)
	if err != nil {
		return a.failed(ctx, c, err)
	}
	defer func() {
		if e := t.close(); e != nil && err == nil {
			err = fmt.Errorf("close the conversation: %w", e)
		}
	}()
	an, err := a.answer(ctx, c, config, t, wish)
	if err != nil {
		return a.failed(ctx, c, err)
	}
	if a.JSON {
		err = printJSON(c.Stdout, an)
	} else {
		err = an.print(c.Stdout, a.Plan)
	}
	if err != nil {
		return err
	}
	if s := an.exit(); s != statusDone {
		return ended(s)
	}
	return nil
}

func (a *askCommand) check() error {
	switch {
	case a.Solution != nil && *a.Solution < 1:
		return usage("--solution is %d: the numbers begin with 1.", *a.Solution)
	case slices.Contains(a.File, ""):
		return usage("--file is empty: the name of a file is expected.")
	case len(a.File) > maxFiles:
		return usage("--file stands %d times: at most %d files can be worked on at once.", len(a.File), maxFiles)
	}
	return a.checkOut()
}

// failed reports what went wrong before there was an answer: as one object where that
// is asked for. Wrong usage is told on the standard error output alone. The log has
// the cause.
func (a *askCommand) failed(ctx context.Context, c *call, err error) error {
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return err
	}
	c.log.WarnContext(ctx, "the wish came to nothing", "cause", plan.ForOperator(err))
	if !a.JSON {
		return err
	}
	var spent plan.Thinking
	if unfinished, ok := errors.AsType[*plan.UnfinishedError](err); ok {
		spent = unfinished.Thinking
	}
	an := newAnswer(failedStatus, sentence(err), spent, plan.Tokens{})
	if err := printJSON(c.Stdout, an); err != nil {
		return err
	}
	return ended(an.exit())
}

func (a *askCommand) wish(ctx context.Context, stdin io.Reader) (string, error) {
	wish := strings.Join(a.Wish, " ")
	if wish == "-" && stdin != nil {
		b, err := readAll(ctx, io.LimitReader(stdin, maxStdin+1))
		if err != nil {
			return "", fmt.Errorf("read the wish: %w", err)
		}
		wish = string(b)
	}
	wish = strings.TrimSpace(strings.ToValidUTF8(wish, "\uFFFD"))
	switch {
	case wish == "":
		return "", usage("Usage: bot ask [--file FILE]… \"what you want\". The wish is empty; try: bot ask --help")
	case len(wish) > maxWish:
		return "", usage("The wish is too long: at most %d bytes are read. A longer text to be worked on goes into a file: --file", maxWish)
	}
	return wish, nil
}

// readAll is io.ReadAll that ctx ends. The reader may then be waited for until the
// program ends.
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

// answer plans the wish and, unless only the plan is wanted, does it.
func (a *askCommand) answer(ctx context.Context, c *call, config Config, t *thread, wish string) (*answer, error) {
	line := c.progress(a.JSON)
	defer line.close()
	if line != nil {
		config.LogTo = line
	}
	given, err := t.attachAll(ctx, a.File, config.limits())
	if err != nil {
		return nil, err
	}
	catalogue, err := config.catalogue()
	if err != nil {
		return nil, err
	}
	atelier, err := config.agent(ctx, catalogue, t.blobs, agent.Config{MaxActions: a.MaxActions, Progress: line.stage})
	if err != nil {
		return nil, err
	}
	r, p, kept := t.planOf(wish, given)
	if !kept || a.Plan || a.Solution == nil {
		r = t.request(wish, given)
		p, err = a.plan(ctx, atelier, r)
	}
	if err != nil {
		return nil, err
	}
	planned := planned{a, atelier, t, r, p, p.Offers(p.Best(), maxOffers), line}
	switch beyond := a.number() > len(planned.offers); {
	case beyond && whole(p):
		return nil, planned.giveUp(noSuchSolution(planned.number(), len(planned.offers)))
	case beyond || a.Plan:
		return planned.show(ctx)
	}
	return planned.do(ctx)
}

// number is that of the solution to be run.
func (a *askCommand) number() int {
	if a.Solution == nil {
		return 1
	}
	return *a.Solution
}

// plan asks for the ways to do it.
func (a *askCommand) plan(ctx context.Context, atelier *agent.Agent, r plan.Request) (*plan.Plan, error) {
	p, err := atelier.Plan(ctx, r)
	if errors.Is(err, toolgraph.ErrQuery) && len(r.Resources()) > maxFiles {
		err = &plan.Fault{Sentence: fmt.Sprintf("At most %d things can be worked on at once. Name those that you mean.", maxFiles), Err: err}
	}
	return p, err
}

// maxOffers is how many ways are shown and numbered.
const maxOffers = 10

func noSuchSolution(number, n int) error {
	there := fmt.Sprintf("are only %d solutions", n)
	if n == 1 {
		there = "is only one solution"
	}
	return &plan.Fault{Sentence: fmt.Sprintf("--solution is %d, but there %s.", number, there)}
}

// whole tells whether every part of the wish can be done.
func whole(p *plan.Plan) bool {
	return len(p.Tasks) > 0 && !slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
}

// planned is a wish with its plan.
type planned struct {
	*askCommand

	agent   *agent.Agent
	thread  *thread
	request plan.Request
	plan    *plan.Plan
	offers  []plan.Offer
	line    *progress
}

// giveUp is a failure after the planning, with what that took. The conversation keeps the
// plan, so that a solution of it can be run without planning again.
func (p planned) giveUp(err error) error {
	p.thread.try(p.request, p.plan)
	if e := p.thread.save(); e != nil {
		err = errors.Join(err, e)
	}
	return &plan.UnfinishedError{Thinking: p.plan.Thinking, Err: err}
}

// show is the answer when nothing is to be run: the ways to do it, or what is in the
// way. With --plan a wish is only tried, which is no turn, unless it led to a question,
// which is to be answered.
func (p planned) show(ctx context.Context) (*answer, error) {
	an := newAnswer(doneStatus, "", p.plan.Thinking, plan.Tokens{})
	if !whole(p.plan) {
		told, err := p.agent.Respond(ctx, mind.Account{Request: p.request, Plan: p.plan})
		if err != nil {
			return nil, err
		}
		an = newAnswer(statusOf(p.plan, agent.Outcome{}), told.Text, told.Thinking, plan.Tokens{})
	}
	if p.Plan && p.plan.Question == "" {
		p.thread.try(p.request, p.plan)
	} else {
		p.thread.remember(p.request, p.plan, agent.Outcome{}, an.Text)
	}
	if err := p.thread.save(); err != nil {
		return nil, err
	}
	return an, an.solutions(p.plan, p.offers, agent.Outcome{})
}

// do is the answer when the chosen solution was run. The conversation has it before the
// files are handed out, so that it goes on from here even if that fails.
func (p planned) do(ctx context.Context) (*answer, error) {
	choice := p.offers[p.number()-1].Choice
	if err := p.checkOutFor(p.plan, choice); err != nil {
		return nil, p.giveUp(err)
	}
	run, err := p.agent.Run(ctx, p.request, p.plan, choice, p.line.steps())
	if err != nil {
		return nil, err
	}
	told, err := p.agent.Respond(ctx, run.Account)
	if err != nil {
		return nil, err
	}
	p.thread.remember(p.request, p.plan, run, told.Text)
	if err := p.thread.save(); err != nil {
		return nil, err
	}
	an := newAnswer(statusOf(p.plan, run), told.Text, told.Thinking, takenBy(run))
	if err := an.solutions(p.plan, p.offers, run); err != nil {
		return nil, err
	}
	return an, an.export(ctx, p.thread.blobs, run.Made, p.Out)
}
