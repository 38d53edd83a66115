// Package settle ranks the solutions of subtasks, fills their blanks and chooses models.
package settle

import (
	"context"
	_ "embed"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
)

// Name is the name of the job, in labels and in [plan.Job].
const Name = "settle"

// Config configures a Settler.
type Config struct {
	// Catalogue holds the tools; required.
	Catalogue *toolbox.Catalogue
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
}

// Settler decides between solutions. It is safe for concurrent use.
type Settler struct {
	config  Config
	context int // in tokens
	prompt  *prompt.Prompt
	schema  *exchange.Schema
}

//go:embed prompt.txt
var promptText string

// PromptVersion is the version of the prompt.
func PromptVersion() string { return prompt.Version(promptText) }

// New parses the prompt. It sends no request.
func New(c Config) (*Settler, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	schema, err := exchange.NewSchema[settlement](Name, nil)
	if err != nil {
		return nil, err
	}
	return &Settler{config: c, context: c.Exchange.ContextTokens(), prompt: p, schema: schema}, nil
}

// maxAsked is the maximum number of solutions per subtask that the model ranks. The rest, which the
// search ranked lower, keep the scores of their tools.
const maxAsked = 10

// Settle ranks the solutions, fills their blanks and chooses models, for all subtasks at once:
// ControlLLM's solution expert and resource expert (Tables 8 and 9) and HuggingGPT's model
// selection. Optional blanks alone are not worth a call: what the request says about them came
// with the subtask.
func (job *Settler) Settle(ctx context.Context, r plan.Request, tasks []planner.Contest, t *plan.Thinking) ([]planner.Settlement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]planner.Settlement, len(tasks))
	var open []*trial
	needed := false
	for i, c := range tasks {
		c = prepared(c)
		out[i].Solutions = c.Solutions
		if undecided, needs := job.open(c); undecided {
			open = append(open, &trial{Contest: c})
			needed = needed || needs
		}
	}
	if !needed {
		for _, c := range open {
			job.fallBack(c.Contest)
		}
		return out, nil
	}
	q, asked, err := job.settling(r, open)
	if err != nil {
		return nil, err
	}
	var verdicts []verdict
	if err := job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		verdicts, err = readSettlement(content, asked)
		return err
	}); err != nil {
		return nil, err
	}
	for i, c := range asked {
		c.apply(verdicts[i])
	}
	for _, c := range open {
		job.fallBack(c.Contest)
	}
	return out, nil
}

// prepared returns a copy of the contest in which everything forced is decided: blanks with one
// option, tools with one model.
func prepared(c planner.Contest) planner.Contest {
	c.Solutions = slices.Clone(c.Solutions)
	for i := range c.Solutions {
		s := &c.Solutions[i]
		s.Score = min(plan.Best, max(plan.Worst, s.Score))
		s.Actions = slices.Clone(s.Actions)
		for j := range s.Actions {
			a := &s.Actions[j]
			a.Args = slices.Clone(a.Args)
			for k, b := range a.Args {
				if b.Source.Kind == plan.Blank && !b.Optional && len(b.Options) == 1 {
					a.Args[k].Source = b.Options[0]
				}
			}
			if models := c.Models[a.Tool]; len(models) == 1 && a.Candidate == "" {
				a.Candidate = models[0].Candidate
			}
		}
	}
	return c
}

// open reports whether there is anything to decide, and whether anything of it has to be: a blank that
// is optional does not.
func (job *Settler) open(c planner.Contest) (open, needed bool) {
	if len(c.Solutions) != 1 {
		return len(c.Solutions) > 1, len(c.Solutions) > 1
	}
	open = len(c.Solutions[0].Left) > 0
	needed = open
	for _, a := range c.Solutions[0].Actions {
		if a.Candidate == "" && len(c.Models[a.Tool]) > 0 {
			open, needed = true, true
		}
		for _, b := range a.Args {
			if s, ok := job.slot(c.Subtask, c.Solutions[0], a.Tool, b); ok {
				open, needed = true, needed || s.given || !b.Optional
			}
		}
	}
	return open, needed
}

// trial is a contest that the model decides.
type trial struct {
	planner.Contest

	asked int // how many of its solutions, from the first, are ranked
	slots []slot
}

// offers returns the models offered for a tool.
func (c *trial) offers(tool string) []planner.Model {
	models := c.Models[tool]
	return models[:min(len(models), maxModels)]
}

// maxModels is the maximum number of models offered per tool: five, as in HuggingGPT.
const maxModels = 5

// verdict is the model's decision on a contest.
type verdict struct {
	scores []float64
	fills  map[int]plan.Source // by the number of the slot
	models map[string]string   // candidates by tool
}

// apply applies a verdict. Solutions that were not ranked do not get a higher score than the ranked
// ones.
func (c *trial) apply(v verdict) {
	top := slices.Max(v.scores)
	for i := range c.Solutions {
		s := &c.Solutions[i]
		if i < len(v.scores) {
			s.Score = v.scores[i]
		} else {
			s.Score = min(s.Score, top)
		}
		for j := range s.Actions {
			a := &s.Actions[j]
			if a.Candidate == "" {
				a.Candidate = v.models[a.Tool]
			}
		}
	}
	for _, s := range slices.Backward(c.slots) { // those of words last, since they are removed
		source, ok := v.fills[s.number]
		switch {
		case !ok:
		case s.action == ofLeft:
			left := &c.Solutions[s.solution].Left
			*left = slices.Delete(slices.Clone(*left), s.arg, s.arg+1)
		default:
			c.Solutions[s.solution].Actions[s.action].Args[s.arg].Source = source
		}
	}
}
