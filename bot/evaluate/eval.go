// Package evaluate has the commands that measure planning, and that record and replay models' answers.
package evaluate

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/settings"
)

// Command is bot eval.
type Command struct {
	Gold      string      `help:"Judgements of ControlLLM's requests; the file argument then holds these requests." placeholder:"FILE"`
	Taskbench string      `help:"TaskBench's tools; the file argument then holds TaskBench's plans to compare with." placeholder:"FILE"`
	Wishes    bool        `help:"With --taskbench: the file holds requests without labels, which are only planned and timed."`
	Reference bool        `help:"Use the decompositions in the file, to measure the search alone."`
	AllTools  bool        `help:"Plan as if every tool could run here."`
	Toolbox   string      `help:"Plan with the tools of this system only: controlllm, visualchatgpt, hugginggpt or atelier." placeholder:"NAME"`
	Half      string      `help:"Plan only every second request: those with even or odd numbers." placeholder:"even|odd"`
	IDs       ids         `name:"ids" help:"Plan only these requests." placeholder:"ID,..."`
	Parallel  int         `help:"How many requests to plan at a time." placeholder:"N" default:"1"`
	Answers   bool        `help:"Also word answers to made-up results, and check them."`
	Record    namedFolder `help:"Record the language model's answers in this folder." placeholder:"DIR"`
	Replay    namedFolder `help:"Plan with the recorded answers in this folder, without a server, and only the requests that it has." placeholder:"DIR"`
	Failures  bool        `help:"List each miss with its plan."`
	JSON      bool        `help:"Print JSON."`
	command.Thinking
	File string `arg:"" optional:"" help:"The requests. By default, Atelier's own benchmark with every tool."`
}

// Help is the longer help.
func (*Command) Help() string {
	return `This judges plans. It runs and changes nothing. The rules make the plans, since a language model
costs money. For a model, set PLANNER=llm or --planner llm (or --planner auto if one is set). Its
answers can be recorded, and used again for nothing on any machine: planning assumes that every
tool can run.

Examples:

  bot eval
  bot eval --planner llm --parallel 4 --record answers
  bot eval --replay answers --failures
  bot eval --all-tools --gold gold.jsonl requests.json
  bot eval --taskbench tool_desc.json plans.jsonl`
}

// Run measures.
func (e *Command) Run(ctx context.Context, c *command.Call) error {
	if err := e.check(); err != nil {
		return err
	}
	tape, err := e.openTape()
	if err != nil {
		return err
	}
	shop, err := c.Workshop(func(config *settings.Config) error { return e.over(config, tape) })
	if err != nil {
		return err
	}
	if err := e.checkPlanner(shop.Config); err != nil {
		return err
	}
	if shop.Models.Recorded {
		shop.Transport = tape.recordings.Replay()
	}
	report, err := e.measure(ctx, c, shop, tape)
	if err != nil {
		return err
	}
	if e.JSON {
		return output.JSON(c.Stdout, report)
	}
	if err := report.Print(c.Stdout); err != nil {
		return err
	}
	if e.Failures {
		return report.PrintMisses(c.Stdout)
	}
	return nil
}

func (e *Command) check() error {
	switch {
	case e.Gold != "" && e.Taskbench != "":
		return fault.Usage("--gold and --taskbench are two benchmarks: give one of them.")
	case (e.Gold != "" || e.Taskbench != "") && e.File == "":
		return fault.Usage("The file with the requests is missing. Try: bot eval --help")
	case e.Half != "" && e.Half != "even" && e.Half != "odd":
		return fault.Usage("--half is %q: even or odd is expected.", e.Half)
	case e.Wishes && e.Taskbench == "":
		return fault.Usage("--wishes goes with --taskbench.")
	case e.Reference && e.Taskbench != "":
		return fault.Usage("--reference goes with requests that hold their decompositions, which TaskBench's do not.")
	case e.Reference && e.File == "":
		return fault.Usage("--reference goes with a file whose requests hold their decompositions, which those of Atelier's own benchmark do not.")
	case e.Parallel < 1 || e.Parallel > maxParallel:
		return fault.Usage("--parallel is %d: a number from 1 to %d is expected.", e.Parallel, maxParallel)
	case e.Record != "" && e.Replay != "":
		return fault.Usage("--record asks a model and --replay does not: give one of them.")
	}
	return nil
}

// maxParallel is the most requests that are planned at a time.
const maxParallel = 64

// over puts the flags over the settings. Without a word on it the rules are
// measured, whatever keys there are, and what the tape holds where one is replayed.
func (e *Command) over(c *settings.Config, t *tape) error {
	if err := e.Over(c); err != nil {
		return err
	}
	replays := e.Replay != "" && (e.Planner == "" || c.Planner != settings.RulesPlanner)
	if replays {
		if c.WithoutPrior && !t.about.WithoutPrior {
			return fault.Usage("--no-prior-knowledge changes what a language model is told, and the answers in %s were given with it.", t.folder)
		}
		c.Planner = settings.LLMPlanner
		t.over(c)
	}
	if c.Planner == settings.AutoPlanner && e.Planner == "" { // PLANNER may be so for no reason of its own
		c.Planner = settings.RulesPlanner
	}
	c.Fallback = false // one planner is measured, not a mixture
	return nil
}

// checkPlanner refuses to record a planner that says nothing.
func (e *Command) checkPlanner(c settings.Config) error {
	if e.Record != "" && c.Planner != settings.LLMPlanner {
		return fault.Usage("--record keeps what a language model answers. Try: bot eval --planner llm --record %s", e.Record)
	}
	return nil
}

// namedFolder is a flag's value that must not be empty.
type namedFolder string

// UnmarshalText takes what the flag says.
func (n *namedFolder) UnmarshalText(b []byte) error {
	if strings.TrimSpace(string(b)) == "" {
		return errors.New("a folder is expected, and it is empty")
	}
	*n = namedFolder(b)
	return nil
}

// ids are those of requests, of which there must be one.
type ids []string

// UnmarshalText takes what the flag says, beside what it has said already.
func (l *ids) UnmarshalText(b []byte) error {
	for id := range strings.SplitSeq(string(b), ",") {
		if id = strings.TrimSpace(id); id == "" {
			return errors.New("ids of requests are expected, and one is empty")
		}
		*l = append(*l, id)
	}
	return nil
}

// takes reports whether a request is asked for: by its id, and by the number at the end of
// that. One without a number is in neither half.
func (e *Command) takes(id string) bool {
	if len(e.IDs) > 0 && !slices.Contains(e.IDs, id) {
		return false
	}
	if e.Half == "" {
		return true
	}
	n, err := strconv.ParseUint(id[len(strings.TrimRight(id, "0123456789")):], 10, 64)
	return err == nil && (n%2 == 0) == (e.Half == "even")
}
