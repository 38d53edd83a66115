package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"atelier/agent"
	"atelier/agent/evaluate"
	"atelier/agent/toolbox"
)

type evalCommand struct {
	Gold      string `help:"Judgements for ControlLLM's requests, which FILE then holds." placeholder:"FILE"`
	Taskbench string `help:"TaskBench's tools, with whose plans FILE then compares." placeholder:"FILE"`
	Wishes    bool   `help:"With --taskbench: FILE holds wishes without labels, which are planned and timed only."`
	Reference bool   `help:"Take the decompositions of FILE, so that the search is measured by itself."`
	AllTools  bool   `help:"Plan as if every tool could run here."`
	Toolbox   string `help:"Plan with the tools of this system only: controlllm, visualchatgpt, hugginggpt or atelier." placeholder:"NAME"`
	Half      string `help:"Take only the requests whose number is even, or odd." placeholder:"even|odd"`
	Failures  bool   `help:"List each miss with its plan."`
	JSON      bool   `help:"Print JSON."`
	thinking
	File string `arg:"" optional:"" help:"The requests. Without one, Atelier's own benchmark is run, with every tool."`
}

// Help is the longer help.
func (*evalCommand) Help() string {
	return `Nothing is run and nothing is changed: the plans are judged.

Examples:

  bot eval
  bot eval --all-tools --gold gold.jsonl requests.json
  bot eval --taskbench tool_desc.json plans.jsonl`
}

// Run measures.
func (e *evalCommand) Run(ctx context.Context, c *call) error {
	if err := e.check(); err != nil {
		return err
	}
	config, err := c.config(e.over)
	if err != nil {
		return err
	}
	report, err := e.measure(ctx, config)
	if err != nil {
		return err
	}
	if e.JSON {
		return printJSON(c.Stdout, report)
	}
	if err := report.Print(c.Stdout); err != nil {
		return err
	}
	if e.Failures {
		return report.PrintMisses(c.Stdout)
	}
	return nil
}

func (e *evalCommand) check() error {
	switch {
	case e.Gold != "" && e.Taskbench != "":
		return usage("--gold and --taskbench are two benchmarks: give one of them.")
	case (e.Gold != "" || e.Taskbench != "") && e.File == "":
		return usage("The file with the requests is missing. Try: bot eval --help")
	case e.Half != "" && e.Half != "even" && e.Half != "odd":
		return usage("--half is %q: even or odd is expected.", e.Half)
	case e.Wishes && e.Taskbench == "":
		return usage("--wishes goes with --taskbench.")
	case e.Reference && e.Taskbench != "":
		return usage("--reference goes with requests that hold their decompositions, which TaskBench's do not.")
	}
	return nil
}

func (e *evalCommand) measure(ctx context.Context, config Config) (*evaluate.Report, error) {
	if e.Taskbench != "" {
		return e.taskBench(ctx, config)
	}
	catalogue, err := config.catalogue()
	if err != nil {
		return nil, err
	}
	if e.Toolbox != "" {
		if catalogue, err = originating(catalogue, e.Toolbox); err != nil {
			return nil, err
		}
	}
	cases, err := e.cases()
	if err != nil {
		return nil, err
	}
	a, err := config.agent(ctx, catalogue, nil, agent.Config{MaxActions: e.MaxActions, AllTools: e.AllTools || e.File == ""})
	if err != nil {
		return nil, err
	}
	planner := evaluate.Planner(a)
	if e.Reference {
		planner = evaluate.ByReference(a, cases)
	}
	return evaluate.Run(ctx, planner, cases, evaluate.Options{Failures: e.Failures, Catalogue: catalogue})
}

func (e *evalCommand) taskBench(ctx context.Context, config Config) (*evaluate.Report, error) {
	tools, err := read(e.Taskbench, evaluate.ReadTools)
	if err != nil {
		return nil, err
	}
	catalogue := toolbox.NewCatalogue(tools)
	a, err := config.agent(ctx, catalogue, nil, agent.Config{MaxActions: e.MaxActions, AllTools: true})
	if err != nil {
		return nil, err
	}
	options := evaluate.Options{Failures: e.Failures, Catalogue: catalogue}
	if e.Wishes {
		cases, err := read(e.File, evaluate.ReadWishes)
		if err != nil {
			return nil, err
		}
		return evaluate.Run(ctx, a, e.half(cases), options)
	}
	plans, err := read(e.File, evaluate.ReadPlans)
	if err != nil {
		return nil, err
	}
	plans = slices.DeleteFunc(plans, func(l evaluate.Labelled) bool { return !e.takes(l.ID) })
	return evaluate.RunTaskBench(ctx, a, plans, tools, options)
}

// cases reads the benchmark that the flags name.
func (e *evalCommand) cases() ([]evaluate.Case, error) {
	if e.File == "" {
		cases, err := evaluate.Own()
		return e.half(cases), err
	}
	cases, err := read(e.File, func(requests evaluate.Input) ([]evaluate.Case, error) {
		if e.Gold == "" {
			return evaluate.ReadCases(requests, evaluate.Input{})
		}
		return read(e.Gold, func(gold evaluate.Input) ([]evaluate.Case, error) { return evaluate.ReadCases(requests, gold) })
	})
	return e.half(cases), err
}

// read opens a file for a reader of the evaluation.
func read[T any](name string, reader func(evaluate.Input) (T, error)) (_ T, err error) {
	var none T
	f, err := os.Open(name) //nolint:gosec // opening the files that people name is what the program is for
	if err != nil {
		return none, usage("%s cannot be read: %s.", name, errors.Unwrap(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return reader(evaluate.Input{Name: name, Reader: f})
}

func (e *evalCommand) half(cases []evaluate.Case) []evaluate.Case {
	return slices.DeleteFunc(cases, func(c evaluate.Case) bool { return !e.takes(c.ID) })
}

// takes tells whether a request is in the half that is asked for, by the number at the
// end of its id. One without a number is in neither.
func (e *evalCommand) takes(id string) bool {
	if e.Half == "" {
		return true
	}
	n, err := strconv.ParseUint(id[len(strings.TrimRight(id, "0123456789")):], 10, 64)
	return err == nil && (n%2 == 0) == (e.Half == "even")
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
		return nil, usage("No tool comes from a system called %q.", system)
	}
	return toolbox.NewCatalogue(kept), nil
}

var (
	_ evaluate.Planner        = (*agent.Agent)(nil)
	_ evaluate.SubtaskPlanner = (*agent.Agent)(nil)
)
