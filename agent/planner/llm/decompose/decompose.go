// Package decompose splits a request into subtasks, or asks back, or answers plain
// conversation.
//
// Answers are checked: they name only known types, domains and resources, refer only to earlier
// subtasks, and do not quote the prompt.
package decompose

import (
	"context"
	_ "embed"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Name is the name of the job, in labels and in [plan.Job].
const Name = "decompose"

// Config configures a Decomposer.
type Config struct {
	// Catalogue holds the tools in the prompt; required.
	Catalogue *toolbox.Catalogue
	// Index finds the tools nearest to a text; required.
	Index *retrieve.Index
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
	// WithoutPrior omits the tool hints (ControlLLM, Table 4: without prior knowledge).
	WithoutPrior bool
	// Pictures provides pictures for the model. Nil shows none.
	Pictures Pictures
}

// Pictures returns a picture of the thread as a small JPEG.
type Pictures interface {
	Picture(ctx context.Context, r plan.Resource) ([]byte, error)
}

// Decomposer splits requests. It is safe for concurrent use.
type Decomposer struct {
	config  Config
	context int // in tokens
	known   vocabulary
	prompt  *prompt.Prompt
	schema  *exchange.Schema
}

//go:embed prompt.txt
var promptText string

// PromptVersion is the version of the prompt.
func PromptVersion() string { return prompt.Version(promptText) }

// New parses the prompt. It sends no request.
func New(c Config) (*Decomposer, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	known := newVocabulary(c.Catalogue)
	schema, err := exchange.NewSchema[decomposition](Name, known.closed())
	if err != nil {
		return nil, err
	}
	d := &Decomposer{config: c, context: c.Exchange.ContextTokens(), known: known, prompt: p, schema: schema}
	d.known.moves = d.moves
	return d, nil
}

// The limits of an answer.
const (
	maxSubtasks = 64   // the maximum number of steps
	maxWords    = 1000 // characters per text

	// decomposeOutput is the maximum number of tokens of an answer, if the context is large.
	decomposeOutput = 4096
)

// tooMuch is the kind of complaint about an answer with too many or too long parts.
const tooMuch = "too much"

// Decompose splits the request.
func (job *Decomposer) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	pictures, names, err := job.pictures(ctx, r)
	if err != nil {
		return planner.Decomposition{}, err
	}
	q := exchange.Question{
		Job: Name, Request: r.ID, Pictures: pictures, Schema: job.schema,
		Output: min(decomposeOutput, job.context/4),
	}
	if err := job.word(&q, r, names); err != nil {
		return planner.Decomposition{}, err
	}
	var d planner.Decomposition
	err = job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		answer, err := readDecomposition(content)
		if err == nil {
			d, err = bind(answer, r, job.known)
		}
		if err == nil {
			err = talks(d.Question+d.Reply, r, q.System)
		}
		for _, guess := range d.Guesses {
			if err == nil {
				err = talks(guess, r, q.System)
			}
		}
		return err
	})
	if err != nil {
		return planner.Decomposition{}, err
	}
	return d, nil
}
