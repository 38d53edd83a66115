// Package evaluate implements the commands that measure planning, and record and replay models' answers.
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
	Gold      string      `help:"The expected results of ControlLLM's requests; the file argument then holds the requests." placeholder:"FILE"`
	Taskbench string      `help:"TaskBench's tools; the file argument then holds TaskBench's plans to compare with." placeholder:"FILE"`
	Wishes    bool        `help:"With --taskbench: the file holds unlabelled requests, which are only planned and timed."`
	Reference bool        `help:"Use the decompositions in the file, to measure the search alone."`
	AllTools  bool        `help:"Plan as if every tool could run here."`
	Toolbox   string      `help:"Plan with the tools of this system only: controlllm, visualchatgpt, hugginggpt or atelier." placeholder:"NAME"`
	Half      string      `help:"Plan only every second request: those with even or odd numbers." placeholder:"even|odd"`
	IDs       ids         `name:"ids" help:"Plan only these requests." placeholder:"ID,..."`
	Parallel  int         `help:"The number of requests to plan at the same time." placeholder:"N" default:"1"`
	Answers   bool        `help:"Also generate answers for made-up results, and check them."`
	Record    namedFolder `help:"Record the language model's answers in this folder." placeholder:"DIR"`
	Replay    namedFolder `help:"Plan with the recorded answers in this folder, without a server, and only those requests that are recorded." placeholder:"DIR"`
	Failures  bool        `help:"List each miss with its plan."`
	JSON      bool        `help:"Print JSON."`
	command.Thinking
	File string `arg:"" optional:"" help:"The requests. By default, Atelier's own benchmark with every tool."`
}

// Help returns the detailed help.
func (*Command) Help() string {
	return `This judges plans. It runs and changes nothing. By default the rules plan, since a language model
costs money. To measure a model, set PLANNER=llm or --planner llm (or --planner auto if one is set).
Its answers can be recorded, and replayed free of charge on any machine: planning assumes that every
tool can run.

Examples:

  bot eval
  bot eval --planner llm --parallel 4 --record answers
  bot eval --replay answers --failures
  bot eval --all-tools --gold gold.jsonl requests.json
  bot eval --taskbench tool_desc.json plans.jsonl`
}

// Run measures planning and prints the report.
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
		return fault.Usage("--gold and --taskbench exclude each other: give one of them.")
	case (e.Gold != "" || e.Taskbench != "") && e.File == "":
		return fault.Usage("The file with the requests is missing. Try: bot eval --help")
	case e.Half != "" && e.Half != "even" && e.Half != "odd":
		return fault.Usage("--half is %q: expected even or odd.", e.Half)
	case e.Wishes && e.Taskbench == "":
		return fault.Usage("--wishes needs --taskbench.")
	case e.Reference && e.Taskbench != "":
		return fault.Usage("--reference needs requests with decompositions, which TaskBench does not have.")
	case e.Reference && e.File == "":
		return fault.Usage("--reference needs a file of requests with decompositions, which Atelier's own benchmark does not have.")
	case e.Parallel < 1 || e.Parallel > maxParallel:
		return fault.Usage("--parallel is %d: expected a number from 1 to %d.", e.Parallel, maxParallel)
	case e.Record != "" && e.Replay != "":
		return fault.Usage("--record and --replay exclude each other: give one of them.")
	}
	return nil
}

// maxParallel is the maximum of --parallel.
const maxParallel = 64

// over applies the flags to the settings. By default it measures the rules, even if a key is set, or
// the recorded model if a tape is replayed.
func (e *Command) over(c *settings.Config, t *tape) error {
	if err := e.Apply(c); err != nil {
		return err
	}
	replays := e.Replay != "" && (e.Planner == "" || c.Planner != settings.RulesPlanner)
	if replays {
		if c.WithoutPrior && !t.about.WithoutPrior {
			return fault.Usage("--no-prior-knowledge changes the prompts, but the answers in %s were recorded with prior knowledge.", t.folder)
		}
		c.Planner = settings.LLMPlanner
		t.over(c)
	}
	if c.Planner == settings.AutoPlanner && e.Planner == "" { // auto is the default of PLANNER, so it is no request for a model
		c.Planner = settings.RulesPlanner
	}
	c.Fallback = false // measure one planner, not a mixture
	return nil
}

// checkPlanner rejects --record without a language model.
func (e *Command) checkPlanner(c settings.Config) error {
	if e.Record != "" && c.Planner != settings.LLMPlanner {
		return fault.Usage("--record records the answers of a language model. Try: bot eval --planner llm --record %s", e.Record)
	}
	return nil
}

// namedFolder is a flag with the path of a folder, which must not be empty.
type namedFolder string

// UnmarshalText sets the flag.
func (n *namedFolder) UnmarshalText(b []byte) error {
	if strings.TrimSpace(string(b)) == "" {
		return errors.New("it is empty: expected a folder")
	}
	*n = namedFolder(b)
	return nil
}

// ids is a flag with the ids of requests, none of which may be empty.
type ids []string

// UnmarshalText adds the ids of another use of the flag.
func (l *ids) UnmarshalText(b []byte) error {
	for id := range strings.SplitSeq(string(b), ",") {
		if id = strings.TrimSpace(id); id == "" {
			return errors.New("an id is empty")
		}
		*l = append(*l, id)
	}
	return nil
}

// takes reports whether the flags select a request: by its id, and by the number at the end of the id.
// An id without a number is in neither half.
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
