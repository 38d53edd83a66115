package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/evaluate"
	"atelier/agent/plan"
	"atelier/agent/planner/llm"
	"atelier/agent/toolbox"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// Measured is a report with the name of the planner.
type Measured struct {
	*evaluate.Report

	Planner string `json:"planner"` // rules, or the name of the model
	// Recorded is set if the answers were replayed from a tape.
	Recorded *recorded `json:"recorded,omitempty"`

	by string // describes the planner to people
}

// Print writes the report as text.
func (m *Measured) Print(w io.Writer) error {
	if _, err := fmt.Fprintln(w, m.by); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return m.Report.Print(w)
}

// measure makes plans and judges them.
func (e *Command) measure(ctx context.Context, c *command.Call, shop workshop.Workshop, t *tape) (*Measured, error) {
	b, err := e.benchmark(shop, t)
	if err != nil {
		return nil, err
	}
	if shop.Models.Name == "" && shop.Planner == settings.LLMPlanner { // measure the same model for all requests
		choice, err := shop.ModelChoice()
		if err != nil {
			return nil, err
		}
		if shop.Models.Name, err = choice.Model(ctx, family.Chat); err != nil {
			return nil, fmt.Errorf("choose the model to measure: %w", err)
		}
	}
	if e.Record != "" {
		if shop.Wrap, err = t.record(shop.Config, b); err != nil {
			return nil, err
		}
	}
	line := c.Progress(e.JSON)
	defer line.Close()
	if line != nil {
		shop.LogTo = line
	}
	m, err := shop.NewPlanner(b.catalogue, workshop.Pictures{}, nil)
	if err != nil {
		return nil, err
	}
	a, err := shop.Agent(ctx, b.catalogue, nil, agent.Config{Planner: m, MaxActions: e.MaxActions, AllTools: b.allTools})
	if err != nil {
		return nil, err
	}
	line.Tell(planning, fmt.Sprintf("0 of %d done", len(b.ids())))
	options := evaluate.Options{
		Failures: e.Failures, Catalogue: b.catalogue, Parallel: e.Parallel, Broke: broke, Unasked: unasked,
		Progress: func(done, of int) { line.Tell(planning, fmt.Sprintf("%d of %d done", done, of)) },
	}
	if e.Answers {
		options.Respond = m.Respond
	}
	var planner evaluate.Planner = a
	if e.Reference {
		planner = evaluate.ByReference(a, b.cases)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if !shop.Models.Recorded {
		h := &hopeful{Planner: planner, words: m.Respond, end: end, patience: min(maxInRow, len(b.ids()))}
		planner = h
		if e.Answers {
			options.Respond = h.Respond
		}
	}
	report, err := b.run(ctx, planner, options)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause //nolint:wrapcheck // the error of hopeful, or that of the context
	}
	if err != nil {
		return nil, err
	}
	if report.Requests == 0 && len(report.LeftOut) > 0 && shop.Models.Recorded {
		return nil, fault.Usage("No request is recorded completely in %s.", e.Replay)
	}
	return e.tell(report, shop.Config, b, t)
}

// planning is the label of the progress line.
const planning = "Planning"

// broke reports whether an error is a failure of the model or its server, rather than a refusal
// of the request.
func broke(err error) bool {
	_, unusable := errors.AsType[*llm.AnswerError](err)
	return unusable || endpoint.KindOf(err) != "" || errors.Is(err, plan.ErrOverBudget)
}

// benchmark holds the requests, and the tools for planning them.
type benchmark struct {
	catalogue *toolbox.Catalogue
	allTools  bool
	cases     []evaluate.Case
	// TaskBench's tools, and its plans if they are compared.
	tools []toolbox.Tool
	plans []evaluate.Labelled
}

func (b benchmark) run(ctx context.Context, p evaluate.Planner, o evaluate.Options) (*evaluate.Report, error) {
	if b.plans != nil {
		return evaluate.RunTaskBench(ctx, p, b.plans, b.tools, o)
	}
	return evaluate.Run(ctx, p, b.cases, o)
}

// ids returns the ids of the requests.
func (b benchmark) ids() []string {
	var ids []string
	for _, c := range b.cases {
		ids = append(ids, c.ID)
	}
	for _, p := range b.plans {
		ids = append(ids, p.ID)
	}
	return ids
}

// benchmark reads the files that the flags name, and keeps the selected requests.
func (e *Command) benchmark(shop workshop.Workshop, t *tape) (benchmark, error) {
	b, err := e.read(shop)
	if err != nil {
		return b, err
	}
	all := b.ids()
	for _, id := range e.IDs {
		if !slices.Contains(all, id) {
			return b, fault.Usage("Unknown request %q.", id)
		}
	}
	leave := func(id string) bool { return !e.takes(id) || e.Replay != "" && !t.has(id) }
	b.cases = slices.DeleteFunc(b.cases, func(c evaluate.Case) bool { return leave(c.ID) })
	b.plans = slices.DeleteFunc(b.plans, func(l evaluate.Labelled) bool { return leave(l.ID) })
	if e.Replay != "" && len(b.ids()) == 0 {
		return b, fault.Usage("No request is recorded in %s.", e.Replay)
	}
	return b, nil
}

func (e *Command) read(shop workshop.Workshop) (b benchmark, err error) {
	if e.Taskbench != "" {
		return e.readTaskBench()
	}
	if b.catalogue, err = shop.ReadCatalogue(); err != nil {
		return b, err
	}
	if e.Toolbox != "" {
		if b.catalogue, err = originating(b.catalogue, e.Toolbox); err != nil {
			return b, err
		}
	}
	// Recordings must not depend on the tools that this machine can run.
	b.allTools = e.AllTools || e.File == "" || e.Record != "" || e.Replay != ""
	if e.File == "" {
		b.cases, err = evaluate.BuiltIn()
		return b, err
	}
	b.cases, err = read(e.File, func(requests evaluate.Input) ([]evaluate.Case, error) {
		if e.Gold == "" {
			return evaluate.ReadCases(requests, evaluate.Input{})
		}
		return read(e.Gold, func(gold evaluate.Input) ([]evaluate.Case, error) { return evaluate.ReadCases(requests, gold) })
	})
	return b, err
}

func (e *Command) readTaskBench() (b benchmark, err error) {
	if b.tools, err = read(e.Taskbench, evaluate.ReadTools); err != nil {
		return b, err
	}
	b.catalogue, b.allTools = toolbox.NewCatalogue(b.tools), true
	if e.Wishes {
		b.cases, err = read(e.File, evaluate.ReadWishes)
	} else {
		b.plans, err = read(e.File, evaluate.ReadPlans)
	}
	return b, err
}

// read opens a file and passes it to a reader.
func read[T any](name string, reader func(evaluate.Input) (T, error)) (_ T, err error) {
	var none T
	f, err := os.Open(name)
	if err != nil {
		return none, fault.Usage("%s cannot be read: %s.", name, errors.Unwrap(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return reader(evaluate.Input{Name: name, Reader: f})
}

// originating restricts a catalogue to the tools that a system has.
func originating(c *toolbox.Catalogue, system string) (*toolbox.Catalogue, error) {
	var kept []toolbox.Tool
	for _, t := range c.Tools() {
		if slices.Contains(t.Origins, system) {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return nil, fault.Usage("Unknown tool system %q.", system)
	}
	return toolbox.NewCatalogue(kept), nil
}
