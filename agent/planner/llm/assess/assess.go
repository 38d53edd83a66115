// Package assess scores the tools that may do the subtasks of a request.
package assess

import (
	"context"
	_ "embed"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Name is the name of the job, in labels and in [plan.Job].
const Name = "assess"

// Config configures an Assessor.
type Config struct {
	// Catalogue holds the tools; required.
	Catalogue *toolbox.Catalogue
	// Index finds the tools nearest to a text; required.
	Index *retrieve.Index
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
}

// Assessor scores tools. It is safe for concurrent use.
type Assessor struct {
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
func New(c Config) (*Assessor, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	schema, err := exchange.NewSchema[assessment](Name, nil)
	if err != nil {
		return nil, err
	}
	return &Assessor{config: c, context: c.Exchange.ContextTokens(), prompt: p, schema: schema}, nil
}

// toolShare is the share of the context for candidates: 1/toolShare.
const toolShare = 3

// Assess scores the tools of all subtasks at once with ControlLLM's tool assessment (Table 7).
// Tools that the answer omits, or that did not fit into the question, count as unrelated. If a
// subtask did not fit, all its tools count as good, so that the search takes its shortest way.
func (job *Assessor) Assess(ctx context.Context, r plan.Request, tasks []planner.Assessment, t *plan.Thinking) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scores := make([][]float64, len(tasks))
	var lists []*shortlist // of the undecided ones
	for i, a := range tasks {
		scores[i] = make([]float64, len(a.Candidates))
		l := job.candidates(i, a)
		for j, name := range a.Candidates {
			scores[i][j] = plan.Worst
			if len(l.tools) == 1 && l.tools[0].Name == name {
				scores[i][j] = plan.Best
			}
		}
		if len(l.tools) > 1 {
			lists = append(lists, l)
		}
	}
	if len(lists) == 0 {
		return scores, nil
	}
	q, asked, err := job.assessing(r, tasks, lists)
	if err != nil {
		return nil, err
	}
	var answers []map[string]float64
	if err := job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		answers, err = readAssessment(content, asked)
		return err
	}); err != nil {
		return nil, err
	}
	for _, l := range lists {
		at := slices.IndexFunc(asked, func(a *shortlist) bool { return a.task == l.task })
		for j, name := range tasks[l.task].Candidates {
			if at < 0 && l.has(name) {
				scores[l.task][j] = plan.Good
			} else if at >= 0 {
				scores[l.task][j] = max(plan.Worst, answers[at][name])
			}
		}
	}
	return scores, nil
}
